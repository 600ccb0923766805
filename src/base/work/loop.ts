import type { Sql } from '../db/sql.ts'
import type { Log } from '../log.ts'
import { asRound } from '../telemetry.ts'

/** What is asked to learn whether a loop has work. */
export type Poll = {
  /**
   * Returns a statement that has a row when there may be work now or, if nothing is written meanwhile, at any time in the next `aheadMs` by
   * either reading of the clock. It always has the same text and no order, and only reads.
   */
  probe(aheadMs: number): Sql
  wake(): void
}

/** Asks the polls of all loops together: `poller.ts`. */
export type Polls = {
  /** How many polls there are. */
  readonly size: number
  /** Returns the function that removes the poll. */
  add(poll: Poll): () => void
}

export type LoopOptions = {
  /** The name in logs and metrics, such as `dispatch.claim`. */
  name: string
  /** Milliseconds of machine time after which an idle loop takes a turn by itself. Without it, the loop only takes turns when woken. */
  everyMs?: number
  /** With a poller, the loop is woken when its probe has a row. It takes a turn by itself only every `unpolledMs`. */
  poller?: Polls | undefined
  probe?: Poll['probe']
  /** Does some work. Returns whether there may be more to do at once. A long turn ends early when `stopping` is aborted. */
  turn(stopping: AbortSignal): Promise<boolean>
}

export type Loop = {
  readonly name: string
  /** Tells the loop that there is work. It takes a turn at once, unless the last turn failed. */
  wake(): void
  /** Wakes the loop. Resolves after a turn that began after the call, failed or not, or when the loop is closed. */
  nextTurn(): Promise<void>
  /** Whether the last turn failed. */
  failing(): boolean
  /** Aborts `stopping` for the turn in progress, waits for its end and stops. */
  close(): Promise<void>
}

/** After this time a loop takes a turn although its probe has found nothing, in case that the probe knows less than the turn. */
const unpolledMs = 60_000
/** How much later than that of the one before: together they would open many sessions, which are closed until the next time. */
const staggerMs = 250
const retryMsMin = 50
const retryMsMax = 5_000

/**
 * Starts a loop of turns, never two at once. With `everyMs` the first turn begins at once. After a failed turn the pauses grow; only
 * the first failure in a row is logged.
 */
export function openLoop(options: LoopOptions, log: Log): Loop {
  const { name, turn } = options
  const { everyMs, stopPolling } = startPolling(options, wake)
  const stop = new AbortController()
  let waiting: (() => void)[] = []
  let isWoken = false
  let failures = 0
  const pause = openPause()

  async function run(): Promise<void> {
    if (everyMs === undefined) await pause.take(Number.POSITIVE_INFINITY)
    while (!stop.signal.aborted) {
      isWoken = false
      const served = waiting
      waiting = []
      const pauseMs = await takeTurn()
      for (const done of served) done()
      const isCalled = stop.signal.aborted || (isWoken && failures === 0)
      if (pauseMs > 0 && !isCalled) await pause.take(pauseMs)
    }
    for (const done of waiting) done()
  }

  /** Takes one turn. Returns the milliseconds until the next one. */
  async function takeTurn(): Promise<number> {
    try {
      const more = await asRound(name, () => turn(stop.signal))
      failures = 0
      return more ? 0 : (everyMs ?? Number.POSITIVE_INFINITY)
    } catch (error) {
      // Work that fails is logged and tried again.
      failures++
      if (failures === 1 && !stop.signal.aborted)
        log.warn({ err: error, loop: name }, `${name} failed and is tried again`)
      return Math.min(retryMsMin * 2 ** failures, retryMsMax)
    }
  }

  function wake(): void {
    isWoken = true
    if (failures === 0) pause.end()
  }

  const running = run()
  return {
    name,
    wake,
    nextTurn() {
      if (stop.signal.aborted) return Promise.resolve()
      return new Promise((done) => {
        waiting.push(done)
        wake()
      })
    },
    failing: () => failures > 0,
    close() {
      stopPolling()
      stop.abort()
      pause.end()
      return running
    },
  }
}

/** Lets a poller wake a loop with a probe. Returns how often the loop takes a turn by itself. */
function startPolling({ poller, probe, everyMs }: LoopOptions, wake: () => void) {
  if (poller === undefined || probe === undefined) return { everyMs, stopPolling: () => {} }
  return { everyMs: unpolledMs + poller.size * staggerMs, stopPolling: poller.add({ probe, wake }) }
}

/** A pause that can be ended early. */
function openPause() {
  let end = () => {}
  return {
    end: () => end(),
    take(ms: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = Number.isFinite(ms) ? setTimeout(resolve, ms).unref() : undefined
      end = () => {
        clearTimeout(timer)
        resolve()
      }
      return promise
    },
  }
}
