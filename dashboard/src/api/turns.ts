type Turn = () => Promise<void>

/** Returns a function that waits while `max` tasks are running. The oldest task that waits runs next. */
export function openTurns(max: number): <Result>(task: () => Promise<Result>, signal: AbortSignal) => Promise<Result> {
  const waiting: Turn[] = []
  let running = 0
  const next = () => {
    while (running < max && waiting.length > 0) {
      running++
      void waiting.shift()!().finally(() => {
        running--
        next()
      })
    }
  }
  return (task, signal) =>
    new Promise((resolve, reject) => {
      waiting.push(async () => {
        // What nobody waits for any more takes no turn.
        if (signal.aborted) reject(signal.reason)
        else await task().then(resolve, reject)
      })
      next()
    })
}
