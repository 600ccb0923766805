import { parseCustomDate } from '../../people/values/dates.ts'
import type { Json } from '../../people/values/values.ts'
import { instantsOf } from './evaluate.ts'
import { explain } from './explain.ts'
import { columnOf, type Facts } from './facts.ts'
import { momentWords, quoted } from './phrases.ts'
import { describeLeaf, type Wording } from './sentence.ts'
import { type Leaf, nestedTree, type Tree } from './tree.ts'

/** From `atMs` on an attribute had this value; null: none. */
export type AttributeChange = { readonly atMs: number; readonly value: Json | null }

/** What can be said of one person at a moment that is past. All times are epoch milliseconds. */
export type PastFacts = {
  readonly atMs: number
  /** Histories as they were at `atMs`, everything else as it is now. */
  readonly facts: Facts
  /** `atMs` is now: everything is known. */
  readonly isNow: boolean
  readonly createdMs: number
  /** When an attribute, an identifier or an address of the person was written last. */
  readonly writtenMs: number
  /** When the state was said, null when it never was. */
  readonly statedMs: Readonly<Record<'email' | 'push', number | null>>
  /** Changes of attributes that were kept, oldest first. */
  readonly changes: ReadonlyMap<string, readonly AttributeChange[]>
  /** Since when changes of an attribute are written down. */
  readonly watchedMs: (name: string) => number | undefined
  /** Changes before are forgotten. */
  readonly keptMs: number
}

/**
 * Why somebody was meant by a tree at a moment or was not, part by part. `holds` null and `has` null: it is not known what the person
 * had then. `as_of`: when they had it; `since`: from when on, where that is known.
 */
export type ExplanationAt = { readonly holds: boolean | null } & (
  | { readonly all: readonly ExplanationAt[] }
  | { readonly any: readonly ExplanationAt[] }
  | { readonly not: ExplanationAt }
  | { readonly condition: string; readonly segment: ExplanationAt }
  | LeafAt
)

type LeafAt = {
  readonly holds: boolean | null
  readonly condition: string
  readonly has: string | null
  readonly as_of: string | null
  readonly since: string | null
}

/** The facts by which a condition can be judged, as they were. */
type FactsAt = { readonly facts: Facts; readonly sinceMs?: number | undefined }

/** What held at the moment of `past`; today's value is taken for then's only where nothing has changed since. Pure. */
export function explainAt(tree: Tree, past: PastFacts, wording: Wording = {}): ExplanationAt {
  const part = (child: Tree) => explainAt(child, past, wording)
  if ('all' in tree) {
    const all = tree.all.map(part)
    return { holds: combined(all, false), all }
  }
  if ('any' in tree) {
    const any = tree.any.map(part)
    return { holds: combined(any, true), any }
  }
  if ('not' in tree) {
    const not = part(tree.not)
    return { holds: not.holds === null ? null : !not.holds, not }
  }
  const condition = describeLeaf(tree, wording)
  if (tree.kind === 'segment') {
    const segment = part(nestedTree(tree))
    return { holds: segment.holds, condition, segment }
  }
  const known = factsAt(tree, past)
  if (!known) return { holds: null, condition, has: null, as_of: null, since: null }
  const { holds, ...said } = explain(tree, known.facts, past.atMs, wording)
  const has = 'has' in said ? said.has : ''
  return { holds, condition, has: withName(tree, has), as_of: iso(past.atMs), since: isoOf(known.sinceMs) }
}

/** One part decides for all when it is `decisive`; otherwise one that is not known leaves it open. */
function combined(parts: readonly ExplanationAt[], decidingLeaves: boolean): boolean | null {
  if (parts.some(({ holds }) => holds === decidingLeaves)) return decidingLeaves
  return parts.some(({ holds }) => holds === null) ? null : !decidingLeaves
}

/** `plan` was "free". */
function withName(leaf: Leaf, has: string): string {
  if (leaf.kind === 'custom_attribute') return `${leaf.path.map(quoted).reverse().join(' in ')} was ${has}`
  return leaf.kind === 'standard_attribute' ? `${leaf.field.replaceAll('_', ' ')} was ${has}` : has
}

