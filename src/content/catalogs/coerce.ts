import { parseTime } from '../../base/dates.ts'
import { type AnyNumber, isAnyNumber, isStorableNumber, readNumber } from '../../base/exact-number.ts'
import { characterCount, isCleanText, isObject, isUnsafeKey, type Json } from '../../people/values/values.ts'
import type { RefusalId } from './refusals.ts'
import { arrayItemsMax, type FieldType, nestingMax } from './schema.ts'

/** A value with the type of its field, or the problem of a value that does not fit. */
export type Coerced = { readonly value: Json; readonly problem?: undefined } | { readonly problem: RefusalId }

const unfit: Coerced = { problem: 'unable-to-coerce-value' }
const tooDeep: Coerced = { problem: 'too-deep-nesting-in-value-object' }
const badKeys: Coerced = { problem: 'invalid-keys-in-value-object' }

// Each digit can match in only one way, so a text of a million digits takes linear time.
const numberForm = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const isoForm = /^\d{4}(?:-|\d{4}T)/i
/** Years 0 to 9999: their ISO texts all have 24 characters and sort as the times do. */
const timeFromMs = -62_167_219_200_000
const timeBelowMs = 253_402_300_800_000

/**
 * Converts a value to the type of its field (contract 4.9.1): a number or boolean to a text, a text such as `1.5` or `true` to a number or
 * boolean, a time to UTC with milliseconds. Null is a value of every type.
 */
export function coerce(type: FieldType, given: unknown): Coerced {
  if (given === null) return { value: null }
  switch (type) {
    case 'string':
      return textOf(given)
    case 'number':
      return numberOf(given)
    case 'boolean':
      return booleanOf(given)
    case 'time':
      return timeOf(given)
    case 'object':
      return objectOf(given)
    case 'array':
      return arrayOf(given)
    case 'geo':
      return geoOf(given)
  }
}

function textOf(given: unknown): Coerced {
  if (typeof given === 'boolean' || isStorableNumber(given)) return { value: String(given) }
  return typeof given === 'string' && isCleanText(given) ? { value: given } : unfit
}

function numberOf(given: unknown): Coerced {
  const number = typeof given === 'string' && numberForm.test(given) ? readNumber(jsonNumber(given)) : given
  if (!isStorableNumber(number)) return unfit
  return { value: withoutMinusZero(number) }
}

/** JSON has no -0. */
function withoutMinusZero(number: AnyNumber): AnyNumber {
  return typeof number === 'number' ? number + 0 : number
}

/** Returns a number as JSON writes it: without a plus, and with digits before and after the point. */
function jsonNumber(text: string): string {
  return text
    .replace(/^\+/, '')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.(?!\d)/, '')
}

function booleanOf(given: unknown): Coerced {
  if (given === true || given === 'true') return { value: true }
  return given === false || given === 'false' ? { value: false } : unfit
}

function timeOf(given: unknown): Coerced {
  if (typeof given !== 'string' || !isoForm.test(given)) return unfit
  const ms = parseTime(given)
  if (ms === undefined || ms < timeFromMs || ms >= timeBelowMs) return unfit
  return { value: new Date(ms).toISOString() }
}

function arrayOf(given: unknown): Coerced {
  if (!Array.isArray(given) || given.length > arrayItemsMax) return unfit
  const items: Json[] = []
  for (const each of given) {
    const item = textOf(each)
    if (item.problem !== undefined) return item
    items.push(item.value)
  }
  return { value: items }
}

function geoOf(given: unknown): Coerced {
  if (!Array.isArray(given) || given.length !== 2) return unfit
  const [longitude, latitude] = given
  const isPlace = isWithin(longitude, 180) && isWithin(latitude, 90)
  return isPlace ? { value: [withoutMinusZero(longitude), withoutMinusZero(latitude)] } : unfit
}

function isWithin(degrees: unknown, most: number): boolean {
  return isStorableNumber(degrees) && Math.abs(Number(degrees)) <= most
}

function objectOf(given: unknown): Coerced {
  if (!isObject(given)) return unfit
  return nestedProblem(given, 1) ?? { value: given as Json }
}

function nestedProblem(value: unknown, depth: number): Coerced | undefined {
  if (typeof value === 'string') return isCleanText(value) ? undefined : unfit
  if (isAnyNumber(value)) return isStorableNumber(value) ? undefined : unfit
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > nestingMax) return tooDeep
  if (!Array.isArray(value) && !Object.keys(value).every(isKey)) return badKeys
  for (const inner of Object.values(value)) {
    const problem = nestedProblem(inner, depth + 1)
    if (problem) return problem
  }
  return undefined
}

function isKey(key: string): boolean {
  return !/[.$]/.test(key) && isCleanText(key) && !isUnsafeKey(key)
}

/** Characters (code points) of a text, or of the JSON of another value. */
export function valueCharacters(value: Json): number {
  if (value === null) return 0
  return characterCount(typeof value === 'string' ? value : JSON.stringify(value))
}
