import { explain } from '../../audience/conditions/explain.ts'
import { needsOf } from '../../audience/conditions/facts.ts'
import { eachFacts } from '../../audience/conditions/load-facts-store.ts'
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
  const rule = describeTree(tree)
  const as_of = new Date(nowMs).toISOString()
  const excluded: Excluded[] = []
  for await (const facts of eachFacts(tx, workspace_id, people, needsOf(tree), nowMs)) {
    for (const one of facts) {
      const inputs = { as_of, because: explain(tree, one, nowMs) }
      excluded.push({ person: one.person, refused: { reason, rule, inputs } })
    }
  }
  return excluded
}
