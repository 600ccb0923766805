import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** A folder's contents: paths relative to it, parents before children; a folder has no bytes. */
export type ArchiveEntry = { path: string; bytes?: Uint8Array }

const CHECKSUM = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
/** Larger than any archive: what comes out is not put together from pieces. Only what is filled takes memory. */
const PIECE = { chunkSize: 128 * 1_048_576 }

/** One file for a folder of many: a line of JSON that lists paths and sizes, then the bytes; compressed, with a checksum. */
export function writeArchive(file: string, entries: readonly ArchiveEntry[]): void {
  const list = entries.map(({ path, bytes }) => (bytes ? { path, size: bytes.length } : { path }))
  const parts = [Buffer.from(`${JSON.stringify(list)}\n`), ...entries.map(({ bytes }) => bytes ?? new Uint8Array())]
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, zstdCompressSync(Buffer.concat(parts), CHECKSUM), { flush: true })
  renameSync(draft, file)
}

/** Its bytes are shared with every thread that is given them. Throws when the file is missing, cut short or altered. */
export function readArchive(file: string): ArchiveEntry[] {
  const read = zstdDecompressSync(readFileSync(file), PIECE)
  const listEnd = read.indexOf(10)
  const list = JSON.parse(read.toString('utf8', 0, listEnd)) as { path: string; size?: number }[]
  const whole = new Uint8Array(new SharedArrayBuffer(read.length))
  whole.set(read)
  let at = listEnd + 1
  return list.map(({ path, size }) => {
    if (size === undefined) return { path }
    at += size
    return { path, bytes: whole.subarray(at - size, at) }
  })
}

/** Makes the folder, durably and all at once: after a crash it is there completely or not at all. */
export function extractArchive(entries: readonly ArchiveEntry[], folder: string): void {
  const draft = `${folder}.draft`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true, mode: 0o700 })
  for (const { path, bytes } of entries) {
    if (bytes) writeFileSync(join(draft, path), bytes, { mode: 0o600 })
    else mkdirSync(join(draft, path), { mode: 0o700 })
  }
  for (const { path } of entries) sync(join(draft, path))
  sync(draft)
  renameSync(draft, folder)
  sync(dirname(folder))
}

function sync(path: string): void {
  // Windows has no fsync of a folder, and none of a file that is only read.
  if (process.platform === 'win32') return
  const fd = openSync(path, 'r')
  fsyncSync(fd)
  closeSync(fd)
}
