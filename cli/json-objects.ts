import { parseJson } from '../src/base/parse-json.ts'
import { isObject } from '../src/people/values/values.ts'
import { linesOf } from './lines.ts'

export type Fields = Record<string, unknown>

/** An object of a file with the number and the bytes of its line, or the problem with that line. */
export type FileObject =
  | { number: number; value: Fields; bytes: number; problem?: undefined }
  | { number: number; problem: string }

/** The most characters of a JSON document on several lines, which must be in memory at once. */
const documentCharactersMax = 256 * 1024 * 1024

/** Yields the objects of JSON lines: each line is one, a list of them, or an answer of `POST /users/export/ids` with its `users`. */
export async function* readJsonLines(text: AsyncIterable<string>): AsyncGenerator<FileObject> {
  for await (const { number, text: line } of linesOf(text)) {
    if (line.trim() === '') continue
    const value = tryParseJson(line)
    if (value === undefined) yield { number, problem: 'is not a JSON object' }
    else yield* objectsIn(value, number, Buffer.byteLength(line))
  }
}

/** Returns the objects of a document with one value on several lines. Undefined when it is not JSON or too long. */
export async function readJsonDocument(text: AsyncIterable<string>): Promise<readonly FileObject[] | undefined> {
  let document = ''
  for await (const piece of text) {
    document += piece
    if (document.length > documentCharactersMax) return undefined
  }
  const value = tryParseJson(document)
  return value === undefined ? undefined : [...objectsIn(value, 1, 0)]
}

function* objectsIn(value: unknown, number: number, bytes: number): Generator<FileObject> {
  const users = isObject(value) ? value.users : value
  const items = Array.isArray(users) ? users : [value]
  for (const item of items)
    yield isObject(item) ? { number, value: item, bytes } : { number, problem: 'is not a JSON object' }
}

/** Parses a JSON text. Returns undefined, which is no JSON value, when it is not valid. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    // The caller reports a line that is not JSON and continues.
    return undefined
  }
}
