import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { notValid } from '../../people/values/refusals.ts'
import { broken, fits, inspect, isObject, isUnsafeKey, type Json } from '../../people/values/values.ts'
import type { RequestBody } from './read-body.ts'
import type { Properties } from './sending.ts'
import { propertiesBytesMax, propertiesNotObject, propertiesTooLong } from './trigger-schema.ts'

/** The names of the member in requests. A value under a later name wins. */
export const propertyNames = ['trigger_properties', 'canvas_entry_properties', 'context'] as const

/**
 * Reads the properties for a flow from all members that may have them (contract 4.8), as one object; undefined when there are none. Keys
 * that reach the prototype of an object are dropped. `path`: the path of the object, for the error. Throws 400.
 */
export function readProperties(given: RequestBody, path: string): Properties | undefined {
  const found = propertyNames
    .filter((name) => isGiven(given[name]))
    .map((name) => readOne(given[name], `${path}${name}`))
  if (found.length === 0) return undefined
  const properties: Properties = Object.assign({}, ...found)
  if (Object.keys(properties).length === 0) return undefined
  if (!fits(properties as Json, propertiesBytesMax)) throw invalid(propertiesTooLong(`${path}${lastName(given)}`))
  return properties
}

function readOne(value: unknown, path: string): Properties {
  if (!isObject(value)) throw invalid(propertiesNotObject(path))
  if (inspect(value, true) & broken) throw invalid(notValid(path))
  return withoutUnsafeKeys(value) as Properties
}

function lastName(given: RequestBody): string {
  return propertyNames.findLast((name) => isGiven(given[name]))!
}

function withoutUnsafeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnsafeKeys)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => !isUnsafeKey(key))
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutUnsafeKeys(inner)]))
}
