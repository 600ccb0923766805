import type { Json } from '../../people/values/values.ts'
import { instantsOf, isTyped, leafHolds } from './evaluate.ts'
import { valuesAt } from './evaluate-value.ts'
import { columnOf, type Facts, insideOf, occurrenceKey } from './facts.ts'
import { leafWords, type Wording } from './sentence.ts'
import type { Leaf, Tree } from './tree.ts'

/**
 * Why somebody is meant or not: the tree once more, each part with its own answer. A condition says what is asked (`condition`) and what
 * this person has (`has`); of a nested segment `segment` is the tree that was put in.
 */
export type Explained = { readonly holds: boolean } & (
  | { readonly all: readonly Explained[] }
  | { readonly any: readonly Explained[] }
  | { readonly not: Explained }
  | { readonly condition: string; readonly has: string }
  | { readonly condition: string; readonly segment: Explained }
)

const shownCharactersMax = 200
const shownValuesMax = 10

/** The answer of `holds`, part by part, in the words of `wording`. Pure. */
export function explain(tree: Tree, facts: Facts, nowMs: number, wording: Wording = {}): Explained {
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
  const condition = leafWords(tree, wording)
  if (tree.kind === 'segment') {
    const segment = part(insideOf(tree))
    return { holds: segment.holds, condition, segment }
  }
  return { holds: leafHolds(tree, facts, nowMs), condition, has: ownWords(tree, facts) }
}

/** What this person has of that which a condition asks about. */
function ownWords(leaf: Exclude<Leaf, { kind: 'segment' }>, facts: Facts): string {
  switch (leaf.kind) {
    case 'custom_attribute': {
      const values = listed(valuesAt(facts.custom, leaf.path))
      const [readMs] = isTyped(leaf) ? instantsOf(leaf, facts) : []
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
    case 'occurrences': {
      const happened = facts.occurrences.get(occurrenceKey(leaf.what))
      return happened ? `${timesText(happened.count)}, last on ${instantText(happened.last)}` : 'never'
    }
    case 'total_revenue':
    case 'session_count':
    case 'random_bucket':
      return String(columnOf(facts, leaf.kind))
  }
}

function listed(values: readonly (Json | null)[]): string {
  const shown = values.filter((value) => value !== null).map((value) => cut(JSON.stringify(value)))
  if (shown.length === 0) return 'not set'
  const more = shown.length - shownValuesMax
  return [...shown.slice(0, shownValuesMax), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

function cut(text: string): string {
  if (text.length <= shownCharactersMax) return text
  return `${text.slice(0, shownCharactersMax).toWellFormed()}...`
}

function instantText(ms: number): string {
  return new Date(ms).toISOString()
}

function timesText(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
