import { parseTime } from '../../base/dates.ts'
import { type AnyNumber, isAnyNumber, isStorableNumber } from '../../base/exact-number.ts'
import { joinPath } from '../../workspace/settings/mistake.ts'
import {
  anyNumberOf,
  integerOf,
  isComparedText,
  type Members,
  mustBe,
  numberOf,
  type ParseState,
  textCharactersMax,
  textOf,
  wordOf,
  wrong,
} from './parse-members.ts'
import { patternMistake } from './regex.ts'
import type {
  CountTest,
  FlagTest,
  ListTest,
  NumberTest,
  Presence,
  Scalar,
  TextTest,
  TimeTest,
  ValueTest,
} from './tree.ts'

/**
 * The most regular expressions of one tree, and the most characters of all of them (or the limit of one, where a workspace allows more):
 * compiling them blocks the process.
 */
export const patternsMax = 20
export const patternCharactersMax = 4000
/** Days of a relative time. */
export const daysMax = 36_500

export const presences = ['exists', 'does_not_exist'] as const
export const patterns = ['matches_regex', 'does_not_match_regex'] as const
/** `not_equal` and `does_not_equal` are the same: the contract has one for text and numbers, the other for booleans. */
export const equalities = ['equals', 'not_equal', 'does_not_equal'] as const
export const orderings = ['greater_than', 'greater_than_or_equal_to', 'less_than', 'less_than_or_equal_to'] as const
export const inclusions = ['includes_value', 'does_not_include_value'] as const
export const relativeTimes = [
  'less_than_x_days_ago',
  'greater_than_x_days_ago',
  'less_than_x_days_in_the_future',
  'greater_than_x_days_in_the_future',
] as const
export const instants = ['after', 'before'] as const

export const textComparisons = [...equalities, ...patterns, ...presences] as const
export const numberComparisons = [...equalities, ...orderings] as const
export const timeComparisons = [...relativeTimes, ...instants, ...presences] as const
export const propertyComparisons = [...equalities, ...patterns, ...orderings, ...presences] as const
export const valueComparisons = [...propertyComparisons, ...inclusions, ...relativeTimes, ...instants] as const

type Comparison = (typeof valueComparisons)[number]

/** Reads `comparison` and `value` of a custom attribute. The type of the value decides which test it is. */
export function readValueTest(reading: ParseState, members: Members): ValueTest | undefined {
  return testOf(reading, members, wordOf(reading, members, 'comparison', valueComparisons))
}

export function readTextTest(reading: ParseState, members: Members): TextTest | Presence | undefined {
  const comparison = wordOf(reading, members, 'comparison', textComparisons)
  if (isOneOf(equalities, comparison)) {
    const text = textOf(reading, members, 'value')
    return text === undefined ? undefined : { comparison: comparison === 'equals' ? 'equals' : 'not_equal', text }
  }
  return testOf(reading, members, comparison) as TextTest | Presence | undefined
}

export function readCountTest(reading: ParseState, members: Members): CountTest | undefined {
  const comparison = wordOf(reading, members, 'comparison', numberComparisons)
  if (comparison === undefined) return undefined
  const number = numberOf(reading, members, 'value')
  return number === undefined ? undefined : toNumberTest(comparison, number)
}

export function readTimeTest(reading: ParseState, members: Members): TimeTest | Presence | undefined {
  const comparison = wordOf(reading, members, 'comparison', timeComparisons)
  return testOf(reading, members, comparison) as TimeTest | Presence | undefined
}

/** Reads a test of a time, without `exists` and `does_not_exist`. */
export function readMomentTest(reading: ParseState, members: Members): TimeTest | undefined {
  const comparison = wordOf(reading, members, 'comparison', [...relativeTimes, ...instants])
  return testOf(reading, members, comparison) as TimeTest | undefined
}

/** Reads the test of `last_used_app` as the contract has it. */
export function readInstantTest(reading: ParseState, members: Members): TimeTest | undefined {
  return testOf(reading, members, wordOf(reading, members, 'comparison', instants)) as TimeTest | undefined
}

export function readPropertyTest(
  reading: ParseState,
  members: Members,
): Presence | TextTest | NumberTest | FlagTest | undefined {
  const comparison = wordOf(reading, members, 'comparison', propertyComparisons)
  return testOf(reading, members, comparison) as Presence | TextTest | NumberTest | FlagTest | undefined
}

