import type { Db } from '../../base/db/db.ts'
import type { Log } from '../../base/log.ts'
import { openLoop, type Polls } from '../../base/work/loop.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { numberAll } from './number-events.ts'
import { feedTurnProbe } from './number-store.ts'
import { FeedWaiters } from './waiters.ts'

export type FeedServices = {
  readonly db: Db
  readonly log: Log
  readonly wakeups: Wakeups
  readonly poller?: Polls
  /** False when another process gives positions. */
  readonly works: boolean
  /** Called with the number of events that got a position. */
  readonly onNumbered?: (count: number) => void
}

/** The feeds of all workspaces. */
export type Feed = {
  readonly waiters: FeedWaiters
  failing(): string[]
  close(): Promise<void>
}

const everyMs = 500

/** Opens the loop that gives events their positions, and what wakes readers in this process. */
export function openFeed({ db, log, wakeups, poller, works, onNumbered }: FeedServices): Feed {
  const waiters = new FeedWaiters()
  if (!works) return { waiters, failing: () => [], close: async () => waiters.close() }
  async function turn(): Promise<boolean> {
    const { workspaces, count, more } = await numberAll(db)
    if (workspaces.length > 0) {
      onNumbered?.(count)
      waiters.wake(workspaces)
      wakeups.wake('webhooks')
    }
    return more
  }
  const loop = openLoop({ name: 'feed.number', everyMs, poller, probe: feedTurnProbe, turn }, log)
  return {
    waiters,
    failing: () => (loop.failing() ? [loop.name] : []),
    async close() {
      waiters.close()
      await loop.close()
    },
  }
}
