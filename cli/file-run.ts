import { note, type Outcome, type Shell } from './command.ts'
import type { ImportState, Position } from './import-state.ts'
import { openProgress } from './progress.ts'
import type { RefusedLine, RefusedLines } from './refused-lines.ts'

/** The most refused lines that are reported one by one. Further ones are only counted. */
const reportedMax = 1_000

/** Where a run stores how far it has come, and what it refuses. A run without these only reports. */
export type RunFiles = {
  readonly state?: ImportState
  readonly refused?: RefusedLines
  /** Returns the file and the line in it of a line of several files; undefined when there is one. */
  placeOf?(number: number): { readonly file: string; readonly line: number } | undefined
}

/** The progress of reading a file, with its reports. */
export type FileRun = {
  /** The line at which a later run can continue, and how many objects of it are done. */
  next: number
  index: number
  /** How many lines were refused. */
  refused: number
  /** The refused lines that were reported. */
  readonly refusals: { readonly line: number; readonly reason: string; readonly file?: string }[]
  readonly files: RunFiles
  ended: boolean
  /** Whether to stop after the current batch. */
  stopping: boolean
  /** Reports why a line was refused. `text` is the line as it is in the file. */
  refuse(number: number, reason: string, text?: string): void
  /** Adds a further line of what was refused to the file of refused lines, without a report. */
  addRefused(number: number, reason: string, text: string): void
  /** Adds finished items, and stores what was refused and how far the file was read: up to the object before `next`. */
  done(count: number, next: number | Position, share: number | undefined): Promise<void>
  /** Removes the progress bar. Says where to continue unless the file has ended. */
  close(): Promise<void>
}

/** Opens a run. `unit` is the word for the counted items. The first SIGINT lets the current batches finish. */
export function openFileRun(shell: Shell, unit: string, from: number, files: RunFiles = {}): FileRun {
  const progress = openProgress(unit, shell.stderr)
  const { state, refused: refusedLines, placeOf } = files
  let count = 0
  let closed = false
  let unwritten: RefusedLine[] = []
  const placeIn = (number: number) => placeOf?.(number) ?? { line: number }
  const run: FileRun = {
    next: state?.start.line ?? from,
    index: state?.start.index ?? 0,
    refused: 0,
    refusals: [],
    files,
    ended: false,
    stopping: false,
    addRefused(number, reason, text) {
      if (refusedLines) unwritten.push({ place: placeIn(number), reason, text })
    },
    refuse(number, reason, text) {
      run.refused++
      const place = placeIn(number)
      if (text !== undefined) run.addRefused(number, reason, text)
      if (run.refused > reportedMax) return
      run.refusals.push({ ...place, reason })
      progress.end()
      note(shell, `${'file' in place ? `${place.file} ` : ''}line ${place.line}: ${reason}`)
      if (run.refused === reportedMax) note(shell, 'Further lines are only counted.')
    },
    async done(more, next, share) {
      count += more
      const position = typeof next === 'number' ? { line: next, index: 0 } : next
      const before = { line: run.next, index: run.index }
      run.next = position.line
      run.index = position.index
      progress.update(count, share, run.refused)
      const lines = unwritten
      unwritten = []
      if (lines.length > 0 && refusedLines && refusedLines.place() === undefined) {
        await refusedLines.create()
        // A continued import finds the file, and not what was written to it since.
        await state?.save(before, refusedLines.place())
      }
      await refusedLines?.write(lines)
      await state?.save(position, refusedLines?.place())
    },
    async close() {
      if (closed) return
      closed = true
      process.off('SIGINT', stop)
      progress.end()
      await refusedLines?.close()
      if (run.ended) await state?.remove()
      else if (state?.isStored) note(shell, `Stopped: the same command continues at line ${run.next}`)
      else note(shell, `Stopped: continue with --from ${run.next}`)
    },
  }
  const stop = () => {
    run.stopping = true
    progress.end()
    note(shell, 'Stopping when the current requests are answered.')
  }
  process.once('SIGINT', stop)
  return run
}

/** Says where the refused lines are, with those of the part that was imported before an interruption. */
export function reportRefused({ files }: FileRun, shell: Shell): void {
  const place = files.refused?.place()
  if (place) note(shell, `The refused lines are in ${place.path}: correct them and import that file.`)
}

/** Returns the outcome of a run that has ended or stopped. `counts` are those of the verb. */
export function outcomeOf({ ended, next, refused, refusals, files }: FileRun, counts: object, text?: string): Outcome {
  const place = files.refused?.place()
  const result = {
    ...counts,
    refused,
    refusals,
    ...(place && { refused_file: place.path }),
    ...(!ended && { continue_with_line: next }),
  }
  return { result, text, failed: !ended || refused > 0 || place !== undefined }
}