export function toNumberTest<Value extends AnyNumber>(
  comparison: (typeof numberComparisons)[number],
  number: Value,
): NumberTest & { readonly number: Value } {
  return { comparison: comparison === 'does_not_equal' ? 'not_equal' : comparison, number }
}

export function isOneOf<W extends string>(words: readonly W[], word: string | undefined): word is W {
  return (words as readonly (string | undefined)[]).includes(word)
}

function testOf(reading: ParseState, members: Members, comparison: Comparison | undefined): ValueTest | undefined {
  if (comparison === undefined) return undefined
  if (isOneOf(presences, comparison)) return readPresence(reading, members, comparison)
  if (isOneOf(patterns, comparison)) return readPattern(reading, members, comparison)
  if (isOneOf(inclusions, comparison)) return readInclusion(reading, members, comparison)
  if (isOneOf(equalities, comparison)) return readEquality(reading, members, comparison)
  if (isOneOf(instants, comparison)) return readInstant(reading, members, comparison)
  if (isOneOf(relativeTimes, comparison)) {
    const days = integerOf(reading, members, 'value', 0, daysMax)
    return days === undefined ? undefined : { comparison, days }
  }
  const number = anyNumberOf(reading, members, 'value')
  return number === undefined ? undefined : { comparison, number }
}

/** Reads `exists` and `does_not_exist`. A `value` is ignored but limited in size: trees are stored as they were sent. */
export function readPresence(
  reading: ParseState,
  members: Members,
  comparison: Presence['comparison'],
): Presence | undefined {
  const { value } = members.value
  if (value === undefined || value === null || isScalar(value)) return { comparison }
  return mustBe(reading, joinPath(members.path, 'value'), 'left out', value)
}

function readPattern(
  reading: ParseState,
  members: Members,
  comparison: (typeof patterns)[number],
): TextTest | undefined {
  const text = textOf(reading, members, 'value', reading.patternMax)
  if (text === undefined) return undefined
  reading.patterns++
  reading.patternCharacters += text.length
  const charactersMax = Math.max(patternCharactersMax, reading.patternMax)
  if (reading.patterns > patternsMax || reading.patternCharacters > charactersMax) {
    const limits = `at most ${patternsMax} of them and ${charactersMax} characters are allowed in one tree`
    return wrong(reading, joinPath(members.path, 'value'), `is one regular expression too many; ${limits}`)
  }
  const mistake = patternMistake(text, reading.patternMax)
  if (mistake !== undefined) return wrong(reading, joinPath(members.path, 'value'), mistake)
  return { comparison, text }
}

function readInclusion(
  reading: ParseState,
  members: Members,
  comparison: ListTest['comparison'],
): ListTest | undefined {
  const value = readScalar(reading, members)
  return value === undefined ? undefined : { comparison, value }
}

function readEquality(
  reading: ParseState,
  members: Members,
  comparison: (typeof equalities)[number],
): TextTest | NumberTest | FlagTest | undefined {
  const value = readScalar(reading, members)
  if (value === undefined) return undefined
  const isEqual = comparison === 'equals'
  if (typeof value === 'boolean') return { comparison: isEqual ? 'equals' : 'does_not_equal', flag: value }
  if (isAnyNumber(value)) return toNumberTest(comparison, value)
  return { comparison: isEqual ? 'equals' : 'not_equal', text: value }
}

function readInstant(reading: ParseState, members: Members, comparison: 'after' | 'before'): TimeTest | undefined {
  const { value } = members.value
  const ms = isComparedText(value) ? parseTime(value) : undefined
  if (ms === undefined) {
    return mustBe(reading, joinPath(members.path, 'value'), 'a time such as 2026-03-03T13:17:55+01:00', value)
  }
  return { comparison, ms }
}

/** Reads text, a number or a boolean: the types of list elements. */
function readScalar(reading: ParseState, members: Members): Scalar | undefined {
  const { value } = members.value
  if (isAnyNumber(value)) return anyNumberOf(reading, members, 'value')
  if (isScalar(value)) return value
  const expected = `text of at most ${textCharactersMax} characters without NUL, a number, true or false`
  return mustBe(reading, joinPath(members.path, 'value'), expected, value)
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'boolean' || isStorableNumber(value) || isComparedText(value)
}
