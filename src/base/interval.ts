/**
 * Runs work every `everyMs` of machine time, until the returned function is called. A run is left out while the one before is in flight, so
 * that work that waits for a lock takes one connection, not one more at each run. The work must not reject.
 */
export function startInterval(work: () => Promise<void>, everyMs: number): () => void {
  let isRunning = false
  const timer = setInterval(async () => {
    if (isRunning) return
    isRunning = true
    await work()
    isRunning = false
  }, everyMs).unref()
  return () => clearInterval(timer)
}
