import type { Db } from '../../base/db/db.ts'
import { idleTimeout, indexScansOnly, shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { isUnavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { type Loop, openLoop } from '../../base/work/loop.ts'
import { retryWhenRemoved } from '../../people/identity/retry-removed.ts'
import { hasSignals, retryFailed, setAside } from '../../people/signals/queue-store.ts'
import { laneCount } from '../../people/signals/signals.ts'
import { actOnPage, type SignalPage } from './act-on-signals.ts'
import { EntryTriggers } from './entry-triggers.ts'
import type { MoveServices } from './services.ts'

export type SignalLoopServices = MoveServices & {
  readonly db: Db
  readonly log: Log
  /** Something was acted upon: entries may be due, and messages queued. */
  onActed?(): void
  /** So many signals are done with. */
  onHeeded?(count: number): void
  /** A signal was set aside: our mistake. */
  onSetAside?(): void
}

/** Signals that one transaction acts upon, at most. */
const pageMax = 1_000
const settings = [...shortLockTimeout, ...indexScansOnly, idleTimeout]
/** Other processes write signals too. */
const everyMs = 250

/**
 * Starts the loop that acts upon what has happened, lane by lane. A page that the database refuses is halved until the culprit stands
 * alone, which is set aside, so that others of its lane go on; the next process tries it again.
 */
export function openSignals(parts: SignalLoopServices): Loop {
  const { db, log, onActed, onHeeded, onSetAside } = parts
  const doors = new EntryTriggers()
  let from = 0
  let limit = pageMax
  let isFirst = true

  async function turn(): Promise<boolean> {
    if (isFirst) await retryFailed(db)
    isFirst = false
    if (!(await hasSignals(db))) return false
    const taken: SignalPage[] = []
    const order = { from, limit, began: (page: SignalPage) => taken.push(page) }
    const [acted] = await Promise.allSettled([
      retryWhenRemoved(() =>
        db.transaction((tx) => actOnPage(tx, order, doors, parts), { settings, assignTransactionId: true }),
      ),
    ])
    if (acted.status === 'rejected') {
      const page = taken.at(-1)
      if (isUnavailable(acted.reason) || !page) throw acted.reason
      await tryApart(page, acted.reason)
      return true
    }
    if (!acted.value) return false
    from = (acted.value.lane + 1) % laneCount
    limit = Math.min(limit * 2, pageMax)
    onHeeded?.(acted.value.heeded)
    onActed?.()
    return true
  }

  /** The next turn takes half as many of the same lane; one alone is set aside. */
  async function tryApart({ lane, signals }: SignalPage, error: unknown): Promise<void> {
    log.error({ err: error, signals: signals.length }, 'a page of signals cannot be acted upon; they are tried apart')
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

  return openLoop({ name: 'entries.signals', everyMs, turn }, log)
}
