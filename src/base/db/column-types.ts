import pg from 'pg'
import { parseJson } from '../parse-json.ts'

/** Reads the text format of one column type, as pg expects it. */
type Read = (text: string) => unknown

const asText: Read = (text) => text

/**
 * The column types of the `Tx` interface, by type oid. A type that is not listed arrives as PostgreSQL's text, so that the product
 * never sees how a driver reads dates, points or intervals.
 */
const scalars: readonly { oid: number; arrayOid: number; read: Read }[] = [
  { oid: 16, arrayOid: 1000, read: (text) => text === 't' }, // bool
  { oid: 17, arrayOid: 1001, read: (text) => Buffer.from(text.slice(2), 'hex') }, // bytea, bytea_output = hex
  { oid: 20, arrayOid: 1016, read: asText }, // int8: ids exceed 2^53
  { oid: 21, arrayOid: 1005, read: Number }, // int2
  { oid: 23, arrayOid: 1007, read: Number }, // int4
  { oid: 25, arrayOid: 1009, read: asText }, // text
  { oid: 26, arrayOid: 1028, read: Number }, // oid
  { oid: 114, arrayOid: 199, read: parseJson }, // json
  { oid: 700, arrayOid: 1021, read: Number }, // float4
  { oid: 701, arrayOid: 1022, read: Number }, // float8
  { oid: 1043, arrayOid: 1015, read: asText }, // varchar
  { oid: 1184, arrayOid: 1185, read: readTimestamp }, // timestamptz
  { oid: 1700, arrayOid: 1231, read: asText }, // numeric
  { oid: 2950, arrayOid: 2951, read: asText }, // uuid
  { oid: 3802, arrayOid: 3807, read: parseJson }, // jsonb
]

const readers = new Map<number, Read>()
for (const { oid, arrayOid, read } of scalars) {
  readers.set(oid, (text) => read(text))
  readers.set(arrayOid, (text) => readArray(text, read))
}

/** For every pg Client, so that both databases return the same types. */
export const columnTypes = {
  getTypeParser: (oid: number): Read => readers.get(oid) ?? asText,
} as unknown as typeof pg.types

const TEXT_ARRAY = 1009 as never
const parseTextArray = pg.types.getTypeParser(TEXT_ARRAY) as (text: string) => Nested[]
type Nested = string | null | Nested[]

function readArray(text: string, read: Read): unknown[] {
  const readItem = (item: Nested): unknown => {
    if (item === null) return null
    return Array.isArray(item) ? item.map(readItem) : read(item)
  }
  return parseTextArray(text).map(readItem)
}

/** Reads `2026-08-01 10:00:00.123456+00`; sessions use UTC. A Date has milliseconds, so further digits are dropped. */
function readTimestamp(text: string): Date {
  // JavaScript reads a year below 100 in this format as 19xx; in the ISO format it takes the year as written.
  if (!isPlain(text)) return new Date(text.startsWith('0') ? `${text.replace(' ', 'T')}:00` : text)
  const zoneAt = text.length - 3
  const seconds = Date.UTC(
    digits(text, 0, 4),
    digits(text, 5, 7) - 1,
    digits(text, 8, 10),
    digits(text, 11, 13),
    digits(text, 14, 16),
    digits(text, 17, 19),
  )
  // A fraction has no trailing zeros: `.5` is half a second.
  const written = Math.min(zoneAt, 23)
  const milliseconds = zoneAt > 20 ? digits(text, 20, written) * 10 ** (23 - written) : 0
  return new Date(seconds + milliseconds)
}

/** Returns a timestamptz's text as `Date.toISOString` would. Without a Date in between it takes a twentieth of the time. */
export function isoInstant(text: string): string {
  if (!isPlain(text)) return readTimestamp(text).toISOString()
  const milliseconds = text.slice(20, Math.min(text.length - 3, 23)).padEnd(3, '0')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`
}

/** Whether the year has four digits, without a leading zero, and the offset is `+00`. */
function isPlain(text: string): boolean {
  return text.charCodeAt(4) === dash && text.charCodeAt(0) !== zero && text.charCodeAt(text.length - 3) === plus
}

const zero = 48
const plus = 43
const dash = 45

function digits(text: string, from: number, to: number): number {
  let value = 0
  for (let at = from; at < to; at++) value = value * 10 + text.charCodeAt(at) - zero
  return value
}
