import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { deleteTraffic, sumHours } from './traffic-store.ts'

const hourMs = 3_600_000
/** How long minutes are kept, in machine time: two days. */
export const minutesKeptMs = 48 * hourMs
/** How long hours are kept: 90 days. */
export const hoursKeptMs = 90 * 24 * hourMs
/** A process without its database writes late, so hours that were summed are summed again for a while. */
const lateMs = hourMs

/**
 * Returns the job that sums the minutes of past hours, and deletes what is older than it is kept. Its first run sums all minutes there are,
 * because nobody may have summed them while the service was stopped.
 */
export function keepTraffic(db: Db, clock: Pick<Clock, 'elapsed'>): () => Promise<void> {
  let summedMs = 0
  return async () => {
    const nowMs = clock.elapsed()
    const untilMs = Math.floor(nowMs / hourMs) * hourMs
    const firstMs = untilMs - minutesKeptMs
    // The first hour may have lost minutes already.
    await sumHours(db, Math.max(summedMs - lateMs, firstMs + hourMs), untilMs)
    summedMs = untilMs
    await deleteTraffic(db, firstMs, untilMs - hoursKeptMs)
  }
}
