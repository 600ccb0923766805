import { isObject } from '../src/people/values/values.ts'
import { linesOf } from './lines.ts'

export type Fields = Record<string, unknown>

/** An object of a file, the line it stands on and what bytes that line has; or what is wrong with the line. */
export type Valued =
  | { number: number; value: Fields; bytes: number; problem?: undefined }
  | { number: number; problem: string }

/** Characters of a JSON document that is not one value a line: it is read as a whole. */
const documentCharactersMax = 256 * 1024 * 1024

/** The objects of JSON lines: each line is one, a list of them, or an answer of `POST /users/export/ids` with its `users`. */
export async function* valuesOf(text: AsyncIterable<string>): AsyncGenerator<Valued> {
  for await (const { number, text: line } of linesOf(text)) {
    if (line.trim() === '') continue
    const value = parsed(line)
    if (value === undefined) yield { number, problem: 'is not a JSON object' }
    else yield* objectsIn(value, number, Buffer.byteLength(line))
  }
}

/** The same of a document that is one value on many lines; undefined when it is none. */
export async function valuesOfDocument(text: AsyncIterable<string>): Promise<readonly Valued[] | undefined> {
  let whole = ''
  for await (const piece of text) {
    whole += piece
    if (whole.length > documentCharactersMax) return undefined
  }
  const value = parsed(whole)
  return value === undefined ? undefined : [...objectsIn(value, 1, 0)]
}

function* objectsIn(value: unknown, number: number, bytes: number): Generator<Valued> {
  const users = isObject(value) ? value.users : value
  const items = Array.isArray(users) ? users : [value]
  for (const item of items)
    yield isObject(item) ? { number, value: item, bytes } : { number, problem: 'is not a JSON object' }
}

/** The value of a JSON text; undefined when it is none, which no JSON text says. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A line that is not JSON is reported and left out.
    return undefined
  }
}
