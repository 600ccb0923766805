import { type AnyNumber, isAnyInteger } from '../../base/exact-number.ts'
import { type NullReading, withoutNulls } from '../values/nulls.ts'
import {
  holdsNull,
  holdsTime,
  holdsUnsafeKey,
  inspect,
  isContainer,
  isObject,
  isUnsafeKey,
  type Json,
  type JsonObject,
  long,
  oddKey,
  tidy,
} from '../values/values.ts'

/** Selects the objects of an array whose member `key` is `value`. */
export type Match = { readonly key: string; readonly value: Json }

/** Changes an array: adds, then removes, then updates. */
export type ArrayOperation = {
  readonly kind: 'array'
  readonly key: string
  readonly add: readonly Json[]
  readonly remove: readonly Json[]
  readonly removeWhere: readonly Match[]
  readonly update: readonly { readonly where: Match; readonly value: JsonObject }[]
  /** Whether `update` merges into a matching object, or replaces it. */
  readonly merging: boolean
}

/** A change of a custom attribute that depends on its current value. */
export type Operation =
  | { readonly kind: 'inc'; readonly key: string; readonly by: AnyNumber }
  | { readonly kind: 'merge'; readonly key: string; readonly value: JsonObject }
  | ArrayOperation

/**
 * Returns the stored form of a value. Returns undefined if it must not be part of a custom attribute, and then the update is dropped.
 * `facts` are the results of `inspect`. `path` is where the value is, for reasons.
 */
export function toStored(value: unknown, facts: number, path: string, reading: NullReading): Json | undefined {
  if (facts & (long | oddKey)) return undefined
  const tidied = facts & (holdsTime | holdsUnsafeKey) ? tidy(value as Json) : (value as Json)
  if (!(facts & holdsNull) || reading.nestedNulls === 'store') return tidied
  const kept = withoutNulls(tidied, path, reading.nulls)
  return reading.nestedNulls === 'refuse_attribute' ? undefined : kept
}

function readStored(value: unknown, path: string, reading: NullReading): Json | undefined {
  return toStored(value, inspect(value, reading.suspicious), path, reading)
}

/** Whether an object given for a custom attribute is an instruction, right or wrong, and not a value. */
export function isOperation(object: Readonly<Record<string, unknown>>): boolean {
  let keys = 0
  for (const key in object) {
    if (isUnsafeKey(key)) continue
    keys++
    if (key === 'inc') {
      if (isContainer(object.inc as Json)) return false
    } else if (!(isArrayKey(key) && (Array.isArray(object[key]) || object[key] === null))) return false
  }
  return keys > 0 && (keys === 1 || !('inc' in object))
}

function isArrayKey(key: string): boolean {
  return key === 'add' || key === 'remove' || key === '$add' || key === '$remove' || key === '$update'
}

/** Reads an instruction. Returns undefined if part of it is wrong, and then all of it is dropped. */
export function readOperation(
  key: string,
  object: Readonly<Record<string, unknown>>,
  merging: boolean,
  reading: NullReading,
): Operation | undefined {
  if ('inc' in object) {
    const by = object.inc
    return isAnyInteger(by) ? { kind: 'inc', key, by } : undefined
  }
  if (Object.values(object).includes(null)) return undefined
  const add: Json[] = []
  const remove: Json[] = []
  const removeWhere: Match[] = []
  const update: { where: Match; value: JsonObject }[] = []
  for (const name of ['add', '$add']) {
    const added = readStored(listOf(object[name]), `${key}.${name}`, reading)
    if (!Array.isArray(added)) return undefined
    add.push(...added)
  }
  for (const item of [...listOf(object.remove), ...listOf(object.$remove)]) {
    if (isObject(item)) {
      const where = readMatch(item, reading)
      if (!where) return undefined
      removeWhere.push(where)
    } else remove.push(item as Json)
  }
  for (const [i, item] of listOf(object.$update).entries()) {
    if (!isObject(item)) return undefined
    const where = readMatch(item, reading)
    const given = item.$new_object
    const value = isObject(given) ? readStored(given, `${key}.$update[${i}].$new_object`, reading) : undefined
    if (!where || value === undefined || !isObject(value)) return undefined
    update.push({ where, value: value as JsonObject })
  }
  return { kind: 'array', key, add, remove, removeWhere, update, merging }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function readMatch(item: Readonly<Record<string, unknown>>, reading: NullReading): Match | undefined {
  const { $identifier_key: key, $identifier_value: value } = item
  if (typeof key !== 'string' || value === undefined || value === null) return undefined
  const wanted = readStored(value, key, { ...reading, nulls: [] })
  return wanted === undefined || isContainer(wanted) ? undefined : { key, value: wanted }
}
