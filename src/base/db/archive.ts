import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** A file or folder in an archive, by its path relative to the archived folder. Parents come before children; a folder has no bytes. */
export type ArchiveEntry = { path: string; bytes?: Uint8Array }

const CHECKSUM = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
/** Larger than any archive, so that the output is not concatenated from chunks. Only the used part takes memory. */
const ONE_CHUNK = { chunkSize: 128 * 1_048_576 }

/** Writes a folder as one file: a line of JSON that lists paths and sizes, then the bytes; compressed, with a checksum. */
export function writeArchive(file: string, entries: readonly ArchiveEntry[]): void {
  const list = entries.map(({ path, bytes }) => (bytes ? { path, size: bytes.length } : { path }))
  const parts = [Buffer.from(`${JSON.stringify(list)}\n`), ...entries.map(({ bytes }) => bytes ?? new Uint8Array())]
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, zstdCompressSync(Buffer.concat(parts), CHECKSUM), { flush: true })
  renameSync(draft, file)
}

/** Reads an archive into shared memory, which threads get without a copy. Throws when the file is missing, incomplete or changed. */
export function readArchive(file: string): ArchiveEntry[] {
  const read = zstdDecompressSync(readFileSync(file), ONE_CHUNK)
  const listEnd = read.indexOf(10)
  const list = JSON.parse(read.toString('utf8', 0, listEnd)) as { path: string; size?: number }[]
  const shared = new Uint8Array(new SharedArrayBuffer(read.length))
  shared.set(read)
  let at = listEnd + 1
  return list.map(({ path, size }) => {
    if (size === undefined) return { path }
    at += size
    return { path, bytes: shared.subarray(at - size, at) }
  })
}

/** Makes the folder, durably and atomically: after a crash it exists completely or not at all. */
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
  // Windows has no fsync for a folder or for a file that is opened for reading.
  if (process.platform === 'win32') return
  const fd = openSync(path, 'r')
  fsyncSync(fd)
  closeSync(fd)
}
