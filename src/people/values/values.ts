import { parseCustomDate } from '../../base/dates.ts'
import {
  type AnyNumber,
  ExactNumber,
  exponentCharacters,
  hasExponent,
  plainCharactersMax,
} from '../../base/exact-number.ts'

export type Json = string | AnyNumber | boolean | null | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** Nested containers, counted from the value of a member. */
export const depthMax = 50
/** Keys of one object. */
export const keysMax = 1000
/** Characters (code points) of a name or of a text. */
export const charactersMax = 255
/** Items of an array without objects. */
export const arrayItemsMax = 500
/** Bytes of a nested value or an array as JSON. */
export const nestedBytesMax = 100 * 1024

// The findings of `inspect`, as bits. The caller decides which of them refuse an object, drop a value or do not matter.
/** Too deep, too many keys, a number beyond a double or with too many digits, a NUL, or a lone surrogate. */
export const broken = 1
/** A text or key of more than 255 characters. */
export const long = 2
export const holdsNull = 4
/** A key that nested attributes may not have: empty, or with a space, `.` or `$`. Also a `$time` that is no date. */
export const oddKey = 8
/** A well-formed `{"$time": "<date>"}`. */
export const holdsTime = 16
/** A key that is dropped at every depth. */
export const holdsUnsafeKey = 32
/** A number or a text whose JSON may have more than twice the bytes that the database takes for it. */
export const wide = 64

/** Characters from which on a number may have many zeros, which the database does not store. */
const wideCharactersMin = 40
/** Characters of one byte that have six in JSON. A body can have them only as escapes. */
const wideText = /[\u0001-\u0007\u000b\u000e-\u001f]/

/**
 * Walks a value once and returns what it contains, as bits; stops at `broken`. `suspicious` is false if the text of the body has no escape
 * and none of the dropped keys: then texts need no check.
 */
export function inspect(value: unknown, suspicious: boolean, depth = 1): number {
  switch (typeof value) {
    case 'string':
      if (suspicious && !isCleanText(value)) return broken
      if (value.length > charactersMax && isLong(value)) return long
      return suspicious && isWideText(value) ? wide : 0
    case 'number':
      if (!Number.isFinite(value)) return broken
      return hasExponent(value) ? wide : 0
    case 'object':
      if (value === null) return holdsNull
      if (value instanceof ExactNumber) return inspectExact(value)
      if (depth > depthMax) return broken
      return Array.isArray(value) ? inspectArray(value, suspicious, depth) : inspectObject(value, suspicious, depth)
    default:
      return 0
  }
}

function inspectExact(value: ExactNumber): number {
  if (!value.isStorable) return broken
  return value.text.length >= wideCharactersMin ? wide : 0
}

function inspectArray(items: readonly unknown[], suspicious: boolean, depth: number): number {
  let facts = 0
  for (let i = 0; i < items.length; i++) {
    facts |= inspect(items[i], suspicious, depth + 1)
    if (facts & broken) return broken
  }
  return facts
}

function inspectObject(value: object, suspicious: boolean, depth: number): number {
  const object = value as Record<string, unknown>
  let facts = 0
  let keys = 0
  for (const key in object) {
    if (++keys > keysMax) return broken
    const keyFacts = key === '$time' ? 0 : inspectKey(key, suspicious)
    const valueFacts = inspect(object[key], suspicious, depth + 1)
    if ((keyFacts | valueFacts) & broken) return broken
    // The value of a dropped key is dropped with it.
    facts |= keyFacts & holdsUnsafeKey ? keyFacts : keyFacts | valueFacts
  }
  if (Object.hasOwn(object, '$time')) facts |= keys === 1 && isTime(object.$time) ? holdsTime : oddKey
  return facts
}

function inspectKey(key: string, suspicious: boolean): number {
  if (suspicious) {
    if (!isCleanText(key)) return broken
    if (isUnsafeKey(key)) return holdsUnsafeKey
  }
  const { length } = key
  if (length === 0) return oddKey
  if (length > charactersMax && isLong(key)) return long
  const width = suspicious && isWideText(key) ? wide : 0
  for (let i = 0; i < length; i++) {
    const code = key.charCodeAt(i)
    if (code === 32 || code === 46 || code === 36) return oddKey
  }
  return width
}

