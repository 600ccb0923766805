import type { Json } from '../../people/values/values.ts'
import { evaluateLeaf, instantsOf, isDateAttribute } from './evaluate.ts'
import { valuesAt } from './evaluate-value.ts'
import { cohortKey, columnOf, type Facts, historyKey } from './facts.ts'
import { describeLeaf, type Wording } from './sentence.ts'
import { type Leaf, nestedTree, type Tree } from './tree.ts'

/**
 * Why a tree selects a person or not: the tree again, with a result for each node. A leaf has its sentence (`condition`) and what this
 * person has (`has`); a nested segment has its tree in `segment`.
 */
export type Explanation = { readonly holds: boolean } & (
  | { readonly all: readonly Explanation[] }
  | { readonly any: readonly Explanation[] }
  | { readonly not: Explanation }
  | { readonly condition: string; readonly has: string }
  | { readonly condition: string; readonly segment: Explanation }
)

const valueCharactersMax = 200
const listedValuesMax = 10

/** Returns the result of `evaluate` for each node, in this wording. Pure. */
export function explain(tree: Tree, facts: Facts, nowMs: number, wording: Wording = {}): Explanation {
  const part = (child: Tree) => explain(child, facts, nowMs, wording)
  if ('all' in tree) {
    const all = tree.all.map(part)
    return { holds: all.every(({ holds }) => holds), all }
  }
  if ('any' in tree) {
    const any = tree.any.map(part)
    return { holds: any.some(({ holds }) => holds), any }
  }
  if ('not' in tree) {
    const not = part(tree.not)
    return { holds: !not.holds, not }
  }
  const condition = describeLeaf(tree, wording)
  if (tree.kind === 'segment') {
    const segment = part(nestedTree(tree))
    return { holds: segment.holds, condition, segment }
  }
  return { holds: evaluateLeaf(tree, facts, nowMs), condition, has: describeFacts(tree, facts) }
}

/** Returns in words what this person has for a leaf. */
function describeFacts(leaf: Exclude<Leaf, { kind: 'segment' }>, facts: Facts): string {
  switch (leaf.kind) {
    case 'custom_attribute': {
      const values = listed(valuesAt(facts.custom, leaf.path))
      const [readMs] = isDateAttribute(leaf) ? instantsOf(leaf, facts) : []
      return readMs === undefined ? values : `${values}, which is ${instantText(readMs)}`
    }
    case 'standard_attribute':
      return listed([columnOf(facts, leaf.field)])
    case 'device':
      return listed(facts.devices.map((device) => device[leaf.field]))
    case 'standard_time':
    case 'used_app':
    case 'last_message':
    case 'occurrence_time': {
      const [ms] = instantsOf(leaf, facts)
      return ms === undefined ? 'never' : instantText(ms)
    }
    case 'subscription_status':
      return columnOf(facts, `${leaf.channel}_subscribe`)
    case 'subscription_group':
      return facts.groups.get(leaf.subscription_group_id) ?? 'no state'
    case 'cohort':
      return facts.cohorts.has(cohortKey(leaf)) ? 'in the cohort' : 'not in the cohort'
    case 'occurrences': {
      const happened = facts.histories.get(historyKey(leaf.what))
      return happened ? `${timesText(happened.count)}, last on ${instantText(happened.last)}` : 'never'
    }
    case 'total_revenue':
    case 'session_count':
    case 'random_bucket':
      return String(columnOf(facts, leaf.kind))
  }
}

function listed(values: readonly (Json | null)[]): string {
  const texts = values.filter((value) => value !== null).map((value) => cut(JSON.stringify(value)))
  if (texts.length === 0) return 'not set'
  const more = texts.length - listedValuesMax
  return [...texts.slice(0, listedValuesMax), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

function cut(text: string): string {
  if (text.length <= valueCharactersMax) return text
  return `${text.slice(0, valueCharactersMax).toWellFormed()}...`
}

function instantText(ms: number): string {
  return new Date(ms).toISOString()
}

function timesText(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
