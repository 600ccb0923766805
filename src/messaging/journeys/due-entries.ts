import type { Db, Tx } from '../../base/db/db.ts'
import { idleTimeout, indexScansOnly, shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { isUnavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { noteWork } from '../../base/telemetry.ts'
import { retryWhenRemoved } from '../../people/identity/retry-removed.ts'
import type { Entry } from '../entries/entry.ts'
import { type DueWindow, listDueEntryLanes, lockDueEntries, postponeEntries } from '../entries/entry-store.ts'
import type { Lane } from '../messages/message.ts'
import { moveEntries } from './move-entries.ts'
import type { MoveServices } from './services.ts'

export type DueEntryServices = MoveServices & {
  readonly db: Db
  readonly log: Log
  /** Called when messages may have been queued. */
  onMoved(): void
  /** Called with the number of entries that were moved. */
  onEntriesMoved?(count: number): void
}

/** Entries that one transaction moves. */
const batchMax = 500
/**
 * Successive turns that start reading where the previous turn did. The next turn reads from the beginning again, because an entry may have
 * become due earlier.
 */
const continuedMax = 20
/** Entries of a lane that are read after a slow read: many belong to people with signals that must be handled first. */
const limitedCount = 4_000
/** The duration of a slow read, and for how many times its duration the next reads are limited. */
const slowMs = 200
const limitedTimes = 10
/** An entry that cannot be moved because of a defect is retried after this business time. */
const againMs = 3_600_000
const settings = [...shortLockTimeout, ...indexScansOnly, idleTimeout]

/**
 * Returns turns that move due entries, one batch each. A batch is locked, moved and written in one transaction, so that a kill undoes all
 * of it. A batch that fails because of a defect is halved until one entry is left, which is postponed.
 */
export function openDueEntries(services: DueEntryServices): () => Promise<boolean> {
  const { db, log, clock, onMoved, onEntriesMoved } = services
  let size = batchMax
  let locked: readonly Entry[] = []
  // Moved entries leave dead rows at the beginning of the index, which every read from there must pass.
  let fromMs = 0
  let turns = 0
  const limit = new ReadLimit(clock)
  return async () => {
    const isContinued = fromMs > 0
    const when = { fromMs, nowMs: clock.now() }
    fromMs = 0
    // A check without a transaction is cheaper when nothing is due.
    const due = await listDueEntryLanes(db, when)
    if (due.length === 0) return isContinued
    let isFull = false
    locked = []
    try {
      await retryWhenRemoved(() =>
        db.transaction(
          async (tx) => {
            ;({ locked, isFull } = await lockFirst(tx, due, size, when, limit))
            await moveEntries(
              tx,
              locked.map((entry) => ({ entry, happening: { kind: 'due' } })),
              services,
            )
          },
          { settings },
        ),
      )
    } catch (error) {
      // An entry that cannot be moved must not stop the others.
      if (isUnavailable(error) || locked.length === 0) throw error
      size = Math.ceil(Math.min(size, locked.length) / 2)
      const [culprit] = locked
      if (locked.length > 1 || !culprit) return true
      const { entry_id, flow_id, step } = culprit
      log.error({ err: error, entry_id, flow_id, step }, 'an entry could not be moved and is postponed')
      await postponeEntries(db, [culprit], clock.now(), clock.now() + againMs)
      return true
    }
    if (locked.length > 0) {
      noteWork({ 'easel.entries': locked.length })
      onEntriesMoved?.(locked.length)
      onMoved()
    }
    size = Math.min(2 * size, batchMax)
    if (isFull && ++turns % continuedMax > 0) fromMs = Math.min(...locked.map(({ dueMs = 0 }) => dueMs))
    return isFull || isContinued
  }
}

/** Limits how many entries of a lane are read for a while after a slow read. */
class ReadLimit {
  readonly #clock: DueEntryServices['clock']
  #allFromMs = 0

  constructor(clock: DueEntryServices['clock']) {
    this.#clock = clock
  }

  async run<T>(work: (readMax: number | undefined) => Promise<T>): Promise<T> {
    const fromMs = this.#clock.elapsed()
    const result = await work(fromMs < this.#allFromMs ? limitedCount : undefined)
    const nowMs = this.#clock.elapsed()
    const tookMs = nowMs - fromMs
    if (tookMs > slowMs) this.#allFromMs = Math.max(this.#allFromMs, nowMs + limitedTimes * tookMs)
    return result
  }
}

/**
 * Locks due entries, transactional ones first and each workspace its share. If nothing of a class can be locked now, because other workers
 * have the rows or signals come first, the next class is tried. `isFull`: there may be more.
 */
async function lockFirst(
  tx: Tx,
  due: readonly Lane[],
  size: number,
  when: DueWindow,
  limit: ReadLimit,
): Promise<{ locked: readonly Entry[]; isFull: boolean }> {
  const classes = [...Map.groupBy(due, (lane) => lane.class).values()]
  for (const [i, lanes] of classes.entries()) {
    const count = Math.ceil(size / lanes.length)
    const shares = lanes.map((lane) => ({ ...lane, count }))
    const locked = await limit.run((readMax) => lockDueEntries(tx, shares, when, readMax))
    if (locked.length > 0) return { locked, isFull: locked.length >= count || i + 1 < classes.length }
  }
  return { locked: [], isFull: false }
}
