import type { Json } from '../../people/values/values.ts'
import {
  isPresence,
  isTimeTest,
  numberHolds,
  presenceHolds,
  timeHolds,
  valueHolds,
  valuesAt,
} from './evaluate-value.ts'
import { cohortKey, columnOf, type Facts, historyKey } from './facts.ts'
import { type Leaf, nestedTree, type Presence, type TimeTest, type Tree, type ValueTest } from './tree.ts'

/** Returns whether a tree selects a person at a moment. Pure. The result is the same as with the SQL of `to-sql-store.ts`. */
export function evaluate(tree: Tree, facts: Facts, nowMs: number): boolean {
  if ('all' in tree) return tree.all.every((child) => evaluate(child, facts, nowMs))
  if ('any' in tree) return tree.any.some((child) => evaluate(child, facts, nowMs))
  if ('not' in tree) return !evaluate(tree.not, facts, nowMs)
  return evaluateLeaf(tree, facts, nowMs)
}

/** Returns whether one leaf holds. */
export function evaluateLeaf(leaf: Leaf, facts: Facts, nowMs: number): boolean {
  switch (leaf.kind) {
    case 'custom_attribute':
      return isDateAttribute(leaf)
        ? timeHolds(leaf.test, instantsOf(leaf, facts), nowMs)
        : valueHolds(leaf.test, valuesAt(facts.custom, leaf.path), nowMs)
    case 'standard_attribute':
      return valueHolds(leaf.test, withoutNull([columnOf(facts, leaf.field)]), nowMs)
    case 'device':
      return valueHolds(leaf.test, withoutNull(facts.devices.map((device) => device[leaf.field])), nowMs)
    case 'standard_time':
    case 'used_app':
    case 'last_message':
    case 'occurrence_time':
      return momentHolds(leaf.test, instantsOf(leaf, facts), nowMs)
    case 'subscription_status':
      return (columnOf(facts, `${leaf.channel}_subscribe`) === leaf.state) === leaf.is
    case 'subscription_group':
      return facts.groups.get(leaf.subscription_group_id) === leaf.state
    case 'cohort':
      return facts.cohorts.has(cohortKey(leaf))
    case 'occurrences':
      return numberHolds(leaf.times, [facts.histories.get(historyKey(leaf.what))?.count ?? 0])
    case 'total_revenue':
    case 'random_bucket':
      return numberHolds(leaf.test, [columnOf(facts, leaf.kind)])
    case 'session_count':
      return numberHolds(leaf.test, [columnOf(facts, leaf.kind)]) && !(leaf.onlyWithSessions && hasNoSession(facts))
    case 'segment':
      return evaluate(nestedTree(leaf), facts, nowMs)
  }
}

type TimeLeaf = Extract<Leaf, { kind: 'standard_time' | 'used_app' | 'last_message' | 'occurrence_time' }>
type DateAttributeLeaf = Extract<Leaf, { kind: 'custom_attribute' }> & { readonly test: TimeTest }

/**
 * Returns whether a leaf tests a custom attribute whose date was parsed when it was written. Dates inside nested attributes are parsed when
 * they are evaluated.
 */
export function isDateAttribute(leaf: Leaf): leaf is DateAttributeLeaf {
  return leaf.kind === 'custom_attribute' && leaf.path.length === 1 && isTimeTest(leaf.test as ValueTest)
}

/** Returns the instants of a person that a leaf about time tests. */
export function instantsOf(leaf: TimeLeaf | DateAttributeLeaf, facts: Facts): number[] {
  switch (leaf.kind) {
    case 'custom_attribute': {
      const [name] = leaf.path
      return Object.hasOwn(facts.typed, name) ? [facts.typed[name]!] : []
    }
    case 'standard_time':
      return toMs(columnOf(facts, leaf.field))
    case 'used_app':
      if (leaf.app_id === undefined) return toMs(columnOf(facts, `date_of_${leaf.which}_session`))
      return withoutNull([facts.uses.get(leaf.app_id)?.[leaf.which] ?? null])
    case 'last_message': {
      if (leaf.channel !== undefined) return withoutNull([facts.receivedMs.get(leaf.channel) ?? null])
      return facts.receivedMs.size === 0 ? [] : [Math.max(...facts.receivedMs.values())]
    }
    case 'occurrence_time':
      return withoutNull([facts.histories.get(historyKey(leaf.what))?.[leaf.which] ?? null])
  }
}

function momentHolds(test: TimeTest | Presence, instantsMs: readonly number[], nowMs: number): boolean {
  return isPresence(test) ? presenceHolds(test, instantsMs) : timeHolds(test, instantsMs, nowMs)
}

function withoutNull<V extends Json>(values: readonly (V | null)[]): V[] {
  return values.filter((value) => value !== null)
}

function toMs(at: Date | null): number[] {
  return at === null ? [] : [at.getTime()]
}

function hasNoSession(facts: Facts): boolean {
  return columnOf(facts, 'session_count') === 0
}
