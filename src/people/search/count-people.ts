import { bucketCount } from '../../base/db/buckets.ts'
import type { Tx } from '../../base/db/db.ts'
import { countInBuckets, countPeopleUpTo } from './count-store.ts'

/** So many people are counted one by one. */
export const countedMax = 20_000
/** Buckets that are counted to find out how many a good estimate takes. */
const firstBuckets = 8
/** An estimate counts about so many people: it is off by 1% at most nearly always. */
const sampledPeople = 20_000

export type PeopleCount = { count: number; is_estimate: boolean }

/** Counts the people of a workspace. Of many, only those in some buckets are counted: buckets are filled by a hash. */
export async function countPeople(tx: Tx, workspace_id: number): Promise<PeopleCount> {
  const counted = await countPeopleUpTo(tx, workspace_id, countedMax + 1)
  if (counted <= countedMax) return { count: counted, is_estimate: false }
  const first = await countInBuckets(tx, workspace_id, spread(firstBuckets))
  const wanted = Math.min(Math.ceil((sampledPeople * firstBuckets) / Math.max(first, 1)), bucketCount)
  const sample = Math.max(wanted, firstBuckets)
  const found = sample === firstBuckets ? first : await countInBuckets(tx, workspace_id, spread(sample))
  return { count: rounded(Math.max((found * bucketCount) / sample, counted)), is_estimate: true }
}

/** Returns so many buckets at equal distances. Pure. */
function spread(count: number): number[] {
  return Array.from({ length: count }, (_, i) => Math.floor((i * bucketCount) / count))
}

/** An estimate has three digits that mean something. Pure. */
function rounded(count: number): number {
  const unit = 10 ** Math.max(Math.floor(Math.log10(count)) - 2, 0)
  return Math.round(count / unit) * unit
}
