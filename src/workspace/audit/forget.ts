import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { timeBefore } from '../settings/duration.ts'
import type { AuditKind } from './kinds.ts'
import { deleteAuditRows, findFirstIdSince, findIdAbove } from './store.ts'

/** How long rows of a kind are kept, as an ISO 8601 duration, and how many of them. */
export type AuditLimits = { readonly kept: string; readonly rowsMax: number }

/** Accesses and refusals are kept for a shorter time than changes, and the oldest go first when there are too many. */
export const accessKept = 'P90D'
export const accessRowsMax = 500_000
export const refusalKept = 'P30D'
export const refusalRowsMax = 100_000
const batchRowsMax = 5_000

/** Deletes audit rows that are too old or too many. Ends after a batch when `stopping` is aborted. */
export async function forgetAudit(db: Db, clock: Clock, changesKept: string, stopping: AbortSignal): Promise<void> {
  await forgetKind(db, clock, 'change', { kept: changesKept, rowsMax: Number.POSITIVE_INFINITY }, stopping)
  await forgetKind(db, clock, 'access', { kept: accessKept, rowsMax: accessRowsMax }, stopping)
  await forgetKind(db, clock, 'refusal', { kept: refusalKept, rowsMax: refusalRowsMax }, stopping)
}

export async function forgetKind(
  db: Db,
  clock: Clock,
  kind: AuditKind,
  { kept, rowsMax }: AuditLimits,
  stopping: AbortSignal,
): Promise<void> {
  const sinceMs = Math.max(0, timeBefore(clock.now(), kept))
  // Rows are written in the order of their times, so that an id stands for a time.
  const byAge = await findFirstIdSince(db, sinceMs)
  const byCount = Number.isFinite(rowsMax) ? await findIdAbove(db, kind, rowsMax) : undefined
  for (const beforeId of [byAge, byCount]) {
    if (beforeId === undefined) continue
    while (!stopping.aborted && (await deleteAuditRows(db, kind, beforeId, batchRowsMax)) === batchRowsMax);
  }
}
