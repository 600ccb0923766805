import { parseJson } from '../src/base/parse-json.ts'
import { isObject } from '../src/people/values/values.ts'
import { linesOf } from './lines.ts'

export type Fields = Record<string, unknown>

/**
 * An object of a file with the number and the bytes of its line, or the problem with it. `index`: its place among the objects of the line,
 * from 0. `text` is the line, or the object alone when the line has several.
 */
export type FileObject = { readonly number: number; readonly index: number; readonly text: string } & (
  | { readonly value: Fields; readonly bytes: number; readonly problem?: undefined }
  | { readonly problem: string }
)

/** The most characters of a JSON document on several lines, which must be in memory at once. */
const documentCharactersMax = 256 * 1024 * 1024

/** Yields the objects of JSON lines: each line is one, a list of them, or an answer of `POST /users/export/ids` with its `users`. */
export async function* readJsonLines(text: AsyncIterable<string>): AsyncGenerator<FileObject> {
  for await (const { number, text: line } of linesOf(text)) {
    if (line.trim() === '') continue
    const value = tryParseJson(line)
    if (value === undefined) yield { number, index: 0, text: line, problem: 'is not a JSON object' }
    else yield* objectsIn(value, number, line)
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
  return value === undefined ? undefined : [...objectsIn(value, 1)]
}

/** Yields the objects of a value. `line` is its text, if it is on one line. */
function* objectsIn(value: unknown, number: number, line?: string): Generator<FileObject> {
  const users = isObject(value) ? value.users : value
  const items = Array.isArray(users) ? users : [value]
  for (const [index, item] of items.entries()) {
    const text = line !== undefined && !Array.isArray(users) ? line : JSON.stringify(item)
    const place = { number, index, text }
    yield isObject(item)
      ? { ...place, value: item, bytes: Buffer.byteLength(text) }
      : { ...place, problem: 'is not a JSON object' }
  }
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
