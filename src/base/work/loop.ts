import type { Log } from '../log.ts'

/** Work that is done turn by turn as long as there is some. */
export type LoopOptions = {
  /** `folder.verb`, as in logs. */
  name: string
  /** Milliseconds of machine time between looks when there was nothing to do; it is only asked for when absent. */
  everyMs?: number
  /** Answers whether there may be more to do at once. What takes long leaves off when it is `stopping`. */
  turn(stopping: AbortSignal): Promise<boolean>
}

export type Loop = {
  readonly name: string
  /** There is something to do. */
  wake(): void
  /** The same; resolves at the end of a turn that began after the call, however it went, or when the loop is closed. */
  nextTurn(): Promise<void>
  /** Whether the last turn failed. */
  failing(): boolean
  /** Asks a turn in progress to leave off, lets it end, then stops. */
  close(): Promise<void>
}

const retryMsMin = 50
const retryMsMax = 5_000

/**
 * Runs turns, never two at once; the first one at once, unless it has to be asked for. One that failed is logged, once in a row, and
 * tried again after a pause that grows.
 */
export function openLoop({ name, everyMs, turn }: LoopOptions, log: Log): Loop {
  const stop = new AbortController()
  let waiting: (() => void)[] = []
  let poked = false
  let failures = 0
  let wake = () => {}

  async function run(): Promise<void> {
    if (everyMs === undefined) await rest(Number.POSITIVE_INFINITY)
    while (!stop.signal.aborted) {
      poked = false
      const served = waiting
      waiting = []
      const restMs = await take()
      for (const done of served) done()
      const called = stop.signal.aborted || (poked && failures === 0)
      if (restMs > 0 && !called) await rest(restMs)
    }
    for (const done of waiting) done()
  }

  /** One turn, and how long there is nothing to do after it. */
  async function take(): Promise<number> {
    try {
      const more = await turn(stop.signal)
      failures = 0
      return more ? 0 : (everyMs ?? Number.POSITIVE_INFINITY)
    } catch (error) {
      // Work that fails is logged and tried again.
      failures++
      if (failures === 1 && !stop.signal.aborted)
        log.warn({ err: error, work: name }, `${name} failed and is tried again`)
      return Math.min(retryMsMin * 2 ** failures, retryMsMax)
    }
  }

  function rest(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = Number.isFinite(ms) ? setTimeout(resolve, ms).unref() : undefined
    wake = () => {
      clearTimeout(timer)
      resolve()
    }
    return promise
  }

  function poke(): void {
    poked = true
    if (failures === 0) wake()
  }

  const running = run()
  return {
    name,
    wake: poke,
    nextTurn() {
      if (stop.signal.aborted) return Promise.resolve()
      return new Promise((done) => {
        waiting.push(done)
        poke()
      })
    },
    failing: () => failures > 0,
    close() {
      stop.abort()
      wake()
      return running
    },
  }
}
