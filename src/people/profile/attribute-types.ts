import { isAnyNumber } from '../../base/exact-number.ts'
import { isObject, type Json } from '../values/values.ts'
import type { AttributeChange } from './attributes.ts'

/** Data types of custom attributes, each a bit: an attribute may have had several. */
export const typeBits = { boolean: 1, number: 2, string: 4, time: 8, array: 16, object: 32, objectArray: 64 } as const

/** The names of attributes and the bits of the types that they have had. */
export type AttributeTypes = ReadonlyMap<string, number>

/** Returns the bit of a value's type; 0 for null. A text that is a date is a time. */
export function typeOf(value: Json, isDate: boolean): number {
  switch (typeof value) {
    case 'string':
      return isDate ? typeBits.time : typeBits.string
    case 'boolean':
      return typeBits.boolean
    case 'number':
      return typeBits.number
    default:
      if (value === null) return 0
      if (isAnyNumber(value)) return typeBits.number
      if (Array.isArray(value)) return value.some(isObject) ? typeBits.objectArray : typeBits.array
      return typeBits.object
  }
}

export type ChangeItem = { readonly change: AttributeChange }

/**
 * Returns the types of the values that changes set, without those that are known already; undefined when all are known, which is nearly
 * always so.
 */
export function newTypes(items: readonly ChangeItem[], known: AttributeTypes): Map<string, number> | undefined {
  let found: Map<string, number> | undefined
  const add = (name: string, type: number) => {
    if (type === 0 || (known.get(name) ?? 0) & type) return
    found ??= new Map()
    found.set(name, (found.get(name) ?? 0) | type)
  }
  for (const { change } of items) {
    const { custom, typed, operations } = change
    for (const name in custom) add(name, typeOf(custom[name]!, typed !== null && Object.hasOwn(typed, name)))
    for (const operation of operations) {
      if (operation.kind === 'inc') add(operation.key, typeBits.number)
      else if (operation.kind === 'merge') add(operation.key, typeBits.object)
      // What only removes or updates items needs a stored array, whose type is known.
      else if (operation.add.length > 0) add(operation.key, typeOf(operation.add, false))
    }
  }
  return found
}

const labels = [
  [typeBits.boolean, 'Boolean'],
  [typeBits.number, 'Number'],
  [typeBits.string, 'String'],
  [typeBits.time, 'Time'],
  [typeBits.array, 'Array'],
  [typeBits.object, 'Object'],
  [typeBits.objectArray, 'Object Array'],
] as const

/** Returns the types as lists of attributes print them. */
export function typesText(types: number): string {
  const names = labels.filter(([bit]) => types & bit).map(([, label]) => label)
  return `${names.join(', ')} (Automatically Detected)`
}
