import { parseTime } from '../../base/dates.ts'
import { toTimeZone } from '../../people/values/time-zones.ts'

const epochMsMax = 8.64e15
/** Longer texts are not dates. */
const charactersMax = 200
/** Characters of one field of a format. */
const widthMax = 100
const months = 'January February March April May June July August September October November December'.split(' ')
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const offsetAtEnd = /\d:\d\d.*?([+-]\d\d):?(\d\d)$/s
const namesZone = /(?:[zZ]|UTC|GMT|[ECMP][SD]T|[+-]\d\d:?\d\d)\s*$/
const digitsOnly = /^\s*-?\d+(?:\.\d+)?\s*$/

/**
 * Parses a value as a date: `now`, `today`, epoch seconds, or a date as text, which is in UTC unless it has a zone. Returns undefined for
 * every other value.
 */
export function parseTemplateDate(value: unknown, nowMs: number): Temporal.ZonedDateTime | undefined {
  if (typeof value === 'number') return momentAt(value * 1000, 'UTC')
  if (value instanceof Date) return momentAt(value.getTime(), 'UTC')
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (text.length > charactersMax) return undefined
  const lower = text.toLowerCase()
  if (lower === 'now' || lower === 'today') return momentAt(nowMs, 'UTC')
  if (digitsOnly.test(text)) return momentAt(Number(text) * 1000, 'UTC')
  const ms = parseTime(text) ?? Date.parse(namesZone.test(text) ? text : `${text} UTC`)
  const offset = offsetAtEnd.exec(text)
  return momentAt(ms, offset ? `${offset[1]}:${offset[2]}` : 'UTC')
}

function momentAt(ms: number, zone: string): Temporal.ZonedDateTime | undefined {
  if (!(Math.abs(ms) <= epochMsMax)) return undefined
  const isOffset = /^[+-]/.test(zone)
  if (isOffset && (Number(zone.slice(1, 3)) > 23 || Number(zone.slice(4)) > 59)) return momentAt(ms, 'UTC')
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(zone)
}

/** Returns the same instant in another time zone: an IANA or Rails name, or `+05:30`. Returns undefined when there is no such zone. */
export function inZone(moment: Temporal.ZonedDateTime, zone: string): Temporal.ZonedDateTime | undefined {
  if (/^[+-](?:[01]\d|2[0-3]):[0-5]\d$/.test(zone)) return moment.withTimeZone(zone)
  const name = toTimeZone(zone)
  return name === undefined ? undefined : moment.withTimeZone(name)
}

/** Formats as `2026-03-03 10:00:00 -0500`, from which `parseTemplateDate` gives the same instant and offset. */
export function formatTemplateDate(moment: Temporal.ZonedDateTime): string {
  return strftime(moment, '%Y-%m-%d %H:%M:%S %z')
}

type Field = { text: string | number; width?: number; pad?: string }
type Writer = (moment: Temporal.ZonedDateTime) => Field

const number =
  (width: number, pad: string, read: (moment: Temporal.ZonedDateTime) => number): Writer =>
  (moment) => ({ text: read(moment), width, pad })
const words =
  (read: (moment: Temporal.ZonedDateTime) => string): Writer =>
  (moment) => ({ text: read(moment), pad: ' ' })
const composed = (format: string): Writer => words((moment) => strftime(moment, format))

const weekday = (moment: Temporal.ZonedDateTime) => moment.dayOfWeek % 7
const hour12 = (moment: Temporal.ZonedDateTime) => moment.hour % 12 || 12
/** Returns the week of the year, with weeks that begin on `first` (0 is Sunday). Days before the first week are in week 0. */
const weekOfYear = (moment: Temporal.ZonedDateTime, first: number) =>
  Math.floor((moment.dayOfYear + 6 - ((weekday(moment) - first + 7) % 7)) / 7)

