import { evaluate } from '../../audience/conditions/evaluate.ts'
import { explain } from '../../audience/conditions/explain.ts'
import { type Facts, needsOf } from '../../audience/conditions/facts.ts'
import { eachFacts } from '../../audience/conditions/load-facts-store.ts'
import { describeTree } from '../../audience/conditions/sentence.ts'
import type { Tree } from '../../audience/conditions/tree.ts'
import type { Tx } from '../../base/db/db.ts'
import { stateOf } from '../../people/confirmations/confirmation.ts'
import { listConfirmationsOf, type OwnConfirmation } from '../../people/confirmations/confirmation-store.ts'
import type { Person } from '../../people/identity/person.ts'
import { notConfirmed } from '../ledger/not-confirmed.ts'
import type { DecisionReason } from '../ledger/reasons.ts'

/** The rule of a refusal when the segment was deleted. */
export const segmentDeleted = 'The segment was deleted'

export type Excluded = { readonly person: Person; readonly refused: DecisionReason }

/**
 * Returns why people are not in a segment or an audience, by their current facts. A person who was removed meanwhile is missing. Empty
 * without a tree.
 */
export async function explainExclusion(
  tx: Tx,
  workspace_id: number,
  reason: 'not_in_segment' | 'not_in_audience',
  tree: Tree | undefined,
  people: readonly Person[],
  nowMs: number,
): Promise<Excluded[]> {
  if (!tree || people.length === 0) return []
  const rule = describeTree(tree)
  const as_of = new Date(nowMs).toISOString()
  const excluded: Excluded[] = []
  const needs = needsOf(tree)
  const asked = needs.groups.size > 0 ? await listConfirmationsOf(tx, people) : []
  const pending = Map.groupBy(
    asked.filter((each) => stateOf(each, nowMs) === 'pending'),
    ({ profile_id }) => profile_id,
  )
  for await (const facts of eachFacts(tx, workspace_id, people, needs, nowMs)) {
    for (const one of facts) {
      const because = explain(tree, one, nowMs)
      const waiting = decidingConfirmation(tree, one, pending.get(one.person.profile_id) ?? [], nowMs)
      const refused = waiting ? notConfirmed(waiting, { as_of, because }) : { reason, rule, inputs: { as_of, because } }
      excluded.push({ person: one.person, refused })
    }
  }
  return excluded
}

/** Returns the confirmation after which the person would match; undefined when none would be enough. Pure. */
function decidingConfirmation(
  tree: Tree,
  facts: Facts,
  pending: readonly OwnConfirmation[],
  nowMs: number,
): OwnConfirmation | undefined {
  return pending.find(({ subscription_group_id: id }) => {
    const groups = new Map([...facts.groups, [id, 'subscribed'] as const])
    return evaluate(tree, { ...facts, groups }, nowMs)
  })
}
