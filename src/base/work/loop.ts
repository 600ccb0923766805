import type { Log } from '../log.ts'
import { asRound } from '../telemetry.ts'

export type LoopOptions = {
  /** The name in logs and metrics, such as `dispatch.claim`. */
  name: string
  /** Milliseconds of machine time after which an idle loop takes a turn by itself. Without it, the loop only takes turns when woken. */
  everyMs?: number
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

const retryMsMin = 50
const retryMsMax = 5_000

/**
 * Starts a loop of turns, never two at once. With `everyMs` the first turn begins at once. After a failed turn the pauses grow; only
 * the first failure in a row is logged.
 */
export function openLoop({ name, everyMs, turn }: LoopOptions, log: Log): Loop {
  const stop = new AbortController()
  let waiting: (() => void)[] = []
  let isWoken = false
  let failures = 0
  let endPause = () => {}

  async function run(): Promise<void> {
    if (everyMs === undefined) await pause(Number.POSITIVE_INFINITY)
    while (!stop.signal.aborted) {
      isWoken = false
      const served = waiting
      waiting = []
      const pauseMs = await takeTurn()
      for (const done of served) done()
      const isCalled = stop.signal.aborted || (isWoken && failures === 0)
      if (pauseMs > 0 && !isCalled) await pause(pauseMs)
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

  function pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = Number.isFinite(ms) ? setTimeout(resolve, ms).unref() : undefined
    endPause = () => {
      clearTimeout(timer)
      resolve()
    }
    return promise
  }

  function wake(): void {
    isWoken = true
    if (failures === 0) endPause()
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
      stop.abort()
      endPause()
      return running
    },
  }
}
