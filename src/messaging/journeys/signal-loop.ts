import type { Db } from '../../base/db/db.ts'
import { idleTimeout, indexScansOnly, shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { isUnavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { noteWork } from '../../base/telemetry.ts'
import { type Loop, openLoop, type Polls } from '../../base/work/loop.ts'
import { retryWhenRemoved } from '../../people/identity/retry-removed.ts'
import { hasSignals, retryFailed, setAside, signalProbe } from '../../people/signals/queue-store.ts'
import { laneCount } from '../../people/signals/signals.ts'
import { actOnPage, type SignalPage } from './act-on-signals.ts'
import { EntryTriggers } from './entry-triggers.ts'
import type { MoveServices } from './services.ts'

export type SignalLoopServices = MoveServices & {
  readonly db: Db
  readonly log: Log
  readonly poller?: Polls
  /** Called when signals were handled: entries may be due, and messages queued. */
  onActed?(): void
  /** Called with the number of signals that were handled. */
  onHandled?(count: number): void
  /** Called when a signal was set aside because of a defect. */
  onSetAside?(): void
}

/** Signals that one transaction handles. */
const pageMax = 1_000
const settings = [...shortLockTimeout, ...indexScansOnly, idleTimeout]
/** Other processes write signals too. */
const everyMs = 250

/**
 * Starts the loop that handles signals, lane by lane. A page that fails is halved until one signal is left, which is set aside so that the
 * others of its lane are handled. The next start tries it again.
 */
export function openSignals(services: SignalLoopServices): Loop {
  const { db, log, poller, onActed, onHandled, onSetAside } = services
  const triggers = new EntryTriggers()
  let from = 0
  let limit = pageMax
  let isFirst = true

  async function turn(): Promise<boolean> {
    if (isFirst) await retryFailed(db)
    isFirst = false
    if (!(await hasSignals(db))) return false
    let read: SignalPage | undefined
    const order = { from, limit, onRead: (page: SignalPage) => (read = page) }
    try {
      const page = await retryWhenRemoved(() =>
        db.transaction((tx) => actOnPage(tx, order, triggers, services), { settings }),
      )
      if (!page) return false
      from = (page.lane + 1) % laneCount
      limit = Math.min(limit * 2, pageMax)
      noteWork({ 'easel.signals': page.handled })
      onHandled?.(page.handled)
    } catch (error) {
      // A signal that cannot be handled must not stop the others of its lane.
      if (isUnavailable(error) || !read) throw error
      await halve(read, error)
      return true
    }
    onActed?.()
    return true
  }

  /** Lets the next turn take half as many of the same lane, or sets a single signal aside. */
  async function halve({ lane, signals }: SignalPage, error: unknown): Promise<void> {
    log.error({ err: error, signals: signals.length }, 'a page of signals could not be handled and is halved')
    from = lane
    limit = Math.ceil(signals.length / 2)
    const [culprit, ...more] = signals
    if (!culprit || more.length > 0) return
    await setAside(db, culprit)
    const { profile_id, kind, name } = culprit
    log.error({ profile_id, kind, name }, 'a signal is set aside until the next start')
    onSetAside?.()
    limit = pageMax
  }

  return openLoop({ name: 'journeys.signals', everyMs, poller, probe: signalProbe, turn }, log)
}
