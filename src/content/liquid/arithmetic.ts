/** Calculates as in Ruby's Liquid: integers divide to integers, and decimals have no rounding error such as 0.30000000000000004. */

const significantDigits = 15
const decimal = /^\s*-?\d+\.\d+(?:e[+-]?\d+)?\s*$/i

/** Returns a value as a number; 0 for text that does not begin with one. */
export function toNumber(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return 0
  const read = decimal.test(value) ? Number(value) : Number.parseInt(value, 10)
  return Number.isFinite(read) ? read : 0
}

function rounded(value: number): number {
  return Number.isInteger(value) || !Number.isFinite(value) ? value : Number(value.toPrecision(significantDigits))
}

export const plus = (left: unknown, right: unknown) => rounded(toNumber(left) + toNumber(right))
export const minus = (left: unknown, right: unknown) => rounded(toNumber(left) - toNumber(right))
export const times = (left: unknown, right: unknown) => rounded(toNumber(left) * toNumber(right))

/** `isDecimal`: the divisor was written with a decimal point, as in `2.0`. */
export function divide(left: unknown, right: unknown, isDecimal: boolean): number {
  const [dividend, divisor] = [toNumber(left), toNumber(right)]
  const isInteger = !isDecimal && ![left, right].some((value) => typeof value === 'string' && decimal.test(value))
  if (isInteger && Number.isInteger(dividend) && Number.isInteger(divisor)) {
    if (divisor === 0) throw new RangeError('divided by 0')
    return Math.floor(dividend / divisor)
  }
  return finite(dividend / divisor)
}

export function modulo(left: unknown, right: unknown): number {
  const divisor = toNumber(right)
  if (divisor === 0) throw new RangeError('divided by 0')
  return rounded(((toNumber(left) % divisor) + divisor) % divisor)
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError('divided by 0')
  return rounded(value)
}

/** Formats `1234567.5` as `1,234,567.5`. Another value is returned unchanged. */
export function withDelimiter(value: unknown, delimiter = ','): unknown {
  const parts = /^\s*(-?)(\d+)(\.\d+)?\s*$/.exec(String(value))
  if (!parts) return value
  const [, sign, integer, fraction = ''] = parts
  const first = integer!.length % 3 || 3
  const groups = [integer!.slice(0, first)]
  for (let at = first; at < integer!.length; at += 3) groups.push(integer!.slice(at, at + 3))
  return `${sign}${groups.join(delimiter)}${fraction}`
}
