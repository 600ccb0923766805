/**
 * Arrays in PostgreSQL's binary format, the fastest way to send many rows: `unnest(${int4Array(xs)}::int4[], ...)`. The cast must
 * name exactly this type, because the element's type is part of the bytes. An `unnest` in FROM materializes each array before the
 * first row; where that costs too much, unnest each in a select list instead.
 */

const TYPES = { bool: 16, int8: 20, int4: 23, text: 25, float8: 701, timestamptz: 1184, jsonb: 3802 } as const
/** Dimensions, whether there are nulls, element type, length, lower bound: 32 bits each. */
const HEADER_WORDS = 5
const WORD = 2 ** 32
/** PostgreSQL counts from 2000-01-01. Two words, because the difference of two safe integers may not be a safe one. */
const EPOCH_MICROS = 946_684_800_000_000
const EPOCH_HIGH = Math.floor(EPOCH_MICROS / WORD)
const EPOCH_LOW = EPOCH_MICROS % WORD

export function int4Array(values: readonly (number | null)[] | Int32Array): Buffer {
  const words = wordsOf(TYPES.int4, values.length, 2)
  let at = HEADER_WORDS
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    if (value === null) {
      words[at++] = -1
      continue
    }
    words[at++] = 4
    words[at++] = value
  }
  return bytesOf(words, values.length === 0 ? words.length : at)
}

/** `values` are ids and other 64-bit numbers, as decimal strings or bigints. */
export function int8Array(values: readonly (string | bigint)[]): Buffer {
  const words = wordsOf(TYPES.int8, values.length, 3)
  for (let i = 0, at = HEADER_WORDS; i < values.length; i++) {
    wide[0] = BigInt(values[i]!)
    words[at++] = 8
    words[at++] = wideWords[1]!
    words[at++] = wideWords[0]!
  }
  return bytesOf(words)
}

export function float8Array(values: readonly number[] | Float64Array): Buffer {
  const words = wordsOf(TYPES.float8, values.length, 3)
  for (let i = 0, at = HEADER_WORDS; i < values.length; i++) {
    double[0] = values[i]!
    words[at++] = 8
    words[at++] = doubleWords[1]!
    words[at++] = doubleWords[0]!
  }
  return bytesOf(words)
}

/** `values` are epoch microseconds, safe integers. */
export function timestampArray(values: readonly (number | null)[]): Buffer {
  const words = wordsOf(TYPES.timestamptz, values.length, 3)
  let at = HEADER_WORDS
  for (const value of values) {
    if (value === null) {
      words[at++] = -1
      continue
    }
    const high = Math.floor(value / WORD)
    const low = value - high * WORD - EPOCH_LOW
    words[at++] = 8
    words[at++] = high - EPOCH_HIGH - (low < 0 ? 1 : 0)
    words[at++] = low
  }
  return bytesOf(words, at)
}

export function boolArray(values: readonly (boolean | null)[]): Buffer {
  return framed(TYPES.bool, values, values.length, (bytes, value, at) => {
    bytes[at] = value ? 1 : 0
    return 1
  })
}

export function textArray(values: readonly (string | null)[]): Buffer {
  return framed(TYPES.text, values, utf8BytesMax(values), (bytes, value, at) => bytes.write(value, at))
}

/** Each of `values` is JSON text. */
export function jsonbArray(values: readonly (string | null)[]): Buffer {
  return framed(TYPES.jsonb, values, utf8BytesMax(values) + values.length, (bytes, value, at) => {
    bytes[at] = 1 // the format's version
    return 1 + bytes.write(value, at + 1)
  })
}

const wide = new BigInt64Array(1)
const wideWords = new Int32Array(wide.buffer)
const double = new Float64Array(1)
const doubleWords = new Int32Array(double.buffer)

function wordsOf(type: number, count: number, wordsEach: number): Int32Array {
  const words = new Int32Array(count === 0 ? 3 : HEADER_WORDS + count * wordsEach)
  words[0] = count === 0 ? 0 : 1
  words[1] = 1
  words[2] = type
  words[3] = count
  words[4] = 1
  return words
}

/** Returns the words in network byte order. */
function bytesOf(words: Int32Array, used = words.length): Buffer {
  return Buffer.from(words.buffer, 0, (words[0] === 0 ? 3 : used) * 4).swap32()
}

function utf8BytesMax(values: readonly (string | null)[]): number {
  let units = 0
  for (const value of values) if (value !== null) units += value.length
  return units * 3
}

/** Encodes elements of different lengths. `write` puts one at a position and returns its number of bytes. */
function framed<T>(
  type: number,
  values: readonly (T | null)[],
  bytesMax: number,
  write: (bytes: Buffer, value: T, at: number) => number,
): Buffer {
  const header = bytesOf(wordsOf(type, values.length, 0))
  const bytes = Buffer.allocUnsafeSlow(header.length + values.length * 4 + bytesMax)
  let at = header.copy(bytes)
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    const length = value === null ? -1 : write(bytes, value, at + 4)
    bytes[at++] = length >>> 24
    bytes[at++] = length >>> 16
    bytes[at++] = length >>> 8
    bytes[at++] = length
    if (length > 0) at += length
  }
  return bytes.subarray(0, at)
}
