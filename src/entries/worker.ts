import type { Db } from '../base/db/db.ts'
import { givingWay } from '../base/db/give-way.ts'
import { Failure } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { untilNobodyDeparts } from '../profiles/departed.ts'
import type { Entry } from './entry.ts'
import { moveEntries } from './move.ts'
import type { MoveParts } from './parts.ts'
import { type Lane, listDueLanes, lockDue, postponeEntries } from './store.ts'

export type WorkerParts = MoveParts & {
  readonly db: Db
  readonly log: Log
  /** Messages may have been queued. */
  onMoved(): void
}

/** Entries that are moved in one transaction. */
const batchMax = 500
/** An entry that cannot be moved because of a mistake of ours is tried again so much later, business time. */
const againMs = 3_600_000
/** Seconds that a transaction may stand still, its process being gone or hanging; then others have its entries. */
const settings = [...givingWay, "idle_in_transaction_session_timeout = '30s'"]

/**
 * Turns that move the entries that are due, a batch each: locked, moved and written in one transaction, so that a kill undoes it whole and
 * nothing is done twice. A batch that fails because of a mistake of ours is halved until the culprit stands alone, which is put off.
 */
export function openMoving(parts: WorkerParts): () => Promise<boolean> {
  const { db, log, clock, onMoved } = parts
  let size = batchMax
  let locked: readonly Entry[] = []
  return async () => {
    // Looking without finding costs no transaction.
    const due = await listDueLanes(db, clock.now())
    const lanes = sharesOf(due, size)
    if (lanes.length === 0) return false
    locked = []
    const [done] = await Promise.allSettled([
      untilNobodyDeparts(() =>
        db.transaction(
          async (tx) => {
            locked = await lockDue(tx, lanes, clock.now())
            await moveEntries(
              tx,
              locked.map((entry) => ({ entry, happening: { kind: 'due' } })),
              parts,
            )
          },
          { settings, numbered: true },
        ),
      ),
    ])
    if (done.status === 'fulfilled') {
      if (locked.length > 0) onMoved()
      const isFull = lanes.some(({ count }) => locked.length >= count)
      size = Math.min(2 * size, batchMax)
      return isFull || lanes.length < due.length
    }
    if (done.reason instanceof Failure || locked.length === 0) throw done.reason
    size = Math.ceil(Math.min(size, locked.length) / 2)
    const [culprit] = locked
    if (locked.length > 1 || !culprit) return true
    const { entry_id, flow_id, step } = culprit
    log.error({ err: done.reason, entry_id, flow_id, step }, 'an entry could not be moved and is put off')
    await postponeEntries(db, [culprit], clock.now() + againMs)
    return true
  }
}

/** Transactional entries before others, every workspace its share. */
function sharesOf(lanes: readonly Lane[], size: number): (Lane & { count: number })[] {
  const first = lanes.filter((lane) => lane.class === lanes[0]!.class)
  const count = Math.ceil(size / first.length)
  return first.map((lane) => ({ ...lane, count }))
}