/** The directives of Ruby's strftime. */
const writers: Readonly<Record<string, Writer>> = {
  a: words((moment) => weekdays[weekday(moment)]!.slice(0, 3)),
  A: words((moment) => weekdays[weekday(moment)]!),
  b: words((moment) => months[moment.month - 1]!.slice(0, 3)),
  B: words((moment) => months[moment.month - 1]!),
  c: composed('%a %b %e %H:%M:%S %Y'),
  C: number(2, '0', (moment) => Math.floor(moment.year / 100)),
  d: number(2, '0', (moment) => moment.day),
  D: composed('%m/%d/%y'),
  e: number(2, ' ', (moment) => moment.day),
  F: composed('%Y-%m-%d'),
  G: number(4, '0', (moment) => moment.yearOfWeek!),
  g: number(2, '0', (moment) => moment.yearOfWeek! % 100),
  h: words((moment) => months[moment.month - 1]!.slice(0, 3)),
  H: number(2, '0', (moment) => moment.hour),
  I: number(2, '0', hour12),
  j: number(3, '0', (moment) => moment.dayOfYear),
  k: number(2, ' ', (moment) => moment.hour),
  l: number(2, ' ', hour12),
  L: number(3, '0', (moment) => moment.millisecond),
  m: number(2, '0', (moment) => moment.month),
  M: number(2, '0', (moment) => moment.minute),
  n: words(() => '\n'),
  N: words((moment) => `${String(moment.millisecond).padStart(3, '0')}000000`),
  p: words((moment) => (moment.hour < 12 ? 'AM' : 'PM')),
  P: words((moment) => (moment.hour < 12 ? 'am' : 'pm')),
  q: words((moment) => ordinal(moment.day)),
  r: composed('%I:%M:%S %p'),
  R: composed('%H:%M'),
  s: number(1, '0', (moment) => Math.floor(moment.epochMilliseconds / 1000)),
  S: number(2, '0', (moment) => moment.second),
  t: words(() => '\t'),
  T: composed('%H:%M:%S'),
  u: number(1, '0', (moment) => moment.dayOfWeek),
  U: number(2, '0', (moment) => weekOfYear(moment, 0)),
  v: composed('%e-%^b-%Y'),
  V: number(2, '0', (moment) => moment.weekOfYear!),
  w: number(1, '0', weekday),
  W: number(2, '0', (moment) => weekOfYear(moment, 1)),
  x: composed('%m/%d/%y'),
  X: composed('%H:%M:%S'),
  y: number(2, '0', (moment) => ((moment.year % 100) + 100) % 100),
  Y: number(4, '0', (moment) => moment.year),
  Z: words(zoneWord),
  '%': words(() => '%'),
}

function ordinal(day: number): string {
  if (day >= 11 && day <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'
}

function zoneWord(moment: Temporal.ZonedDateTime): string {
  if (moment.timeZoneId === 'UTC') return 'UTC'
  if (/^[+-]/.test(moment.timeZoneId)) return ''
  const options = { timeZone: moment.timeZoneId, timeZoneName: 'short' } as const
  const parts = new Intl.DateTimeFormat('en-US', options).formatToParts(moment.epochMilliseconds)
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? ''
}

const directive = /%([-_0^#]*)(\d*)(:{0,3})([a-zA-Z%])/g

/** Formats as Ruby's strftime does, in English. Unknown directives are not changed. */
export function strftime(moment: Temporal.ZonedDateTime, format: string): string {
  return format.replace(directive, (match, flags: string, width: string, colons: string, letter: string) => {
    const writer = letter === 'z' ? offsetWriter(colons) : Object.hasOwn(writers, letter) ? writers[letter] : undefined
    if (writer === undefined || (colons !== '' && letter !== 'z')) return match
    const field = writer(moment)
    if (letter === 'N') return String(field.text).slice(0, Math.min(Number(width) || 9, 9))
    return pad(field, flags, Math.min(Number(width), widthMax))
  })
}

function pad({ text, width = 0, pad: defaultChar = '0' }: Field, flags: string, givenWidth: number): string {
  const cased = recase(String(text), flags)
  if (flags.includes('-')) return cased
  const char = flags.includes('_') ? ' ' : flags.includes('0') ? '0' : defaultChar
  const fullWidth = givenWidth || width
  return char === '0' && cased.startsWith('-')
    ? `-${cased.slice(1).padStart(fullWidth - 1, char)}`
    : cased.padStart(fullWidth, char)
}

function recase(text: string, flags: string): string {
  if (flags.includes('^')) return text.toUpperCase()
  if (!flags.includes('#')) return text
  return /[a-z]/.test(text) ? text.toUpperCase() : text.toLowerCase()
}

function offsetWriter(colons: string): Writer {
  return words(({ offsetNanoseconds }) => {
    const seconds = Math.abs(Math.trunc(offsetNanoseconds / 1e9))
    const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
    const colon = colons === '' ? '' : ':'
    const rest = colons === '::' ? `:${two(seconds % 60)}` : ''
    return `${offsetNanoseconds < 0 ? '-' : '+'}${two(seconds / 3600)}${colon}${two((seconds / 60) % 60)}${rest}`
  })
}
