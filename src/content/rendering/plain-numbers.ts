import { ExactNumber } from '../../base/exact-number.ts'

/**
 * Returns a value for templates, which have numbers of JavaScript only: a number that no double has becomes the text of its digits. The
 * value itself when it has no such number.
 */
export function withPlainNumbers<Value>(value: Value): Value {
  return hasExactNumber(value) ? (replaced(value) as Value) : value
}

/** Makes no copies: every message to a process is searched. */
function hasExactNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (value instanceof ExactNumber) return true
  if (Array.isArray(value)) return value.some(hasExactNumber)
  for (const name in value) if (hasExactNumber((value as Record<string, unknown>)[name])) return true
  return false
}

function replaced(value: unknown): unknown {
  if (value instanceof ExactNumber) return value.text
  if (Array.isArray(value)) return value.map(replaced)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member)]))
}
