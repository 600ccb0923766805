import { createHash, randomUUID } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { isObject } from '../src/people/values/values.ts'
import { note, type Shell, UsageError } from './command.ts'
import { tryParseJson } from './json-objects.ts'
import { formatCount } from './progress.ts'
import type { RefusedPlace } from './refused-lines.ts'

/** A place in a file: a line, and how many objects of this line come before it. */
export type Position = { readonly line: number; readonly index: number }

/** What makes two imports the same: the file and what is done with it, each as a text. */
export type ImportIdentity = { readonly file: string; readonly options: string }

/** How far an import has come. It is stored beside the file after each batch, so that the same command can continue. */
export type ImportState = {
  /** Names this import in the idempotency keys of its requests. */
  readonly run: string
  readonly start: Position
  /** The refused lines of the part that was imported before. */
  readonly refused: RefusedPlace | undefined
  /** Whether an interrupted import is continued. */
  readonly isContinued: boolean
  /** Whether the state is stored, so that the same command continues. */
  readonly isStored: boolean
  save(next: Position, refused: RefusedPlace | undefined): Promise<void>
  /** Removes the stored state, because the import has ended. */
  remove(): Promise<void>
}

type Stored = {
  readonly easel: 'import'
  readonly version: 1
  readonly file: string
  readonly options: string
  readonly run: string
  readonly next: Position
  readonly refused?: RefusedPlace
}

export type StateOrder = {
  readonly shell: Shell
  /** Where the state is stored; undefined for standard input, which cannot be read again. */
  readonly path: string | undefined
  readonly identity: ImportIdentity
  /** The line of `--from`. With it, or with `restart`, a stored state is ignored. */
  readonly from: number | undefined
  readonly restart: boolean
}

/** Opens the state of an import. Continues the stored one of the same file and options. Throws when a stored one is of something else. */
export async function openImportState(order: StateOrder): Promise<ImportState> {
  const { path, from, restart, shell } = order
  const stored =
    path === undefined || restart || from !== undefined ? undefined : await readStored(path, order.identity)
  if (stored) note(shell, `Continuing at line ${formatCount(stored.next.line)} (--restart begins anew).`)
  const run = stored?.run ?? randomUUID()
  const start = stored?.next ?? { line: from ?? 1, index: 0 }
  const write = (next: Position, refused: RefusedPlace | undefined) =>
    replaceFile(path!, { easel: 'import', version: 1, ...order.identity, run, next, ...(refused && { refused }) })
  const isStored = path !== undefined && (await canWrite(() => write(start, stored?.refused), path, shell))
  return {
    run,
    start,
    refused: stored?.refused,
    isContinued: stored !== undefined,
    isStored,
    async save(next, refused) {
      if (isStored) await write(next, refused)
    },
    async remove() {
      if (isStored) await rm(path!, { force: true })
    },
  }
}

async function readStored(path: string, { file, options }: ImportIdentity): Promise<Stored | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const value = tryParseJson(text)
  if (!isObject(value) || value.easel !== 'import' || value.version !== 1) {
    throw new UsageError(`${path} exists, and it is not the progress of an import: move it away.`)
  }
  const stored = value as Stored
  const changed = stored.file !== file ? 'The file has changed' : 'The options or the server are not the same'
  if (stored.file !== file || stored.options !== options) {
    throw new UsageError(
      `${changed} since an import of this file was interrupted at line ${stored.next.line}: ` +
        `--restart imports it from the beginning, --from ${stored.next.line} continues.`,
    )
  }
  return stored
}

/** Writes the first state. Without it the import works, but has to be continued with `--from`. */
async function canWrite(write: () => Promise<void>, path: string, shell: Shell): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    note(shell, `${path} cannot be written (${code}), so an interrupted import has to be continued with --from.`)
    return false
  }
}

/** Replaces a file at once: after a crash it has either its old or its new contents. */
async function replaceFile(path: string, value: Stored): Promise<void> {
  const part = `${path}.part`
  const file = await open(part, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(value)}\n`)
    await file.datasync()
  } finally {
    await file.close()
  }
  await rename(part, path)
}

/** Returns a text of a fixed length for these values, which may have secrets. */
export function digestOf(values: unknown): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex')
}