/** Whether a number is in the range in which doubles have all integers. */
export function isSafe(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER
}

/** Whether a text has no NUL, which PostgreSQL cannot store, and no lone surrogate. */
export function isCleanText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

/** Whether a text has characters that JSON writes as six others. */
export function isWideText(text: string): boolean {
  return wideText.test(text)
}

/** Whether a text has more than 255 code points. */
export function isLong(text: string): boolean {
  if (text.length <= charactersMax) return false
  if (text.length > 2 * charactersMax) return true
  return characterCount(text) > charactersMax
}

/** Counts code points: a surrogate pair is one character. */
export function characterCount(text: string): number {
  let characters = 0
  for (const _ of text) characters++
  return characters
}

/** Keys that reach an object's prototype. They are dropped at every depth. */
export function isUnsafeKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor'
}

/** Reads true, false and their texts; undefined for anything else. */
export function toFlag(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : undefined
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && parseCustomDate(value) !== undefined
}

/** Returns a copy without dropped keys, in which `{"$time": "<date>"}` is replaced by the date as it was sent. */
export function tidy(value: Json): Json {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value
  if (Array.isArray(value)) return value.map(tidy)
  const object = value as JsonObject
  if (typeof object.$time === 'string') return object.$time
  return Object.fromEntries(
    Object.entries(object)
      .filter(([key]) => !isUnsafeKey(key))
      .map(([key, inner]) => [key, tidy(inner)]),
  )
}

/** Whether the value's JSON has at most that many bytes in the database. For small values the JSON is not built. */
export function fits(value: Json, bytesMax: number): boolean {
  return bytesLeft(value, bytesMax) >= 0 || storedBytes(value) <= bytesMax
}

/** Returns the bytes of a value as JSON without spaces in the database, which writes numbers without exponents: 301 bytes for `1e300`. */
export function storedBytes(value: Json, json: string = JSON.stringify(value)): number {
  return Buffer.byteLength(json) + exponentBytes(value)
}

function exponentBytes(value: Json): number {
  if (typeof value === 'number') return exponentCharacters(value)
  if (!isContainer(value)) return 0
  let bytes = 0
  if (Array.isArray(value)) for (const item of value) bytes += exponentBytes(item)
  else for (const key in value as JsonObject) if (!isUnsafeKey(key)) bytes += exponentBytes((value as JsonObject)[key]!)
  return bytes
}

/**
 * Returns what the longest JSON of this shape would leave of `bytes`: up to 6 bytes per UTF-16 unit, 25 per double without exponent, 1 per
 * punctuation mark.
 */
function bytesLeft(value: Json, bytes: number): number {
  if (typeof value === 'string') return bytes - 3 - value.length * 6
  if (typeof value === 'number' && hasExponent(value)) return bytes - plainCharactersMax - 1
  if (typeof value !== 'object' || value === null) return bytes - 26
  if (value instanceof ExactNumber) return bytes - value.text.length - 1
  let left = bytes - 3
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = bytesLeft(value[i], left)
    return left
  }
  const object = value as JsonObject
  for (const key in object) {
    left = bytesLeft(object[key]!, left - 4 - key.length * 6)
    if (left < 0) return left
  }
  return left
}

export function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber)
}

/** Returns a value that equal texts, numbers and booleans share, for sets and comparisons. Each list and object has its own. */
export function keyOf(value: Json): unknown {
  return value instanceof ExactNumber ? value.key : value
}

/** Returns the array with repeated values only at their last position. Objects never count as equal. */
export function collapse(items: readonly Json[]): readonly Json[] {
  if (items.length < 2) return items
  const seen = new Set<unknown>(items.map(keyOf))
  if (seen.size === items.length) return items
  seen.clear()
  const kept: Json[] = []
  for (let i = items.length - 1; i >= 0; i--) {
    const item = items[i]!
    if (!isContainer(item) && seen.has(keyOf(item))) continue
    seen.add(keyOf(item))
    kept.push(item)
  }
  return kept.reverse()
}
