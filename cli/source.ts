import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Failure } from '../src/base/errors.ts'
import type { Shell } from './command.ts'

/** A file of text that is read once, from its start. */
export type Source = {
  /** The text in pieces, without a byte order mark. */
  readonly text: AsyncIterable<string>
  /** Returns the share of the file's bytes that were read; undefined for standard input. */
  share(): number | undefined
}

const gzipMagic = [0x1f, 0x8b]

/** Opens a file, or standard input for `-`. Recognizes and decompresses gzip. Without `encoding`, that of the text is recognized. */
export async function openSource(path: string, shell: Shell, encoding?: string): Promise<Source> {
  const size = path === '-' ? undefined : (await stat(path)).size
  const stream: Readable = path === '-' ? shell.stdin : createReadStream(path)
  let bytes = 0
  const pieces = (async function* () {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.length
      yield piece
    }
  })()
  return {
    text: decode(gunzipped(pieces), path, encoding),
    share: () => (size === undefined ? undefined : bytes / (size || 1)),
  }
}

async function* gunzipped(pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const first = await pieces.next()
  if (first.done) return
  const all = (async function* () {
    yield first.value
    yield* pieces
  })()
  if (!gzipMagic.every((byte, i) => first.value[i] === byte)) yield* all
  else yield* Readable.from(all).compose(createGunzip()) as unknown as AsyncGenerator<Buffer>
}

const byteOrderMarks: readonly (readonly [string, readonly number[]])[] = [
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** Decodes text in the given encoding, else by its byte order mark, else as UTF-8. Throws for other bytes, which would change the text. */
async function* decode(pieces: AsyncGenerator<Buffer>, path: string, encoding?: string): AsyncGenerator<string> {
  const start = await startOf(pieces)
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, i) => start[i] === byte))
  const label = encoding ?? marked?.[0] ?? 'utf-8'
  const decoder = new TextDecoder(label, { fatal: true })
  const decodePiece = (piece?: Buffer) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch (error) {
      const hint = encoding === undefined ? '; --encoding names another encoding, such as windows-1252' : ''
      throw new Failure('invalid', `${path} is not text in ${label.toUpperCase()}${hint}`, {}, error)
    }
  }
  yield decodePiece(start)
  for await (const piece of pieces) yield decodePiece(piece)
  yield decodePiece()
}

/** Returns the first bytes, at least as many as a byte order mark has. */
async function startOf(pieces: AsyncGenerator<Buffer>): Promise<Buffer> {
  let start = Buffer.alloc(0)
  while (start.length < 2) {
    const next = await pieces.next()
    if (next.done) break
    start = Buffer.concat([start, next.value])
  }
  return start
}

/** Reads the start of a text up to its first line feed or `charactersMax`. Returns it with the complete text. */
export async function peek(
  text: AsyncIterable<string>,
  charactersMax: number,
): Promise<{ start: string; text: AsyncIterable<string> }> {
  const pieces = text[Symbol.asyncIterator]()
  let start = ''
  let ended = false
  while (!ended && !start.trimStart().includes('\n') && start.length < charactersMax) {
    const next = await pieces.next()
    if (next.done) ended = true
    else start += next.value
  }
  const complete = (async function* () {
    yield start
    for (let next = ended ? undefined : await pieces.next(); next && !next.done; next = await pieces.next())
      yield next.value
  })()
  return { start, text: complete }
}
