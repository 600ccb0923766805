import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { notValid } from '../../people/values/refusals.ts'
import { broken, fits, inspect, isObject, isUnsafeKey, type Json } from '../../people/values/values.ts'
import { propertiesBytesMax, propertiesNotObject, propertiesTooLong } from './trigger-schema.ts'

export type Properties = Readonly<Record<string, unknown>>

/** What clients call them, the later name of a key's value winning. */
export const propertyNames = ['trigger_properties', 'canvas_entry_properties', 'context'] as const

/**
 * The properties somebody enters with, as one object says them under any of their names (contract 4.8); undefined when it says none.
 * Names that reach an object's prototype are left out. `path` begins what is said about a mistake. Throws 400.
 */
export function readProperties(given: Properties, path: string): Properties | undefined {
  const said = propertyNames
    .filter((name) => isGiven(given[name]))
    .map((name) => readOne(given[name], `${path}${name}`))
  if (said.length === 0) return undefined
  const properties: Properties = Object.assign({}, ...said)
  if (Object.keys(properties).length === 0) return undefined
  if (!fits(properties as Json, propertiesBytesMax)) throw invalid(propertiesTooLong(`${path}${nameOf(given)}`))
  return properties
}

function readOne(value: unknown, path: string): Properties {
  if (!isObject(value)) throw invalid(propertiesNotObject(path))
  if (inspect(value, true) & broken) throw invalid(notValid(path))
  return withoutUnsafe(value) as Properties
}

function nameOf(given: Properties): string {
  return propertyNames.findLast((name) => isGiven(given[name]))!
}

function withoutUnsafe(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnsafe)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => !isUnsafeKey(key))
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutUnsafe(inner)]))
}
