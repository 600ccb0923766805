import { ExactNumber, isAnyNumber } from '../../base/exact-number.ts'
import type { Notices } from '../../base/http/notices.ts'
import { unsafeKeys } from '../values/drops.ts'
import { notValid } from '../values/refusals.ts'
import {
  broken,
  depthMax,
  holdsUnsafeKey,
  isCleanText,
  isObject,
  isUnsafeKey,
  type Json,
  storedBytes,
} from '../values/values.ts'
import { badProperties } from './schema.ts'

/** Properties that are numbers in the recommended e-commerce events. */
const numericMembers = ['price', 'total_value', 'total_discounts']
const recommendedPrefix = 'ecommerce.'

/**
 * Returns the text that refuses an event or a purchase for its `properties`; undefined if they are valid or absent. They are free-form
 * (specification 2.2): only their depth and what a database cannot store is checked. `reserved` are names that they may not have.
 */
export function refuseProperties(
  properties: unknown,
  name: string,
  reserved: readonly string[],
  suspicious: boolean,
  notices: Notices,
): string | undefined {
  if (properties === undefined || properties === null) return undefined
  if (!isObject(properties)) return badProperties
  const facts = inspectFreeForm(properties, suspicious, 1)
  if (facts & broken) return notValid('properties')
  if (reserved.some((key) => Object.hasOwn(properties, key))) return badProperties
  if (facts & holdsUnsafeKey) notices.add('properties', unsafeKeys)
  return name.startsWith(recommendedPrefix) ? refuseRecommended(properties) : undefined
}

/** Walks a value whose names and texts have no limits. Returns `broken` if it cannot be stored, else the other facts. */
function inspectFreeForm(value: unknown, suspicious: boolean, depth: number): number {
  switch (typeof value) {
    case 'string':
      return suspicious && !isCleanText(value) ? broken : 0
    case 'number':
      return Number.isFinite(value) ? 0 : broken
    case 'object':
      if (value === null) return 0
      if (value instanceof ExactNumber) return value.isStorable ? 0 : broken
      if (depth > depthMax) return broken
      return Array.isArray(value)
        ? inspectItems(value, suspicious, depth)
        : inspectMembers(value as Readonly<Record<string, unknown>>, suspicious, depth)
    default:
      return 0
  }
}

function inspectItems(items: readonly unknown[], suspicious: boolean, depth: number): number {
  let facts = 0
  for (let i = 0; i < items.length; i++) {
    facts |= inspectFreeForm(items[i], suspicious, depth + 1)
    if (facts & broken) return broken
  }
  return facts
}

function inspectMembers(object: Readonly<Record<string, unknown>>, suspicious: boolean, depth: number): number {
  let facts = 0
  for (const key in object) {
    if (suspicious) {
      if (!isCleanText(key)) return broken
      if (isUnsafeKey(key)) facts |= holdsUnsafeKey
    }
    facts |= inspectFreeForm(object[key], suspicious, depth + 1)
    if (facts & broken) return broken
  }
  return facts
}

function refuseRecommended(properties: Readonly<Record<string, unknown>>): string | undefined {
  for (const member of numericMembers) {
    const value = properties[member]
    if (value === undefined || isAnyNumber(value)) continue
    const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
    return `The property '#/${member}' of type ${type} did not match the following type: number`
  }
  return undefined
}

/** JSON has at most that many times its characters as bytes in the database: `[5e-324]` is the shortest of a number with an exponent. */
const growthMax = 50

/** Returns the JSON to store for valid `properties`: null for none, undefined if it exceeds `bytesMax`. */
export function propertiesText(properties: unknown, bytesMax: number, suspicious: boolean): string | null | undefined {
  if (properties === undefined || properties === null) return null
  const text = suspicious ? JSON.stringify(properties, withoutUnsafeKeys) : JSON.stringify(properties)
  if (text.length * growthMax > bytesMax && storedBytes(properties as Json, text) > bytesMax) return undefined
  return text === '{}' ? null : text
}

function withoutUnsafeKeys(key: string, value: unknown): unknown {
  return isUnsafeKey(key) ? undefined : value
}
