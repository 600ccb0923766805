import { openProgress } from './progress.ts'
import { note, type Shell } from './verb.ts'

/** Lines told one by one; of more it is only told how many there were. */
const toldMax = 1_000

/** How far the reading of a file is, and what it tells meanwhile. */
export type Run = {
  /** The line to go on with. */
  next: number
  /** Lines that were not taken. */
  refused: number
  ended: boolean
  /** Somebody wants it to stop after what is under way. */
  stopping: boolean
  /** Says why a line was not taken. */
  refuse(number: number, reason: string): void
  /** So many are done, and the file is read up to the line before `next`. */
  done(count: number, next: number, share: number | undefined): void
  /** Takes the bar away and says where to go on when it has not ended. */
  close(): void
}

/** `unit` is what is counted. The first signal lets what is under way finish. */
export function openRun(shell: Shell, unit: string, from: number): Run {
  const progress = openProgress(unit, shell.stderr)
  let count = 0
  let closed = false
  const run: Run = {
    next: from,
    refused: 0,
    ended: false,
    stopping: false,
    refuse(number, reason) {
      run.refused++
      if (run.refused > toldMax) return
      progress.end()
      note(shell, `line ${number}: ${reason}`)
      if (run.refused === toldMax) note(shell, 'More lines are not told one by one.')
    },
    done(more, next, share) {
      count += more
      run.next = next
      progress.at(count, share)
    },
    close() {
      if (closed) return
      closed = true
      process.off('SIGINT', stop)
      progress.end()
      if (!run.ended) note(shell, `Stopped: go on with --from ${run.next}`)
    },
  }
  const stop = () => {
    run.stopping = true
  }
  process.once('SIGINT', stop)
  return run
}
