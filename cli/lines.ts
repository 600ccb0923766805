import { Failure } from '../src/base/errors.ts'

export type TextLine = { number: number; text: string }

/** The most characters of a line. The longest line of an export has about four million. */
const lineCharactersMax = 64 * 1024 * 1024

/**
 * Yields the lines of a text that arrives in pieces, with their numbers from 1. A line ends with a line feed, with or without a carriage
 * return before it, and not with the other line separators of Unicode, which JSON may have in its strings.
 */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<TextLine> {
  let number = 0
  let rest: string[] = []
  let length = 0
  const take = (last: string): TextLine => {
    number++
    const line = rest.length === 0 ? last : rest.join('') + last
    rest = []
    length = 0
    return { number, text: line.endsWith('\r') ? line.slice(0, -1) : line }
  }
  for await (const piece of text) {
    let from = 0
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', from)) {
      yield take(piece.slice(from, at))
      from = at + 1
    }
    rest.push(piece.slice(from))
    length += piece.length - from
    if (length > lineCharactersMax) {
      throw new Failure('invalid', `line ${number + 1} has more than ${lineCharactersMax} characters`)
    }
  }
  if (length > 0) yield take('')
}

/** Yields the lines from a number on in batches, without empty ones. */
export async function* batchesOf(
  text: AsyncIterable<string>,
  from: number,
  batchMax: number,
): AsyncGenerator<TextLine[]> {
  let batch: TextLine[] = []
  for await (const line of linesOf(text)) {
    if (line.number < from || line.text.trim() === '') continue
    batch.push(line)
    if (batch.length < batchMax) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
