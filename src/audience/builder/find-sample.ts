import type { Call } from '../../base/call.ts'
import type { Db } from '../../base/db/db.ts'
import { Recent } from '../../base/work/recent.ts'
import { countInBuckets, countPeopleUpTo } from '../../people/search/count-store.ts'
import type { BucketRange } from '../conditions/joins-store.ts'
import type { Tree } from '../conditions/tree.ts'
import { sampleOf, sampleSizeFor, sampleWidth } from './estimate.ts'
import { countedPeopleMax } from './schema.ts'

/** A sample has about as many people in each bucket as these first ones. */
const firstBuckets = 64
/** The buckets of one statement. For one of the embedded database, other work waits. */
const countedAtOnce = { pglite: 8, postgres: firstBuckets } as const
/** How long these are remembered. To count them takes about as long as an estimate. */
const keptMs = 60_000
const workspacesMax = 1_000

type Density = { readonly people: number; readonly readMs: number }
/** The people in the first buckets of each large workspace. */
const densities = new WeakMap<Db, Recent<number, Density>>()

/** Returns the buckets in which people are counted for an estimate, or undefined when the workspace has few people: all are counted. */
export async function findSample(
  { db, clock }: Pick<Call, 'db' | 'clock'>,
  workspace_id: number,
  trees: readonly Tree[],
): Promise<BucketRange | undefined> {
  const known = densities.getOrInsertComputed(db, () => new Recent(workspacesMax))
  const nowMs = clock.elapsed()
  let density = known.get(workspace_id)
  if (!density || nowMs - density.readMs >= keptMs) {
    // Few people are not remembered: a workspace may have many a moment later.
    if ((await countPeopleUpTo(db, workspace_id, countedPeopleMax + 1)) <= countedPeopleMax) return undefined
    density = { people: await countFirst(db, workspace_id), readMs: nowMs }
    known.set(workspace_id, density)
  }
  return sampleOf(workspace_id, sampleWidth(density.people, firstBuckets, sampleSizeFor({ all: trees })))
}

async function countFirst(db: Db, workspace_id: number): Promise<number> {
  const { from, below } = sampleOf(workspace_id, firstBuckets)
  const width = countedAtOnce[db.backend]
  let people = 0
  for (let first = from; first < below; first += width) {
    const buckets = Array.from({ length: width }, (_, i) => first + i)
    people += await countInBuckets(db, workspace_id, buckets)
  }
  return people
}
