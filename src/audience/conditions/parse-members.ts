import { type AnyNumber, ExactNumber, isStorableNumber } from '../../base/exact-number.ts'
import { isCleanText, isLong, isObject, isSafe } from '../../people/values/values.ts'
import type { Mistake } from '../../workspace/settings/mistake.ts'
import { joinPath } from '../../workspace/settings/mistake.ts'
import type { Tree } from './tree.ts'

/** Characters of a text in a condition. */
export const textCharactersMax = 1000

const givenCharactersMax = 60

/**
 * The state of parsing one tree: the first mistake, after which parsing stops, and the counts for its limits. `patternMax`: characters of
 * one regular expression. With `outline`, parsing goes on after a mistake and lists the parts of the tree. `all` gets every mistake.
 */
export type ParseState = {
  readonly patternMax: number
  readonly outline?: { readonly parts: OpenPart[]; readonly mistakes: Mistake[] }
  readonly all?: Mistake[]
  mistake: Mistake | undefined
  leaves: number
  patterns: number
  patternCharacters: number
}

/** A node that is being parsed; its tree is missing when it has a mistake. */
export type OpenPart = { readonly path: string; tree?: Tree }

/** The members of a checked object, and its path. */
export type Members = { readonly path: string; readonly value: Readonly<Record<string, unknown>> }

/** Records the first mistake. Returns undefined, as every function of this file does for an invalid value. */
export function wrong(reading: ParseState, path: string, message: string): undefined {
  reading.mistake ??= { path, message }
  reading.all?.push({ path, message })
  return undefined
}

/** Records that a value is not as expected, with the beginning of the value. */
export function mustBe(reading: ParseState, path: string, expected: string, given: unknown): undefined {
  return wrong(
    reading,
    path,
    given === undefined ? `is missing; it must be ${expected}` : `must be ${expected}, not ${describeGiven(given)}`,
  )
}

/** Reads an object that has no other members than these. When all mistakes are wanted, the known members are read beside unknown ones. */
export function membersOf(
  reading: ParseState,
  value: unknown,
  path: string,
  known: readonly string[],
): Members | undefined {
  const members = `an object with ${known.join(', ')}`
  if (!isObject(value)) return mustBe(reading, path, members, value)
  for (const name in value) {
    if (known.includes(name)) continue
    wrong(reading, memberPath(path, name), `is not known here; known are ${known.join(', ')}`)
    if (!reading.all) return undefined
  }
  return { path, value }
}

/** Reads a member that must be one of `words`. */
export function wordOf<W extends string>(
  reading: ParseState,
  { path, value }: Members,
  name: string,
  words: readonly W[],
): W | undefined {
  const given = value[name]
  if ((words as readonly unknown[]).includes(given)) return given as W
  return mustBe(reading, joinPath(path, name), `one of ${words.join(', ')}`, given)
}

/** Reads a member that must be a name or an id: 1 to 255 characters. */
export function nameOf(reading: ParseState, { path, value }: Members, name: string): string | undefined {
  return readName(reading, value[name], joinPath(path, name))
}

export function readName(reading: ParseState, value: unknown, path: string): string | undefined {
  if (typeof value === 'string' && value !== '' && !isLong(value) && isCleanText(value)) return value
  return mustBe(reading, path, 'text of 1 to 255 characters without NUL', value)
}

/** Reads a member that must be a text to compare with. */
export function textOf(
  reading: ParseState,
  { path, value }: Members,
  name: string,
  charactersMax = textCharactersMax,
): string | undefined {
  const given = value[name]
  if (isComparedText(given, charactersMax)) return given
  return mustBe(reading, joinPath(path, name), `text of at most ${charactersMax} characters without NUL`, given)
}

/** Returns whether a value is a text without NUL and with at most so many characters (code points). */
export function isComparedText(value: unknown, charactersMax = textCharactersMax): value is string {
  if (typeof value !== 'string' || value.length > 2 * charactersMax || !isCleanText(value)) return false
  return value.length <= charactersMax || [...value].length <= charactersMax
}

/** Reads a member that must be a number of any size and precision; -0 becomes 0. */
export function anyNumberOf(reading: ParseState, { path, value }: Members, name: string): AnyNumber | undefined {
  const given = value[name]
  if (isStorableNumber(given)) return typeof given === 'number' ? given + 0 : given
  return mustBe(reading, joinPath(path, name), 'a number', given)
}

/** Reads a member that is compared with a double; -0 becomes 0. */
export function numberOf(reading: ParseState, { path, value }: Members, name: string): number | undefined {
  const given = value[name]
  if (typeof given === 'number' && isSafe(given)) return given + 0
  return mustBe(reading, joinPath(path, name), 'a number between -2^53 and 2^53', given)
}

export function integerOf(
  reading: ParseState,
  { path, value }: Members,
  name: string,
  min: number,
  max: number,
): number | undefined {
  const given = value[name]
  if (Number.isInteger(given) && (given as number) >= min && (given as number) <= max) return (given as number) + 0
  return mustBe(reading, joinPath(path, name), `an integer from ${min} to ${max}`, given)
}

/** Returns the path of an unknown member. Its name may be of any length, so it is cut. */
export function memberPath(path: string, name: string): string {
  return joinPath(path, name.length > givenCharactersMax ? `${name.slice(0, givenCharactersMax)}...` : name)
}

function describeGiven(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && !(value instanceof ExactNumber)) return 'an object'
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value.length > givenCharactersMax ? `${value.slice(0, givenCharactersMax)}...` : value)
}
