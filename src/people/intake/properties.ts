import { notValid } from '../values/refusals.ts'
import {
  broken,
  charactersMax,
  holdsUnsafeKey,
  inspect,
  isCleanText,
  isLong,
  isObject,
  isUnsafeKey,
  keysMax,
  long,
} from '../values/values.ts'
import { badProperties, propertyNamesMax } from './schema.ts'

/** Properties that are numbers in the recommended e-commerce events. */
const numericMembers = ['price', 'total_value', 'total_discounts']
const recommendedPrefix = 'ecommerce.'

/**
 * Returns the text that refuses an event or a purchase for its `properties`; undefined if they are valid or absent. `reserved` are names
 * that belong to the object itself.
 */
export function refuseProperties(
  properties: unknown,
  name: string,
  reserved: ReadonlySet<string>,
  suspicious: boolean,
): string | undefined {
  if (properties === undefined || properties === null) return undefined
  if (!isObject(properties)) return badProperties
  let keys = 0
  let malformed = false
  for (const key in properties) {
    if (++keys > keysMax || (suspicious && !isCleanText(key))) return notValid('properties')
    const facts = inspect(properties[key], suspicious, 2)
    if (facts & broken) return notValid('properties')
    if (facts & long || !isPropertyName(key) || reserved.has(key)) malformed = true
  }
  if (malformed) return badProperties
  return name.startsWith(recommendedPrefix) ? refuseRecommended(properties) : undefined
}

function isPropertyName(key: string): boolean {
  return key !== '' && key.charCodeAt(0) !== 36 && !(key.length > charactersMax && isLong(key))
}

function refuseRecommended(properties: Readonly<Record<string, unknown>>): string | undefined {
  for (const member of numericMembers) {
    const value = properties[member]
    if (value === undefined || typeof value === 'number') continue
    const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
    return `The property '#/${member}' of type ${type} did not match the following type: number`
  }
  return undefined
}

/** Returns the JSON to store for valid `properties`: null for none, undefined if it exceeds `bytesMax`. */
export function propertiesText(properties: unknown, bytesMax: number, suspicious: boolean): string | null | undefined {
  if (properties === undefined || properties === null) return null
  const kept = keepFirstNames(properties as Readonly<Record<string, unknown>>)
  const unsafe = suspicious && (inspect(kept, suspicious) & holdsUnsafeKey) !== 0
  const text = unsafe ? JSON.stringify(kept, withoutUnsafeKeys) : JSON.stringify(kept)
  if (text.length * 3 > bytesMax && Buffer.byteLength(text) > bytesMax) return undefined
  return text === '{}' ? null : text
}

function keepFirstNames(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let keys = 0
  for (const _ in properties) keys++
  if (keys <= propertyNamesMax) return properties
  return Object.fromEntries(Object.entries(properties).slice(0, propertyNamesMax))
}

function withoutUnsafeKeys(key: string, value: unknown): unknown {
  return isUnsafeKey(key) ? undefined : value
}
