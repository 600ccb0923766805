import { note, type Outcome, type Shell } from './command.ts'
import { openProgress } from './progress.ts'

/** The most refused lines that are reported one by one. Further ones are only counted. */
const reportedMax = 1_000

/** The progress of reading a file, with its reports. */
export type FileRun = {
  /** The line at which a later run can continue. */
  next: number
  /** How many lines were refused. */
  refused: number
  /** The refused lines that were reported. */
  readonly refusals: { readonly line: number; readonly reason: string }[]
  ended: boolean
  /** Whether to stop after the current batch. */
  stopping: boolean
  /** Reports why a line was refused. */
  refuse(number: number, reason: string): void
  /** Adds finished items. The file is read up to the line before `next`. */
  done(count: number, next: number, share: number | undefined): void
  /** Removes the progress bar. Says where to continue unless the file has ended. */
  close(): void
}

/** Opens a run. `unit` is the word for the counted items. The first SIGINT lets the current batch finish. */
export function openFileRun(shell: Shell, unit: string, from: number): FileRun {
  const progress = openProgress(unit, shell.stderr)
  let count = 0
  let closed = false
  const run: FileRun = {
    next: from,
    refused: 0,
    refusals: [],
    ended: false,
    stopping: false,
    refuse(number, reason) {
      run.refused++
      if (run.refused > reportedMax) return
      run.refusals.push({ line: number, reason })
      progress.end()
      note(shell, `line ${number}: ${reason}`)
      if (run.refused === reportedMax) note(shell, 'Further lines are only counted.')
    },
    done(more, next, share) {
      count += more
      run.next = next
      progress.update(count, share)
    },
    close() {
      if (closed) return
      closed = true
      process.off('SIGINT', stop)
      progress.end()
      if (!run.ended) note(shell, `Stopped: continue with --from ${run.next}`)
    },
  }
  const stop = () => {
    run.stopping = true
  }
  process.once('SIGINT', stop)
  return run
}

/** Returns the outcome of a run that has ended or stopped. `counts` are those of the verb. */
export function outcomeOf({ ended, next, refused, refusals }: FileRun, counts: object, text?: string): Outcome {
  const result = { ...counts, refused, refusals, ...(!ended && { continue_with_line: next }) }
  return { result, text, failed: !ended || refused > 0 }
}
