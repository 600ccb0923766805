import { parseCustomDate } from '../../base/dates.ts'
import { compareNumbers, isAnyNumber } from '../../base/exact-number.ts'
import { isObject, type Json, keyOf } from '../../people/values/values.ts'
import { matchesPattern } from './regex.ts'
import type { FlagTest, ListTest, NumberTest, Presence, TextTest, TimeTest, ValueTest } from './tree.ts'

const dayMs = 86_400_000

/** Returns whether an attribute with these values passes a test. `values` has no null, and is empty when the attribute is not set. */
export function valueHolds(test: ValueTest, values: readonly Json[], nowMs: number): boolean {
  if ('text' in test) return textHolds(test, values)
  if ('number' in test) return numberHolds(test, values)
  if ('flag' in test) return values.includes(test.flag) === (test.comparison === 'equals')
  if ('value' in test) return listHolds(test, values)
  if (isTimeTest(test)) return timeHolds(test, values.map(dateOf).filter(isNumber), nowMs)
  return presenceHolds(test, values)
}

export function presenceHolds({ comparison }: Presence, values: readonly unknown[]): boolean {
  return values.length > 0 === (comparison === 'exists')
}

export function textHolds({ comparison, text }: TextTest, values: readonly Json[]): boolean {
  const texts = values.filter((value) => typeof value === 'string')
  switch (comparison) {
    case 'equals':
      return texts.includes(text)
    case 'not_equal':
      return !texts.includes(text)
    case 'matches_regex':
      return texts.some((each) => matchesPattern(text, each))
    case 'does_not_match_regex':
      return texts.length > 0 && !texts.some((each) => matchesPattern(text, each))
  }
}

/** A person without a value counts as less than any number, and as equal to 0. */
export function numberHolds({ comparison, number }: NumberTest, values: readonly Json[]): boolean {
  const orders = values.filter(isAnyNumber).map((each) => compareNumbers(each, number))
  const isUnset = values.length === 0
  switch (comparison) {
    case 'equals':
    case 'not_equal':
      return (orders.includes(0) || (isUnset && number === 0)) === (comparison === 'equals')
    case 'greater_than':
      return orders.some((order) => order > 0)
    case 'greater_than_or_equal_to':
      return orders.some((order) => order >= 0)
    case 'less_than':
      return isUnset || orders.some((order) => order < 0)
    case 'less_than_or_equal_to':
      return isUnset || orders.some((order) => order <= 0)
  }
}

function listHolds({ comparison, value }: ListTest, values: readonly Json[]): boolean {
  const key = keyOf(value)
  const included = values.some((each) => Array.isArray(each) && each.some((item) => keyOf(item) === key))
  return included === (comparison === 'includes_value')
}

/** Returns whether one of these instants (whole epoch milliseconds) is in the time span of the test. */
export function timeHolds(test: TimeTest, instantsMs: readonly number[], nowMs: number): boolean {
  const { fromMs, belowMs } = timeSpan(test, nowMs)
  return instantsMs.some((ms) => ms >= fromMs && ms < belowMs)
}

/** A span of time: `fromMs` is included, `belowMs` is not. */
export type TimeSpan = { readonly fromMs: number; readonly belowMs: number }

export function timeSpan(test: TimeTest, nowMs: number): TimeSpan {
  switch (test.comparison) {
    case 'less_than_x_days_ago':
      return { fromMs: nowMs - test.days * dayMs + 1, belowMs: nowMs + 1 }
    case 'greater_than_x_days_ago':
      return { fromMs: Number.NEGATIVE_INFINITY, belowMs: nowMs - test.days * dayMs }
    case 'less_than_x_days_in_the_future':
      return { fromMs: nowMs + 1, belowMs: nowMs + test.days * dayMs }
    case 'greater_than_x_days_in_the_future':
      return { fromMs: nowMs + test.days * dayMs + 1, belowMs: Number.POSITIVE_INFINITY }
    case 'after':
      return { fromMs: test.ms + 1, belowMs: Number.POSITIVE_INFINITY }
    case 'before':
      return { fromMs: Number.NEGATIVE_INFINITY, belowMs: test.ms }
  }
}

/** Returns the last `days` up to now; without `days`, all time up to now. */
export function lastDaysSpan(days: number | undefined, nowMs: number): TimeSpan {
  const fromMs = days === undefined ? Number.NEGATIVE_INFINITY : nowMs - days * dayMs + 1
  return { fromMs, belowMs: nowMs + 1 }
}

export function isTimeTest(test: ValueTest): test is TimeTest {
  return 'days' in test || 'ms' in test
}

export function isPresence(test: ValueTest): test is Presence {
  return test.comparison === 'exists' || test.comparison === 'does_not_exist'
}

/** Returns whether the properties of one event or purchase pass all tests. Properties are tested as attributes are. */
export function propertiesHold(
  tests: readonly { readonly name: string; readonly test: Presence | TextTest | NumberTest | FlagTest }[],
  properties: Json,
): boolean {
  return tests.every(({ name, test }) => valueHolds(test, valuesAt(properties, [name]), 0))
}

/** Returns the values under these keys, without null. Of a list on the path, each element is read, but a list in a list is skipped. */
export function valuesAt(value: Json, path: readonly string[]): Json[] {
  let found: Json[] = [value]
  for (const key of path) {
    found = found
      .flatMap((each) => (Array.isArray(each) ? (each as readonly Json[]) : [each]))
      .filter((each) => isObject(each) && Object.hasOwn(each, key))
      .map((each) => (each as Record<string, Json>)[key]!)
  }
  return found.filter((each) => each !== null)
}

function dateOf(value: Json): number | undefined {
  return typeof value === 'string' ? parseCustomDate(value) : undefined
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}
