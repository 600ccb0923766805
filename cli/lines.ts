import { Failure } from '../src/base/errors.ts'

export type Line = { number: number; text: string }

/** Characters of a line; the longest that an export writes has some four million. */
const lineCharactersMax = 64 * 1024 * 1024

/**
 * Lines of a text that comes in pieces, with their numbers from 1. Only a line feed ends one, with or without a carriage return
 * before it: JSON may hold the other separators of Unicode as they are.
 */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<Line> {
  let number = 0
  let rest: string[] = []
  let length = 0
  const take = (last: string): Line => {
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

/** Lines that have something in them, from a number on, in batches. */
export async function* batchesOf(text: AsyncIterable<string>, from: number, batchMax: number): AsyncGenerator<Line[]> {
  let batch: Line[] = []
  for await (const line of linesOf(text)) {
    if (line.number < from || line.text.trim() === '') continue
    batch.push(line)
    if (batch.length < batchMax) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
