import { parseCustomDate } from '../../base/dates.ts'
import type { Json } from '../../people/values/values.ts'
import { instantsOf } from './evaluate.ts'
import { explain } from './explain.ts'
import { columnOf, type Facts } from './facts.ts'
import { momentWords, quoted } from './phrases.ts'
import { describeLeaf, type Wording } from './sentence.ts'
import { type Leaf, nestedTree, type Tree } from './tree.ts'

/** A value that an attribute had from `atMs` on; null: it was not set. */
export type PastValue = { readonly atMs: number; readonly value: Json | null }

/** What is known of one person at a past moment. All times are epoch milliseconds. */
export type PastFacts = {
  readonly atMs: number
  /** Histories as of `atMs`, everything else as of now. */
  readonly facts: Facts
  /** Whether `atMs` is now: then everything is known. */
  readonly isNow: boolean
  readonly createdMs: number
  /** When an attribute, an identifier or an address of the person was last written. */
  readonly writtenMs: number
  /** When the subscription state was last set; null when it never was. */
  readonly statedMs: Readonly<Record<'email' | 'push', number | null>>
  /** The recorded changes of attributes, oldest first. */
  readonly changes: ReadonlyMap<string, readonly PastValue[]>
  /** Since when changes of an attribute are recorded. */
  readonly watchedMs: (name: string) => number | undefined
  /** Changes before this time have been deleted. */
  readonly keptMs: number
}

/**
 * Why a tree did or did not select a person at a moment, node by node. `holds` and `has` are null where the data of that time is not known.
 * `as_of` is the moment. `since` is the time from which the person had the value, where it is known.
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

/** Facts as of a past moment, enough to evaluate one leaf. */
type FactsAt = { readonly facts: Facts; readonly sinceMs?: number | undefined }

/** Explains a tree at the moment of `past`. Uses a current value only where it has not changed since. Pure. */
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
  const then = factsAt(tree, past)
  if (!then) return { holds: null, condition, has: null, as_of: null, since: null }
  const { holds, ...explained } = explain(tree, then.facts, past.atMs, wording)
  const has = 'has' in explained ? explained.has : ''
  return { holds, condition, has: withName(tree, has), as_of: iso(past.atMs), since: isoOf(then.sinceMs) }
}

/** Returns the result of a group. One node with the deciding result decides. Otherwise, an unknown node makes the result unknown. */
function combined(nodes: readonly ExplanationAt[], deciding: boolean): boolean | null {
  if (nodes.some(({ holds }) => holds === deciding)) return deciding
  return nodes.some(({ holds }) => holds === null) ? null : !deciding
}

/** Returns the value of the person with the name of the attribute: `plan` was "free". */
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
    // These never fall, so 0 now was 0 then.
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
    // Changes of these are not recorded.
    case 'device':
    case 'subscription_group':
    case 'cohort':
      return undefined
  }
}

type TimeLeaf = Extract<Leaf, { kind: 'standard_time' | 'used_app' | 'last_message' }>

/** Returns whether all instants of the leaf are at or before the moment, so that they were the same then. */
function isBefore(leaf: TimeLeaf, { facts, atMs }: PastFacts): boolean {
  return instantsOf(leaf, facts).every((ms) => ms <= atMs)
}

/** Returns facts without the first time of the leaf, which is after the moment. Returns undefined for other times. */
function beforeFirst(leaf: TimeLeaf, facts: Facts): FactsAt | undefined {
  if (leaf.kind === 'standard_time' && leaf.field === 'date_of_first_session') {
    return { facts: withColumns(facts, { date_of_first_session: null }) }
  }
  if (leaf.kind !== 'used_app' || leaf.which !== 'first') return undefined
  if (leaf.app_id === undefined) return { facts: withColumns(facts, { date_of_first_session: null }) }
  return { facts: { ...facts, uses: new Map([...facts.uses, [leaf.app_id, { first: null, last: null }]]) } }
}

/** Returns the value of an attribute at the moment, and since when it had this value. Returns undefined when the value is not known. */
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
  const dateMs = typeof value === 'string' ? parseCustomDate(value) : undefined
  return {
    ...facts,
    custom: { ...facts.custom, [name]: value as Json },
    typed: dateMs === undefined ? typed : { ...typed, [name]: dateMs },
  }
}

function withColumns(facts: Facts, columns: object): Facts {
  return { ...facts, columns: { ...facts.columns, ...columns } }
}

/** Returns one sentence such as `not in segment: ...`, with the leaves that decided, or those that are not known. */
export function explanationSentence(explained: ExplanationAt, atMs: number, { zone = 'UTC' }: Wording = {}): string {
  const when = momentWords(atMs, zone)
  if (explained.holds) return `in segment on ${when}`
  const inputs = decidingLeaves(explained, explained.holds)
  if (explained.holds === null) {
    const conditions = inputs.map(({ condition }) => condition).join('; ')
    return `not known whether in segment on ${when}: what this person had then was not recorded yet, the rule asks: ${conditions}`
  }
  const reasons = inputs.map(({ condition, has }) => `${has} on ${when}, the rule asks: ${condition}`)
  return `not in segment: ${reasons.length === 0 ? 'nobody is' : reasons.join('; ')}`
}

/** Returns the leaves that decided a result. */
function decidingLeaves(explained: ExplanationAt, holds: boolean | null): LeafAt[] {
  if ('all' in explained) return decidingParts(explained.all, holds)
  if ('any' in explained) return decidingParts(explained.any, holds)
  if ('segment' in explained) return decidingLeaves(explained.segment, holds)
  if (!('not' in explained)) return [explained]
  const inside = decidingLeaves(explained.not, holds === null ? null : !holds)
  return inside.map((input) => ({ ...input, condition: `not (${input.condition})` }))
}

function decidingParts(nodes: readonly ExplanationAt[], holds: boolean | null): LeafAt[] {
  return nodes.filter((part) => part.holds === holds).flatMap((part) => decidingLeaves(part, holds))
}

function isoOf(ms: number | undefined): string | null {
  return ms === undefined ? null : iso(ms)
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
