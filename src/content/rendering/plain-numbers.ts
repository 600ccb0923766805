import { ExactNumber } from '../../base/exact-number.ts'

/**
 * Returns a value for templates, which have numbers of JavaScript only: a number that no double has becomes the text of its digits. The
 * value itself when it has no such number.
 */
export function withPlainNumbers<Value>(value: Value): Value {
  return hasExactNumber(value, new Set()) ? (replaced(value, new Map()) as Value) : value
}

/** Makes no copies: every message to a process is searched. An object that occurs several times is searched once. */
function hasExactNumber(value: unknown, searched: Set<object>): boolean {
  if (typeof value !== 'object' || value === null || searched.has(value)) return false
  if (value instanceof ExactNumber) return true
  searched.add(value)
  if (Array.isArray(value)) return value.some((item) => hasExactNumber(item, searched))
  for (const name in value) if (hasExactNumber((value as Record<string, unknown>)[name], searched)) return true
  return false
}

/** An object that occurs several times is copied once. */
function replaced(value: unknown, copies: Map<object, unknown>): unknown {
  if (value instanceof ExactNumber) return value.text
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  const known = copies.get(value)
  if (known !== undefined) return known
  const copy = Array.isArray(value)
    ? value.map((item) => replaced(item, copies))
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, copies)]))
  copies.set(value, copy)
  return copy
}
