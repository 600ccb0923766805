import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db } from '../../base/db/db.ts'
import { evaluate } from './evaluate.ts'
import { type Facts, needsOf } from './facts.ts'
import type { BucketRange } from './joins-store.ts'
import { eachFacts, loadedMax } from './load-facts-store.ts'
import { eachPage, eachTurn, longQuery, scopeOf } from './select-people.ts'
import { countParts } from './select-people-store.ts'
import { partsToSql, type SqlScope } from './to-sql-store.ts'
import type { Tree } from './tree.ts'

/** The most people that are evaluated in one turn of the event loop. */
const evaluatedMax = 25
/** The people whose facts one statement loads. For those of the embedded database, other work waits. */
const loadedAtOnce = { pglite: 250, postgres: loadedMax } as const
const everybody: Tree = { all: [] }

/**
 * Counts the people that each of these trees selects, among all people of a workspace or those of some buckets. Each person is read once
 * for all trees. The counts have the order of the trees.
 */
export async function countEach(
  db: Db,
  workspace_id: number,
  trees: readonly Tree[],
  nowMs: number,
  buckets?: BucketRange,
): Promise<number[]> {
  const scope = await scopeOf(db, workspace_id, { all: trees }, nowMs)
  const whole = partsToSql(trees, buckets ? { ...scope, buckets } : scope)
  if (!whole) return countEvaluated(db, scope, trees, buckets)
  if (db.backend === 'postgres') {
    return longQuery(db, (tx) => countParts(tx, workspace_id, whole, buckets && { buckets }))
  }
  const counts = trees.map(() => 0)
  // The embedded database counts in short statements, between which other work runs.
  const turns = eachTurn(db, trees[0]!, scope, buckets ? { buckets } : {}, async (tx, _, range) => {
    const where = partsToSql(trees, { ...scope, buckets: range.buckets })!
    return { value: await countParts(tx, workspace_id, where, range), filled: false, few: true }
  })
  for await (const some of turns) for (const [i, count] of some.entries()) counts[i]! += count
  return counts
}

async function countEvaluated(
  db: Db,
  scope: SqlScope,
  trees: readonly Tree[],
  buckets: BucketRange | undefined,
): Promise<number[]> {
  const { workspace_id, nowMs } = scope
  const counts = trees.map(() => 0)
  const needs = needsOf({ all: trees })
  for await (const people of eachPage(db, everybody, scope, {
    ...(buckets && { buckets }),
    limit: loadedAtOnce[db.backend],
  })) {
    for await (const facts of eachFacts(db, workspace_id, people, needs, nowMs))
      await addCounts(counts, trees, facts, nowMs)
  }
  return counts
}

async function addCounts(
  counts: number[],
  trees: readonly Tree[],
  facts: readonly Facts[],
  nowMs: number,
): Promise<void> {
  for (const [i, one] of facts.entries()) {
    if (i % evaluatedMax === evaluatedMax - 1) await nextTurn()
    for (const [part, tree] of trees.entries()) if (evaluate(tree, one, nowMs)) counts[part]!++
  }
}
