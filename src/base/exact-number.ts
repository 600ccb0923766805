declare global {
  interface JSON {
    /** Returns a value that `JSON.stringify` writes as this text. */
    rawJSON(text: string): unknown
  }
}

/** A number with more characters than this is not stored. */
export const numberCharactersMax = 1000
/** Below this size, doubles have fewer digits. */
export const leastSize = 2 ** -1022
/** JavaScript writes doubles with an exponent from this size on, and below the other. */
const exponentMin = 1e21
const fractionMin = 1e-6
/** Characters of a double without an exponent, at most: those of -2.2250738585072014e-308. */
export const plainCharactersMax = 327

/**
 * A number of JSON that is no double, such as an integer of 20 digits or a fraction of 18. `JSON.stringify` writes it with all its digits.
 * It is no number of JavaScript, so code that expects one refuses it.
 */
export class ExactNumber {
  /** The number without exponent, and without zeros that do not count. As it was sent when it cannot be stored. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Whether it can be stored: it has not too many digits, and it is in the range of a double. */
  get isStorable(): boolean {
    const size = Math.abs(Number(this.text))
    return this.text.length <= numberCharactersMax && size >= leastSize && size < Infinity
  }

  get isInteger(): boolean {
    return !this.text.includes('.')
  }

  /** The same for equal numbers, and for nothing else: no text that is stored has half a surrogate pair. */
  get key(): string {
    return `\ud800${this.text}`
  }

  toJSON(): unknown {
    return JSON.rawJSON(this.text)
  }

  toString(): string {
    return this.text
  }
}

/** A number as requests and the database have it. */
export type AnyNumber = number | ExactNumber

export function isAnyNumber(value: unknown): value is AnyNumber {
  return typeof value === 'number' || value instanceof ExactNumber
}

export function isAnyInteger(value: unknown): value is AnyNumber {
  return value instanceof ExactNumber ? value.isInteger : Number.isInteger(value)
}

/** Whether a value is a number that can be stored. */
export function isStorableNumber(value: unknown): value is AnyNumber {
  return value instanceof ExactNumber ? value.isStorable : Number.isFinite(value)
}

/** Reads a number of JSON: as a double if that is the same number and, when it is an integer, below 2^53; else with its digits. */
export function readNumber(text: string): AnyNumber {
  const double = Number(text)
  if (text.length > numberCharactersMax) return new ExactNumber(text)
  if (double === 0 || !Number.isFinite(double)) return /^[^eE]*[1-9]/.test(text) ? new ExactNumber(text) : 0
  const plain = plainText(text)
  const isSame = Math.abs(double) <= Number.MAX_SAFE_INTEGER && plainText(String(double)) === plain
  return isSame ? double : new ExactNumber(plain)
}

/** Whether JavaScript writes a number with an exponent. The database writes it out, so it is longer there. */
export function hasExponent(value: number): boolean {
  const size = Math.abs(value)
  return size >= exponentMin || (size < fractionMin && size > 0)
}

/** Returns how many more characters a finite number has in the database than in the text that JavaScript writes. */
export function exponentCharacters(value: number): number {
  if (!hasExponent(value)) return 0
  const text = String(value)
  return plainText(text).length - text.length
}

const zero = 48
const numberForm = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Returns a number without exponent, and without zeros that do not count. */
function plainText(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = numberForm.exec(text)!
  const places = fraction.length - Number(exponent)
  const digits = whole + fraction
  if (places <= 0) return sign + digits.padEnd(digits.length - places, '0').replace(/^0+(?=\d)/, '')
  const padded = digits.padStart(places + 1, '0')
  const decimals = withoutLastZeros(padded.slice(-places))
  return sign + padded.slice(0, -places).replace(/^0+(?=\d)/, '') + (decimals && `.${decimals}`)
}

/** A pattern would take the square of the time, for each run of zeros. */
function withoutLastZeros(digits: string): string {
  let end = digits.length
  while (digits.charCodeAt(end - 1) === zero) end--
  return digits.slice(0, end)
}

/** Returns a number below 0, 0, or a number above 0: how `a` compares with `b`. */
export function compareNumbers(a: AnyNumber, b: AnyNumber): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [one, other] = alignedDigits(a, b)
  return one < other ? -1 : one > other ? 1 : 0
}

/** Returns the sum. Doubles are added as doubles, unless the result is an integer that no double has. */
export function addNumbers(a: AnyNumber, b: AnyNumber): AnyNumber {
  if (typeof a === 'number' && typeof b === 'number' && Math.abs(a + b) <= Number.MAX_SAFE_INTEGER) return a + b
  const [one, other, places] = alignedDigits(a, b)
  return readNumber(`${one + other}e-${places}`)
}

/** Returns both numbers as integers, and how many of their digits are decimals. */
function alignedDigits(a: AnyNumber, b: AnyNumber): [bigint, bigint, number] {
  const texts = [plainText(String(a)), plainText(String(b))]
  const decimals = texts.map((text) => text.split('.')[1] ?? '')
  const places = Math.max(...decimals.map(({ length }) => length))
  const [one, other] = texts.map((text, i) => BigInt(text.replace('.', '') + '0'.repeat(places - decimals[i]!.length)))
  return [one!, other!, places]
}
