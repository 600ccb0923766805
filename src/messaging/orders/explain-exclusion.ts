import { explain } from '../../audience/conditions/explain.ts'
import { needsOf } from '../../audience/conditions/facts.ts'
import { loadFacts } from '../../audience/conditions/facts-store.ts'
import { describeTree } from '../../audience/conditions/sentence.ts'
import type { Tree } from '../../audience/conditions/tree.ts'
import type { Tx } from '../../base/db/db.ts'
import type { Person } from '../../people/identity/person.ts'
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
  const facts = await loadFacts(tx, workspace_id, people, needsOf(tree), nowMs)
  const rule = describeTree(tree)
  const as_of = new Date(nowMs).toISOString()
  return facts.map((one) => {
    const inputs = { as_of, because: explain(tree, one, nowMs) }
    return { person: one.person, refused: { reason, rule, inputs } }
  })
}
