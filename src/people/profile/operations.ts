import {
  holdsNull,
  holdsTime,
  holdsUnsafeKey,
  inspect,
  isObject,
  isUnsafeKey,
  type Json,
  type JsonObject,
  long,
  oddKey,
  tidy,
} from '../values/values.ts'

/** Objects of an array whose member `key` is `value`. */
export type Match = { readonly key: string; readonly value: Json }

/** Adding to and taking from an array; it works in this order: add, remove, update. */
export type ArrayOperation = {
  readonly kind: 'array'
  readonly key: string
  readonly add: readonly Json[]
  readonly remove: readonly Json[]
  readonly removeWhere: readonly Match[]
  readonly update: readonly { readonly where: Match; readonly value: JsonObject }[]
  /** Whether `update` merges into the object that matches or puts another in its place. */
  readonly merging: boolean
}

/** A change of a custom attribute whose outcome depends on the value it has. */
export type Operation =
  | { readonly kind: 'inc'; readonly key: string; readonly by: number }
  | { readonly kind: 'merge'; readonly key: string; readonly value: JsonObject }
  | ArrayOperation

const unfit = long | holdsNull | oddKey

/**
 * A value of which `facts` are known (`inspect`) as it is stored; undefined when it may not be part of a custom attribute, in
 * which case the update is dropped.
 */
export function toStored(value: unknown, facts: number): Json | undefined {
  if (facts & unfit) return undefined
  return facts & (holdsTime | holdsUnsafeKey) ? tidy(value as Json) : (value as Json)
}

function readStored(value: unknown, suspicious: boolean): Json | undefined {
  return toStored(value, inspect(value, suspicious))
}

/** Whether an object sent as the value of a custom attribute is an instruction rather than a value. */
export function isOperation(object: Readonly<Record<string, unknown>>): boolean {
  let keys = 0
  for (const key in object) {
    if (isUnsafeKey(key)) continue
    keys++
    if (key === 'inc') {
      if (typeof object.inc === 'object') return false
    } else if (!(isArrayKey(key) && Array.isArray(object[key]))) return false
  }
  return keys > 0 && (keys === 1 || !('inc' in object))
}

function isArrayKey(key: string): boolean {
  return key === 'add' || key === 'remove' || key === '$add' || key === '$remove' || key === '$update'
}

/** Reads an instruction; undefined when something in it is wrong, in which case it is dropped without a word. */
export function readOperation(
  key: string,
  object: Readonly<Record<string, unknown>>,
  merging: boolean,
  suspicious: boolean,
): Operation | undefined {
  if ('inc' in object) {
    const by = object.inc
    return typeof by === 'number' && Number.isInteger(by) ? { kind: 'inc', key, by } : undefined
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
  return wanted === undefined || typeof wanted === 'object' ? undefined : { key, value: wanted }
}
