import { startInterval } from './interval.ts'

const lookEveryMs = 250

/**
 * Calls `onEnded` once when the process that started this one has ended. Returns a function that stops watching. Elsewhere than on Windows
 * a process gets another parent then; on Windows it keeps the id of the one that has ended.
 */
export function watchParent(onEnded: () => void, parent = process.ppid): () => void {
  const stop = startInterval(async () => {
    if (process.platform === 'win32' ? isRunning(parent) : process.ppid === parent) return
    stop()
    onEnded()
  }, lookEveryMs)
  return stop
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    // There is no such process.
    return false
  }
}
