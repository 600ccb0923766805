import { type AnyNumber, ExactNumber, isAnyInteger } from '../../base/exact-number.ts'
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

const unfit = long | holdsNull | oddKey

/**
 * Returns the stored form of a value. Returns undefined if it must not be part of a custom attribute, and then the update is dropped.
 * `facts` are the results of `inspect`.
 */
export function toStored(value: unknown, facts: number): Json | undefined {
  if (facts & unfit) return undefined
  return facts & (holdsTime | holdsUnsafeKey) ? tidy(value as Json) : (value as Json)
}

function readStored(value: unknown, suspicious: boolean): Json | undefined {
  return toStored(value, inspect(value, suspicious))
}

/** Whether an object given for a custom attribute is an instruction, not a value. */
export function isOperation(object: Readonly<Record<string, unknown>>): boolean {
  let keys = 0
  for (const key in object) {
    if (isUnsafeKey(key)) continue
    keys++
    if (key === 'inc') {
      if (typeof object.inc === 'object' && !(object.inc instanceof ExactNumber)) return false
    } else if (!(isArrayKey(key) && Array.isArray(object[key]))) return false
  }
  return keys > 0 && (keys === 1 || !('inc' in object))
}

function isArrayKey(key: string): boolean {
  return key === 'add' || key === 'remove' || key === '$add' || key === '$remove' || key === '$update'
}

/** Reads an instruction. Returns undefined if part of it is wrong, and then it is dropped silently. */
export function readOperation(
  key: string,
  object: Readonly<Record<string, unknown>>,
  merging: boolean,
  suspicious: boolean,
): Operation | undefined {
  if ('inc' in object) {
    const by = object.inc
    return isAnyInteger(by) ? { kind: 'inc', key, by } : undefined
  }
  const add: Json[] = []
  const remove: Json[] = []
  const removeWhere: Match[] = []
  const update: { where: Match; value: JsonObject }[] = []
  for (const item of [...listOf(object.add), ...listOf(object.$add)]) {
    const value = readStored(item, suspicious)
    if (value === undefined) return undefined
    add.push(value)
  }
  for (const item of [...listOf(object.remove), ...listOf(object.$remove)]) {
    if (isObject(item)) {
      const where = readMatch(item, suspicious)
      if (!where) return undefined
      removeWhere.push(where)
    } else remove.push(item as Json)
  }
  for (const item of listOf(object.$update)) {
    if (!isObject(item)) return undefined
    const where = readMatch(item, suspicious)
    const value = isObject(item.$new_object) ? readStored(item.$new_object, suspicious) : undefined
    if (!where || value === undefined || !isObject(value)) return undefined
    update.push({ where, value: value as JsonObject })
  }
  return { kind: 'array', key, add, remove, removeWhere, update, merging }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function readMatch(item: Readonly<Record<string, unknown>>, suspicious: boolean): Match | undefined {
  const { $identifier_key: key, $identifier_value: value } = item
  if (typeof key !== 'string' || value === undefined || value === null) return undefined
  const wanted = readStored(value, suspicious)
  return wanted === undefined || isContainer(wanted) ? undefined : { key, value: wanted }
}
