import type { Db, Tx } from '../../base/db/db.ts'
import { idleTimeout, indexScansOnly, shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { isUnavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { retryWhenRemoved } from '../../people/identity/retry-removed.ts'
import type { Entry } from '../entries/entry.ts'
import { type DueWindow, listDueEntryLanes, lockDueEntries, postponeEntries } from '../entries/entry-store.ts'
import type { Lane } from '../messages/message.ts'
import { moveEntries } from './move-entries.ts'
import type { MoveServices } from './services.ts'

export type DueEntryServices = MoveServices & {
  readonly db: Db
  readonly log: Log
  /** Messages may have been queued. */
  onMoved(): void
}

/** Entries that are moved in one transaction. */
const batchMax = 500
/** Turns that go on where the one before began; then all is looked at again, because something may have fallen due earlier. */
const onwardMax = 20
/** Of a lane so many are looked at after a look that took long: many have done something that is to be acted upon first. */
const aheadMax = 4_000
/** Such a look, and for how many times as long all are not looked at again. */
const longMs = 200
const restTimes = 10
/** An entry that cannot be moved because of a mistake of ours is tried again so much later, business time. */
const againMs = 3_600_000
const settings = [...shortLockTimeout, ...indexScansOnly, idleTimeout]

/**
 * Turns that move the entries that are due, a batch each: locked, moved and written in one transaction, so that a kill undoes it whole and
 * nothing is done twice. A batch that fails because of a mistake of ours is halved until the culprit stands alone, which is put off.
 */
export function openDueEntries(parts: DueEntryServices): () => Promise<boolean> {
  const { db, log, clock, onMoved } = parts
  let size = batchMax
  let locked: readonly Entry[] = []
  // Those that were moved leave their traces at the beginning of the index, all of which a look from there would pass.
  let fromMs = 0
  let turns = 0
  const look = new Look(clock)
  return async () => {
    const isPart = fromMs > 0
    const when = { fromMs, nowMs: clock.now() }
    fromMs = 0
    // Looking without finding costs no transaction.
    const due = await listDueEntryLanes(db, when)
    if (due.length === 0) return isPart
    let isFull = false
    locked = []
    const [done] = await Promise.allSettled([
      retryWhenRemoved(() =>
        db.transaction(
          async (tx) => {
            ;({ locked, isFull } = await lockFirst(tx, due, size, when, look))
            await moveEntries(
              tx,
              locked.map((entry) => ({ entry, happening: { kind: 'due' } })),
              parts,
            )
          },
          { settings, assignTransactionId: true },
        ),
      ),
    ])
    if (done.status === 'fulfilled') {
      if (locked.length > 0) onMoved()
      size = Math.min(2 * size, batchMax)
      if (isFull && ++turns % onwardMax > 0) fromMs = Math.min(...locked.map(({ dueMs = 0 }) => dueMs))
      return isFull || isPart
    }
    if (isUnavailable(done.reason) || locked.length === 0) throw done.reason
    size = Math.ceil(Math.min(size, locked.length) / 2)
    const [culprit] = locked
    if (locked.length > 1 || !culprit) return true
    const { entry_id, flow_id, step } = culprit
    log.error({ err: done.reason, entry_id, flow_id, step }, 'an entry could not be moved and is put off')
    await postponeEntries(db, [culprit], clock.now(), clock.now() + againMs)
    return true
  }
}

/** How many are looked at: all, unless that took long a short while ago. */
class Look {
  readonly #clock: DueEntryServices['clock']
  #allFromMs = 0

  constructor(clock: DueEntryServices['clock']) {
    this.#clock = clock
  }

  async at<T>(work: (ahead: number | undefined) => Promise<T>): Promise<T> {
    const fromMs = this.#clock.elapsed()
    const looked = await work(fromMs < this.#allFromMs ? aheadMax : undefined)
    const nowMs = this.#clock.elapsed()
    const tookMs = nowMs - fromMs
    if (tookMs > longMs) this.#allFromMs = Math.max(this.#allFromMs, nowMs + restTimes * tookMs)
    return looked
  }
}

/**
 * Transactional entries before others, every workspace its share. Of a class of which nobody can be moved now, because others are at them
 * or something happened first, nobody waits. `isFull`: there may be more.
 */
async function lockFirst(
  tx: Tx,
  due: readonly Lane[],
  size: number,
  when: DueWindow,
  look: Look,
): Promise<{ locked: readonly Entry[]; isFull: boolean }> {
  const classes = [...Map.groupBy(due, (lane) => lane.class).values()]
  for (const [i, lanes] of classes.entries()) {
    const count = Math.ceil(size / lanes.length)
    const shares = lanes.map((lane) => ({ ...lane, count }))
    const locked = await look.at((ahead) => lockDueEntries(tx, shares, when, ahead))
    if (locked.length > 0) return { locked, isFull: locked.length >= count || i + 1 < classes.length }
  }
  return { locked: [], isFull: false }
}
