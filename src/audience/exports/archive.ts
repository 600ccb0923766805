import { pipeline } from 'node:stream'
import { crc32, createDeflateRaw, createGzip, type DeflateRaw, type Gzip } from 'node:zlib'
import { type AsyncFlateStreamHandler, Zip, type ZipInputFile } from 'fflate'
import type { Format } from './schema.ts'

/** A file as it is packed: its lines come in pieces. */
export type PlainFile = { readonly name: string; readonly lines: AsyncIterable<Uint8Array> }

type Piece = Uint8Array<ArrayBuffer>

/** What a zip can say of sizes without its 64-bit extension, which not everybody reads. */
export const zipBytesMax = 0xffff_ffff

export const tooLarge = 'The export is larger than 4 GiB: export fewer fields, or smaller segments'

/** What an export must not be; the text is for whoever asked for it. */
export class PermanentError extends Error {}

/**
 * Files as one object: a zip of them, or gzip members one after the other, which unpack to all lines. `atMs`: when it is made. Neither
 * the object nor a file in a zip may have more than `bytesMax`: throws `Hopeless`.
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
    for await (const piece of through(lines, createGzip())) {
      bytes += piece.length
      if (bytes > bytesMax) throw new PermanentError(tooLarge)
      yield piece
    }
  }
}

async function* zip(files: AsyncIterable<PlainFile>, atMs: number, bytesMax: number): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = []
  let bytes = 0
  const zip = new Zip((error, piece) => {
    if (error) throw error
    ready.push(piece)
    bytes += piece.length
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
    for await (const piece of through(entry.counted(lines, bytesMax), createDeflateRaw())) {
      entry.ondata!(null, piece, false)
      yield* take()
    }
    entry.ondata!(null, new Uint8Array(), true)
  }
  zip.end()
  yield* take()
}

/** One file of a zip. fflate writes the frame; the bytes are compressed beside the event loop. */
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

  async *counted(pieces: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.size += piece.length
      this.crc = crc32(piece, this.crc)
      if (this.size > bytesMax) throw new PermanentError(tooLarge)
      yield piece
    }
  }
}

/** What a compressor makes of pieces; an error in them is an error of what comes out. */
function through(pieces: AsyncIterable<Uint8Array>, compressor: DeflateRaw | Gzip): AsyncIterable<Piece> {
  return pipeline(pieces, compressor, () => undefined)
}
