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

/** Opens a file, or standard input for `-`. Recognizes and decompresses gzip. */
export async function openSource(path: string, shell: Shell): Promise<Source> {
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
    text: decodeUtf8(gunzipped(pieces), path),
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

/** Throws for bytes that are not UTF-8: replacing them would change the text. */
async function* decodeUtf8(pieces: AsyncIterable<Buffer>, path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (piece?: Buffer) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch (error) {
      throw new Failure('invalid', `${path} is not text in UTF-8`, {}, error)
    }
  }
  for await (const piece of pieces) yield decode(piece)
  yield decode()
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
