import type { Log } from '../log.ts'

/** Work that recurs by machine time; it decides itself, by the clock, whether something is due. */
export type Job = {
  /** `folder.verb`, as in logs. */
  name: string
  everyMs: number
  /** What takes long leaves off between two pieces when it is asked to; the next run goes on. */
  run(stopping: AbortSignal): Promise<void>
}

export type Jobs = {
  /** Names of tasks whose last run failed. */
  failing(): string[]
  /** Asks a run in progress to leave off, lets it end, then stops. */
  close(): Promise<void>
}

/** A task that failed is not left alone for an hour. */
const retryMs = 5000

/** Runs each task now and then every `everyMs`, never twice at once. A failure is logged and tried again soon. */
export function startJobs(tasks: readonly Job[], log: Log): Jobs {
  const failing = new Set<string>()
  const turns = tasks.map((task) => repeat(task, failing, log))
  return {
    failing: () => [...failing],
    close: async () => {
      await Promise.all(turns.map((turn) => turn.stop()))
    },
  }
}

function repeat(task: Job, failing: Set<string>, log: Log): { stop(): Promise<void> } {
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const turn = async (): Promise<void> => {
    try {
      await task.run(stop.signal)
      failing.delete(task.name)
    } catch (error) {
      // Periodic work that fails is logged and runs again at its next time.
      if (stop.signal.aborted) return
      if (!failing.has(task.name)) log.warn({ err: error, task: task.name }, `${task.name} failed and is tried again`)
      failing.add(task.name)
    }
    const pauseMs = failing.has(task.name) ? Math.min(task.everyMs, retryMs) : task.everyMs
    if (!stop.signal.aborted) timer = setTimeout(start, pauseMs).unref()
  }
  const start = (): void => {
    running = turn()
  }
  start()
  return {
    async stop() {
      stop.abort()
      clearTimeout(timer)
      await running
    },
  }
}
