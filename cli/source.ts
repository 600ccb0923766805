import { Failure } from '../src/base/errors.ts'
import type { Shell } from './command.ts'
import { openParts, type Part } from './source-parts.ts'

/** A text that is read once, from its start: a file, or the files of a folder or a zip one after the other. */
export type Source = {
  /** The text in pieces, without a byte order mark. */
  readonly text: AsyncIterable<string>
  /** Returns the share of the bytes that were read; undefined for standard input. */
  share(): number | undefined
  /** A text that is another one when the file or the folder has changed; undefined for standard input. */
  readonly identity: string | undefined
  /** Returns the file of a line, and its number there; undefined while only one file was read. */
  placeOf(number: number): { readonly file: string; readonly line: number } | undefined
}

/**
 * Opens a file, a folder, or standard input for `-`. Recognizes and unpacks gzip and zip. Without `encoding`, that of the text is
 * recognized.
 */
export async function openSource(path: string, shell: Shell, encoding?: string): Promise<Source> {
  const { parts, share, identity } = await openParts(path, shell)
  const starts: { readonly file: string; readonly line: number }[] = []
  return {
    text: joined(parts, encoding, starts),
    share,
    identity,
    placeOf(number) {
      if (starts.length < 2) return undefined
      const { file, line } = starts.findLast(({ line }) => line <= number)!
      return { file, line: number - line + 1 }
    },
  }
}

/** Yields the texts of files, each with a line feed at its end. Adds to `starts` the first line of each. */
async function* joined(
  parts: AsyncIterable<Part>,
  encoding: string | undefined,
  starts: { readonly file: string; readonly line: number }[],
): AsyncGenerator<string> {
  let line = 1
  let isOpen = false
  for await (const { name, pieces } of parts) {
    if (isOpen) {
      yield '\n'
      line++
    }
    starts.push({ file: name, line })
    isOpen = false
    for await (const piece of decode(pieces, name, encoding)) {
      for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) line++
      if (piece !== '') isOpen = !piece.endsWith('\n')
      yield piece
    }
  }
}

const byteOrderMarks: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** Decodes text by its byte order mark, else in the given encoding, else as UTF-8. Throws for other bytes, which would change the text. */
async function* decode(
  pieces: AsyncIterator<Buffer> & AsyncIterable<Buffer>,
  path: string,
  encoding?: string,
): AsyncGenerator<string> {
  const start = await startOf(pieces)
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, i) => start[i] === byte))
  const label = marked?.[0] ?? encoding ?? 'utf-8'
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

/** Returns the first bytes, at least as many as the longest byte order mark has. */
async function startOf(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  let start = Buffer.alloc(0)
  while (start.length < 3) {
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
