import { pipeline } from 'node:stream'
import { crc32, createDeflateRaw, createGzip, type DeflateRaw, type Gzip } from 'node:zlib'
import { type AsyncFlateStreamHandler, Zip, type ZipInputFile } from 'fflate'
import type { Format } from './schema.ts'

/** A file to pack, with its lines in chunks. */
export type PlainFile = { readonly name: string; readonly lines: AsyncIterable<Uint8Array> }

type Chunk = Uint8Array<ArrayBuffer>

/** The largest size in a zip without the 64-bit extension, which some programs do not read. */
export const zipBytesMax = 0xffff_ffff

export const tooLarge = 'The export is larger than 4 GiB: export fewer fields, or smaller segments'

/** An error that a retry would not change. The client gets its message. */
export class PermanentError extends Error {}

/**
 * Packs files into one object: a zip, or gzip members one after the other, which unpack to all lines. `atMs` is the time of the files.
 * Throws `PermanentError` when the object, or a file in a zip, has more than `bytesMax`.
 */
export function pack(
  format: Format,
  files: AsyncIterable<PlainFile>,
  atMs: number,
  bytesMax = zipBytesMax,
): AsyncGenerator<Uint8Array> {
  return format === 'zip' ? zip(files, atMs, bytesMax) : gzip(files, bytesMax)
}

async function* gzip(files: AsyncIterable<PlainFile>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const { lines } of files) {
    for await (const chunk of through(lines, createGzip())) {
      bytes += chunk.length
      if (bytes > bytesMax) throw new PermanentError(tooLarge)
      yield chunk
    }
  }
}

async function* zip(files: AsyncIterable<PlainFile>, atMs: number, bytesMax: number): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = []
  let bytes = 0
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    ready.push(chunk)
    bytes += chunk.length
  })
  const take = () => {
    if (bytes > bytesMax) throw new PermanentError(tooLarge)
    const taken = ready
    ready = []
    return taken
  }
  for await (const { name, lines } of files) {
    const entry = new ZipEntry(name, atMs)
    zip.add(entry)
    for await (const chunk of through(entry.counted(lines, bytesMax), createDeflateRaw())) {
      entry.ondata!(null, chunk, false)
      yield* take()
    }
    entry.ondata!(null, new Uint8Array(), true)
  }
  zip.end()
  yield* take()
}

/** One file of a zip. fflate writes the headers; zlib compresses the bytes outside the event loop. */
class ZipEntry implements ZipInputFile {
  readonly filename: string
  readonly mtime: number
  readonly compression = 8
  size = 0
  crc = 0
  ondata?: AsyncFlateStreamHandler

  constructor(filename: string, mtime: number) {
    this.filename = filename
    this.mtime = mtime
  }

  async *counted(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.size += chunk.length
      this.crc = crc32(chunk, this.crc)
      if (this.size > bytesMax) throw new PermanentError(tooLarge)
      yield chunk
    }
  }
}

/** Compresses chunks. An error of the chunks becomes an error of the result. */
function through(chunks: AsyncIterable<Uint8Array>, compressor: DeflateRaw | Gzip): AsyncIterable<Chunk> {
  return pipeline(chunks, compressor, () => undefined)
}
