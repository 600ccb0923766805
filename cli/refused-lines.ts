import { type FileHandle, open, stat } from 'node:fs/promises'
import { UsageError } from './command.ts'

/** Where refused lines were written, and how many bytes of the files count. Later bytes are of a batch that is imported again. */
export type RefusedPlace = {
  readonly path: string
  readonly bytes: number
  readonly reasons_bytes: number
}

/** A refused line: its place, why, and its text in the file. */
export type RefusedLine = { readonly place: object; readonly reason: string; readonly text: string }

/**
 * Writes refused lines to a file that can be imported again once it was corrected, and their reasons to a second file. Both are created
 * with the first refused line.
 */
export type RefusedLines = {
  /** Where they are written; undefined while there are none. */
  place(): RefusedPlace | undefined
  /** Sets the line that comes first, such as the headers of a table. Call it before the first refused line. */
  setHead(text: string): void
  /** Creates the files, empty, unless they are there. `place` returns them then. */
  create(): Promise<void>
  write(lines: readonly RefusedLine[]): Promise<void>
  close(): Promise<void>
}

export const reasonsEnding = '.reasons.jsonl'
/** The most files beside each other that have refused lines of one file. */
const namesMax = 1_000

type Files = { readonly path: string; readonly lines: FileHandle; readonly reasons: FileHandle }

/**
 * Opens the writer. `wanted` is the path of `--refused`, which must not have anything; otherwise the first free name of those that
 * `usualPath` returns is taken; without both nothing is written. `before` is what an interrupted import has written; it is continued.
 * `mark` is written before the first line.
 */
export async function openRefusedLines(
  wanted: string | undefined,
  usualPath: ((n: number) => string) | undefined,
  before: RefusedPlace | undefined,
  mark = '',
): Promise<RefusedLines> {
  const continued = before === undefined ? undefined : await reopen(before)
  if (wanted !== undefined && wanted !== continued?.path && (await isUsed(wanted))) {
    throw new UsageError(`--refused: ${wanted} exists already: name another file.`)
  }
  let files = continued
  let [bytes, reasonsBytes] = continued && before ? [before.bytes, before.reasons_bytes] : [0, 0]
  let head: string | undefined
  return {
    place: () => (files ? { path: files.path, bytes, reasons_bytes: reasonsBytes } : undefined),
    setHead(text) {
      head = text
    },
    async create() {
      if ((wanted ?? usualPath) !== undefined) files ??= await create(wanted, usualPath)
    },
    async write(refused) {
      if (refused.length === 0 || files === undefined) return
      const start = bytes === 0 && head !== undefined ? [head] : []
      const prefix = bytes === 0 ? mark : ''
      const lines = Buffer.from(
        prefix + [...start, ...refused.map(({ text }) => text)].map((text) => `${text}\n`).join(''),
      )
      const reasons = Buffer.from(
        refused.map(({ place, reason }) => `${JSON.stringify({ ...place, reason })}\n`).join(''),
      )
      await files.lines.write(lines, 0, lines.length, bytes)
      await files.reasons.write(reasons, 0, reasons.length, reasonsBytes)
      await files.lines.datasync()
      await files.reasons.datasync()
      bytes += lines.length
      reasonsBytes += reasons.length
    },
    async close() {
      await files?.lines.close()
      await files?.reasons.close()
    },
  }
}

/** Opens the files of an interrupted import again. Undefined when somebody has moved or shortened them: then new ones are begun. */
async function reopen({ path, bytes, reasons_bytes }: RefusedPlace): Promise<Files | undefined> {
  const sizes = await Promise.all([path, path + reasonsEnding].map(sizeOf))
  if (sizes[0] === undefined || sizes[0] < bytes || sizes[1] === undefined || sizes[1] < reasons_bytes) return undefined
  const files = { path, lines: await open(path, 'r+'), reasons: await open(path + reasonsEnding, 'r+') }
  await files.lines.truncate(bytes)
  await files.reasons.truncate(reasons_bytes)
  return files
}

async function create(wanted: string | undefined, usualPath: (n: number) => string = String): Promise<Files> {
  let path = wanted ?? usualPath(1)
  if (wanted === undefined) {
    for (let n = 2; n <= namesMax && ((await isUsed(path)) || (await isUsed(path + reasonsEnding))); n++)
      path = usualPath(n)
  }
  return { path, lines: await open(path, 'w', 0o600), reasons: await open(path + reasonsEnding, 'w', 0o600) }
}

/** Returns whether a file has anything. An empty one is left when an import is killed between its creation and its first line. */
async function isUsed(path: string): Promise<boolean> {
  return ((await sizeOf(path)) ?? 0) > 0
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
