import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Unzip, type UnzipFile, UnzipInflate } from 'fflate'
import { Failure } from '../src/base/errors.ts'
import { type Shell, UsageError } from './command.ts'

/** One file to read, unpacked. It must be read before the next one. */
export type Part = { readonly name: string; readonly pieces: AsyncGenerator<Buffer> }

export type Parts = {
  readonly parts: AsyncIterable<Part>
  share(): number | undefined
  readonly identity: string | undefined
}

/** The most files in a folder and its folders. */
export const filesMax = 100_000
/** How many bytes of the start of a file its identity has. */
const identityBytes = 65_536
/** The bytes of a zip that are unpacked at once: a thousand times as many may come out. */
const zipPieceBytes = 16_384

const gzipMagic = [0x1f, 0x8b]
const zipMagic = [0x50, 0x4b]
/** The end of a zip has these bytes, then 18 more and a comment. */
const directoryEnd = Buffer.from([0x50, 0x4b, 5, 6])
const directoryEndBytesMax = 22 + 65_535

type File = { readonly path: string; readonly name: string; readonly bytes: number; readonly modifiedMs: number }

/** Opens a file, the files of a folder and its folders in the order of their names, or standard input for `-`. */
export async function openParts(path: string, shell: Shell): Promise<Parts> {
  if (path === '-') {
    const parts = unpacked(shell.stdin as AsyncIterable<Buffer>, 'standard input')
    return { parts, share: () => undefined, identity: undefined }
  }
  const isFolder = (await stat(path)).isDirectory()
  const files = isFolder ? await filesIn(path) : [await fileAt(path, basename(path))]
  if (files.length === 0) throw new UsageError(`${path} has no files.`)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  let done = 0
  const onBytes = (more: number) => {
    done += more
  }
  const listed = files.map(({ name, bytes, modifiedMs }) => [name, bytes, modifiedMs])
  const start = isFolder ? '' : await startOf(path)
  return {
    parts: partsOf(files, onBytes),
    share: () => done / (bytes || 1),
    identity: createHash('sha256')
      .update(JSON.stringify([listed, start]))
      .digest('hex'),
  }
}

async function filesIn(folder: string): Promise<File[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.replace(/\/+$/, '').length + 1))
  if (names.length > filesMax) throw new UsageError(`${folder} has more than ${filesMax} files.`)
  const files: File[] = []
  for (const name of names.sort()) files.push(await fileAt(join(folder, name), name))
  return files
}

async function fileAt(path: string, name: string): Promise<File> {
  const { size, mtimeMs } = await stat(path)
  return { path, name, bytes: size, modifiedMs: mtimeMs }
}

/** Returns the start of a file as a text. */
async function startOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(identityBytes), 0, identityBytes, 0)
    return buffer.subarray(0, bytesRead).toString('base64')
  } finally {
    await file.close()
  }
}

async function* partsOf(files: readonly File[], onBytes: (bytes: number) => void): AsyncGenerator<Part> {
  for (const { path, name } of files) yield* unpacked(counted(createReadStream(path), onBytes), name)
}

async function* counted(stream: AsyncIterable<Buffer>, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const piece of stream) {
    onBytes(piece.length)
    yield piece
  }
}

/** Yields a file, unpacked if it is gzip, or the files in a zip. */
async function* unpacked(stream: AsyncIterable<Buffer>, name: string): AsyncGenerator<Part> {
  const pieces = stream[Symbol.asyncIterator]()
  const first = await pieces.next()
  const all = (async function* () {
    if (!first.done) yield first.value
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value
  })()
  const begins = (magic: readonly number[]) => !first.done && magic.every((byte, i) => first.value[i] === byte)
  if (begins(zipMagic)) yield* unzipped(all, name)
  else if (begins(gzipMagic)) yield { name, pieces: gunzipped(all) }
  else yield { name, pieces: all }
}

async function* gunzipped(packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* Readable.from(packed).compose(createGunzip()) as unknown as AsyncGenerator<Buffer>
}

/** A file in a zip that is being unpacked. */
type Entry = { readonly name: string; readonly ready: Buffer[]; isComplete: boolean }

/** Yields the files in a zip, in their order. Throws when the zip is damaged or not complete. */
async function* unzipped(packed: AsyncGenerator<Buffer>, name: string): AsyncGenerator<Part> {
  const entries: Entry[] = []
  const broken = (error?: unknown) => new Failure('invalid', `${name} is not a complete zip`, {}, error)
  const unzip = new Unzip((file) => startEntry(file, entries, broken))
  unzip.register(UnzipInflate)
  let hasEnded = false
  let tail = Buffer.alloc(0)
  /** Unpacks the next piece. */
  const pull = async (): Promise<void> => {
    const next = await packed.next()
    hasEnded = next.done === true
    // The directory at the end shows that no file is missing.
    if (!next.done) tail = Buffer.concat([tail, next.value]).subarray(-directoryEndBytesMax)
    else if (!tail.includes(directoryEnd)) throw broken()
    try {
      if (next.done) unzip.push(new Uint8Array(), true)
      else {
        for (let at = 0; at < next.value.length; at += zipPieceBytes)
          unzip.push(next.value.subarray(at, at + zipPieceBytes))
      }
    } catch (error) {
      throw broken(error)
    }
  }
  for (;;) {
    while (entries.length === 0 && !hasEnded) await pull()
    const [entry] = entries
    if (entry === undefined) return
    const pieces = (async function* () {
      for (;;) {
        yield* entry.ready.splice(0)
        if (entry.isComplete && entry.ready.length === 0) return
        if (hasEnded) throw broken()
        await pull()
      }
    })()
    if (entry.name.endsWith('/')) await pieces.next()
    else yield { name: entry.name, pieces }
    entries.shift()
  }
}

function startEntry(file: UnzipFile, entries: Entry[], broken: (error?: unknown) => Failure): void {
  const entry: Entry = { name: file.name, ready: [], isComplete: false }
  entries.push(entry)
  file.ondata = (error, piece, isLast) => {
    if (error) throw broken(error)
    if (piece.length > 0) entry.ready.push(Buffer.from(piece))
    if (isLast) entry.isComplete = true
  }
  file.start()
}