function factsAt(leaf: Exclude<Leaf, { kind: 'segment' }>, past: PastFacts): FactsAt | undefined {
  const { facts, atMs } = past
  if (past.isNow) return { facts }
  switch (leaf.kind) {
    case 'custom_attribute': {
      const [name] = leaf.path
      const current = Object.hasOwn(facts.custom, name) ? facts.custom[name]! : null
      const then = valueAt(name, current, past)
      return then && { facts: withCustom(facts, name, then.value), sinceMs: then.atMs }
    }
    case 'standard_attribute': {
      const then = valueAt(leaf.field, columnOf(facts, leaf.field), past)
      return then && { facts: withColumns(facts, { [leaf.field]: then.value }), sinceMs: then.atMs }
    }
    case 'subscription_status': {
      const name = `${leaf.channel}_subscribe` as const
      const statedMs = past.statedMs[leaf.channel]
      if (statedMs === null || statedMs <= atMs) return { facts, sinceMs: statedMs ?? undefined }
      const then = valueAt(name, columnOf(facts, name), past)
      return then && { facts: withColumns(facts, { [name]: then.value ?? 'subscribed' }), sinceMs: then.atMs }
    }
    // A sum that never falls.
    case 'total_revenue':
    case 'session_count':
      return columnOf(facts, leaf.kind) === 0 ? { facts } : undefined
    case 'standard_time':
    case 'used_app':
    case 'last_message':
      return isBefore(leaf, past) ? { facts } : beforeFirst(leaf, facts)
    case 'occurrences':
    case 'occurrence_time':
    case 'random_bucket':
      return { facts }
    // Changes of these are not kept.
    case 'device':
    case 'subscription_group':
      return undefined
  }
}

type TimeLeaf = Extract<Leaf, { kind: 'standard_time' | 'used_app' | 'last_message' }>

/** What is said now was so already. */
function isBefore(leaf: TimeLeaf, { facts, atMs }: PastFacts): boolean {
  return instantsOf(leaf, facts).every((ms) => ms <= atMs)
}

/** The first time of something came later: then there was none yet. */
function beforeFirst(leaf: TimeLeaf, facts: Facts): FactsAt | undefined {
  if (leaf.kind === 'standard_time' && leaf.field === 'date_of_first_session') {
    return { facts: withColumns(facts, { date_of_first_session: null }) }
  }
  if (leaf.kind !== 'used_app' || leaf.which !== 'first') return undefined
  if (leaf.app_id === undefined) return { facts: withColumns(facts, { date_of_first_session: null }) }
  return { facts: { ...facts, uses: new Map([...facts.uses, [leaf.app_id, { first: null, last: null }]]) } }
}

/** The value of an attribute then, and from when on it had it; undefined when that is not known. */
function valueAt(
  name: string,
  current: Json | null,
  past: PastFacts,
): { value: Json | null; atMs?: number } | undefined {
  const { atMs, changes, createdMs, writtenMs, watchedMs, keptMs } = past
  const own = changes.get(name) ?? []
  const last = own.findLast((change) => change.atMs <= atMs)
  if (last) return last
  if (createdMs > atMs) return { value: null }
  if (writtenMs <= atMs) return { value: current }
  const sinceMs = Math.max(watchedMs(name) ?? Number.POSITIVE_INFINITY, keptMs)
  return own.length === 0 && sinceMs <= atMs ? { value: current } : undefined
}

function withCustom(facts: Facts, name: string, value: Json | null): Facts {
  const { [name]: _, ...typed } = facts.typed
  const readMs = typeof value === 'string' ? parseCustomDate(value) : undefined
  return {
    ...facts,
    custom: { ...facts.custom, [name]: value as Json },
    typed: readMs === undefined ? typed : { ...typed, [name]: readMs },
  }
}

function withColumns(facts: Facts, columns: object): Facts {
  return { ...facts, columns: { ...facts.columns, ...columns } }
}

/** `not in segment: ...`; of several conditions those that decided, or those because of which it is not known. */
export function explanationSentence(explained: ExplanationAt, atMs: number, { zone = 'UTC' }: Wording = {}): string {
  const when = momentWords(atMs, zone)
  if (explained.holds) return `in segment on ${when}`
  const inputs = decisive(explained, explained.holds)
  if (explained.holds === null) {
    const asked = inputs.map(({ condition }) => condition).join('; ')
    return `not known whether in segment on ${when}: what this person had then was not kept yet, the rule asks: ${asked}`
  }
  const said = inputs.map(({ condition, has }) => `${has} on ${when}, the rule asks: ${condition}`)
  return `not in segment: ${said.length === 0 ? 'nobody is' : said.join('; ')}`
}

/** The conditions that made an answer what it is. */
function decisive(explained: ExplanationAt, holds: boolean | null): LeafAt[] {
  if ('all' in explained) return decidingParts(explained.all, holds)
  if ('any' in explained) return decidingParts(explained.any, holds)
  if ('segment' in explained) return decisive(explained.segment, holds)
  if (!('not' in explained)) return [explained]
  const inside = decisive(explained.not, holds === null ? null : !holds)
  return inside.map((input) => ({ ...input, condition: `not (${input.condition})` }))
}

function decidingParts(parts: readonly ExplanationAt[], holds: boolean | null): LeafAt[] {
  return parts.filter((part) => part.holds === holds).flatMap((part) => decisive(part, holds))
}

function isoOf(ms: number | undefined): string | null {
  return ms === undefined ? null : iso(ms)
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
