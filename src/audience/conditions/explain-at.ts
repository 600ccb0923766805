import { readsAsDate } from '../../people/values/dates.ts'
import type { Json } from '../../people/values/values.ts'
import { instantsOf } from './evaluate.ts'
import { explain } from './explain.ts'
import { columnOf, type Facts, insideOf } from './facts.ts'
import { momentWords, quoted } from './phrases.ts'
import { leafWords, type Wording } from './sentence.ts'
import type { Leaf, Tree } from './tree.ts'

/** From `atMs` on an attribute had this value; null: none. */
export type Change = { readonly atMs: number; readonly value: Json | null }

/** What can be said of one person at a moment that is past. All times are epoch milliseconds. */
export type Past = {
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
  readonly changes: ReadonlyMap<string, readonly Change[]>
  /** Since when changes of an attribute are written down. */
  readonly watchedMs: (name: string) => number | undefined
  /** Changes before are forgotten. */
  readonly keptMs: number
}

/**
 * Why somebody was meant by a tree at a moment or was not, part by part. `holds` null and `has` null: it is not known what the person
 * had then. `as_of`: when they had it; `since`: from when on, where that is known.
 */
export type ExplainedThen = { readonly holds: boolean | null } & (
  | { readonly all: readonly ExplainedThen[] }
  | { readonly any: readonly ExplainedThen[] }
  | { readonly not: ExplainedThen }
  | { readonly condition: string; readonly segment: ExplainedThen }
  | InputThen
)

type InputThen = {
  readonly holds: boolean | null
  readonly condition: string
  readonly has: string | null
  readonly as_of: string | null
  readonly since: string | null
}

/** The facts by which a condition can be judged, as they were. */
type Known = { readonly facts: Facts; readonly sinceMs?: number | undefined }

/** What held at the moment of `past`; today's value is taken for then's only where nothing has changed since. Pure. */
export function explainThen(tree: Tree, past: Past, wording: Wording = {}): ExplainedThen {
  const part = (child: Tree) => explainThen(child, past, wording)
  if ('all' in tree) {
    const all = tree.all.map(part)
    return { holds: united(all, false), all }
  }
  if ('any' in tree) {
    const any = tree.any.map(part)
    return { holds: united(any, true), any }
  }
  if ('not' in tree) {
    const not = part(tree.not)
    return { holds: not.holds === null ? null : !not.holds, not }
  }
  const condition = leafWords(tree, wording)
  if (tree.kind === 'segment') {
    const segment = part(insideOf(tree))
    return { holds: segment.holds, condition, segment }
  }
  const known = knownOf(tree, past)
  if (!known) return { holds: null, condition, has: null, as_of: null, since: null }
  const { holds, ...said } = explain(tree, known.facts, past.atMs, wording)
  const has = 'has' in said ? said.has : ''
  return { holds, condition, has: named(tree, has), as_of: iso(past.atMs), since: isoOf(known.sinceMs) }
}

/** One part decides for all when it is `decisive`; otherwise one that is not known leaves it open. */
function united(parts: readonly ExplainedThen[], decisive: boolean): boolean | null {
  if (parts.some(({ holds }) => holds === decisive)) return decisive
  return parts.some(({ holds }) => holds === null) ? null : !decisive
}

/** `plan` was "free". */
function named(leaf: Leaf, has: string): string {
  if (leaf.kind === 'custom_attribute') return `${leaf.path.map(quoted).reverse().join(' in ')} was ${has}`
  return leaf.kind === 'standard_attribute' ? `${leaf.field.replaceAll('_', ' ')} was ${has}` : has
}

function knownOf(leaf: Exclude<Leaf, { kind: 'segment' }>, past: Past): Known | undefined {
  const { facts, atMs } = past
  if (past.isNow) return { facts }
  switch (leaf.kind) {
    case 'custom_attribute': {
      const [name] = leaf.path
      const current = Object.hasOwn(facts.custom, name) ? facts.custom[name]! : null
      const then = valueThen(name, current, past)
      return then && { facts: withCustom(facts, name, then.value), sinceMs: then.atMs }
    }
    case 'standard_attribute': {
      const then = valueThen(leaf.field, columnOf(facts, leaf.field), past)
      return then && { facts: withColumns(facts, { [leaf.field]: then.value }), sinceMs: then.atMs }
    }
    case 'subscription_status': {
      const name = `${leaf.channel}_subscribe` as const
      const statedMs = past.statedMs[leaf.channel]
      if (statedMs === null || statedMs <= atMs) return { facts, sinceMs: statedMs ?? undefined }
      const then = valueThen(name, columnOf(facts, name), past)
      return then && { facts: withColumns(facts, { [name]: then.value ?? 'subscribed' }), sinceMs: then.atMs }
    }
    // A sum that never falls.
    case 'total_revenue':
    case 'session_count':
      return columnOf(facts, leaf.kind) === 0 ? { facts } : undefined
    case 'standard_time':
    case 'used_app':
    case 'last_message':
      return isBefore(leaf, past) ? { facts } : firstThen(leaf, facts)
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

type Timed = Extract<Leaf, { kind: 'standard_time' | 'used_app' | 'last_message' }>

/** What is said now was so already. */
function isBefore(leaf: Timed, { facts, atMs }: Past): boolean {
  return instantsOf(leaf, facts).every((ms) => ms <= atMs)
}

/** The first time of something came later: then there was none yet. */
function firstThen(leaf: Timed, facts: Facts): Known | undefined {
  if (leaf.kind === 'standard_time' && leaf.field === 'date_of_first_session') {
    return { facts: withColumns(facts, { date_of_first_session: null }) }
  }
  if (leaf.kind !== 'used_app' || leaf.which !== 'first') return undefined
  if (leaf.app_id === undefined) return { facts: withColumns(facts, { date_of_first_session: null }) }
  return { facts: { ...facts, uses: new Map([...facts.uses, [leaf.app_id, { first: null, last: null }]]) } }
}

/** The value of an attribute then, and from when on it had it; undefined when that is not known. */
function valueThen(name: string, current: Json | null, past: Past): { value: Json | null; atMs?: number } | undefined {
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
  const readMs = typeof value === 'string' ? readsAsDate(value) : undefined
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
export function sentenceOf(explained: ExplainedThen, atMs: number, { zone = 'UTC' }: Wording = {}): string {
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
function decisive(explained: ExplainedThen, holds: boolean | null): InputThen[] {
  if ('all' in explained) return partsOf(explained.all, holds)
  if ('any' in explained) return partsOf(explained.any, holds)
  if ('segment' in explained) return decisive(explained.segment, holds)
  if (!('not' in explained)) return [explained]
  const inside = decisive(explained.not, holds === null ? null : !holds)
  return inside.map((input) => ({ ...input, condition: `not (${input.condition})` }))
}

function partsOf(parts: readonly ExplainedThen[], holds: boolean | null): InputThen[] {
  return parts.filter((part) => part.holds === holds).flatMap((part) => decisive(part, holds))
}

function isoOf(ms: number | undefined): string | null {
  return ms === undefined ? null : iso(ms)
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
