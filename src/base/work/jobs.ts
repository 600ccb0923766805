import type { Log } from '../log.ts'
import { asRound } from '../telemetry.ts'

/** Work that recurs by machine time. The job itself decides by the clock whether work is due. */
export type Job = {
  /** The name in logs, such as `clock.follow`. */
  name: string
  everyMs: number
  /** How long after the start the first run begins; absent: at once. */
  startsAfterMs?: number
  /** Runs once. A long run ends early when `stopping` is aborted, and the next run continues. */
  run(stopping: AbortSignal): Promise<void>
}

export type Jobs = {
  /** Names of the jobs whose last run failed. */
  failing(): string[]
  /** Aborts `stopping` for the runs in progress, waits for their end and stops. */
  close(): Promise<void>
}

/** How much longer the pauses of a job are than those of the one before: together they would open many sessions. */
const staggerMs = 20
/** The longest pause after a failure. */
const retryMs = 5000

/**
 * Runs each job now, or after `startsAfterMs`, and then every `everyMs`, never twice at once. A failure is logged and the job is
 * retried soon.
 */
export function startJobs(jobs: readonly Job[], log: Log): Jobs {
  const failing = new Set<string>()
  const running = jobs.map((job, i) => repeat({ ...job, everyMs: job.everyMs + i * staggerMs }, failing, log))
  return {
    failing: () => [...failing],
    close: async () => {
      await Promise.all(running.map((job) => job.stop()))
    },
  }
}

function repeat(job: Job, failing: Set<string>, log: Log): { stop(): Promise<void> } {
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const turn = async (): Promise<void> => {
    try {
      await asRound(job.name, async () => {
        await job.run(stop.signal)
        return false
      })
      failing.delete(job.name)
    } catch (error) {
      // A job that fails is logged and retried.
      if (stop.signal.aborted) return
      if (!failing.has(job.name)) log.warn({ err: error, job: job.name }, `${job.name} failed and is tried again`)
      failing.add(job.name)
    }
    const pauseMs = failing.has(job.name) ? Math.min(job.everyMs, retryMs) : job.everyMs
    if (!stop.signal.aborted) timer = setTimeout(start, pauseMs).unref()
  }
  const start = (): void => {
    running = turn()
  }
  if (job.startsAfterMs === undefined) start()
  else timer = setTimeout(start, job.startsAfterMs).unref()
  return {
    async stop() {
      stop.abort()
      clearTimeout(timer)
      await running
    },
  }
}
