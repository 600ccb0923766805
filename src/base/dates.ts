const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000

/** Custom values count as dates from the year 0 to the year 3000. Others stay text. */
const typedFromMs = -62_167_219_200_000
const typedBelowMs = 32_535_216_000_000

const slash = 47
const colon = 58
const dash = 45
const space = 32

/**
 * Parses a date; returns epoch milliseconds, or undefined if the text is no date. Accepts ISO 8601 calendar dates and times with the
 * variants that clients send (a space for the `T`, `+1:00`, ` -0500`, `:123` for `.123`, the basic form), `MM/dd/yyyy` and `ddd MM dd
 * HH:mm:ss.TZD yyyy`. A time without a zone is UTC. Fractions are cut to milliseconds, and a leap second is read as the second before it. A
 * day that the calendar does not have is no date.
 */
export function parseTime(text: string): number | undefined {
  const ms = millisecondsOf(text)
  return Number.isNaN(ms) ? undefined : ms
}

/** An instant as it was written: the date and time of day, ISO 8601 without an offset, and the offset if there is one. */
export type WrittenTime = { readonly ms: number; readonly local: string; readonly offset: string | undefined }

const isoStart = /^\d{4}(?:-\d\d-\d\d|\d{4})/
const zoneAtEnd = /(z|utc|gmt|[+-]\d{1,2}(?::?\d{2})?)$/i

/** Parses ISO 8601, as `parseTime` does, into its parts. Undefined for any other text. */
export function parseWrittenTime(text: string): WrittenTime | undefined {
  const [date] = isoStart.exec(text) ?? []
  const ms = date === undefined ? Number.NaN : millisecondsOf(text)
  if (date === undefined || Number.isNaN(ms)) return undefined
  const [offset] = zoneAtEnd.exec(text.slice(date.length)) ?? []
  const local = new Date(ms + offsetMs(offset ?? '', 0)).toISOString().slice(0, -1)
  return { ms, local, offset }
}

/** Parses a date of a query string. */
export function parseQueryTime(text: string): number | undefined {
  return parseTime(withPlus(text))
}

/** Returns a date of a query string with the `+` of its offset, which becomes a space when it is not encoded. */
export function withPlus(text: string): string {
  return text.replace(/ (\d{1,2}(?::?\d{2})?)$/, '+$1')
}

/** Returns epoch milliseconds if a custom value counts as a date (year 0 to 3000), else undefined. */
export function parseCustomDate(text: string): number | undefined {
  const ms = millisecondsOf(text)
  return ms >= typedFromMs && ms < typedBelowMs ? ms : undefined
}

const singleDigits = /^(\d{4})-(\d{1,2})-(\d{1,2})(?=$|[Tt ])/

/** Returns a date such as `1990-1-2` with two digits for the month and the day. Other texts do not change. */
export function padDate(text: string): string {
  return text.replace(
    singleDigits,
    (_, year, month, day) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
  )
}

/** Returns the day of a date in any form of `parseTime` as `yyyy-MM-dd`, as it was written, and whether it has a time of day. */
export function toCalendarDay(text: string): { readonly date: string; readonly hasTime: boolean } | undefined {
  const padded = padDate(text)
  const ms = parseTime(padded)
  if (ms === undefined) return undefined
  const { local } = parseWrittenTime(padded) ?? { local: new Date(ms).toISOString().slice(0, -1) }
  return { date: local.slice(0, 10), hasTime: !local.endsWith('T00:00:00.000') }
}

/** Whether the text is an existing day written `yyyy-MM-dd`. */
export function isCalendarDate(text: string): boolean {
  return text.length === 10 && text.charCodeAt(4) === dash && !Number.isNaN(parseExtended(text))
}

function millisecondsOf(text: string): number {
  const first = text.charCodeAt(0) - 48
  if (first >= 0 && first <= 9) {
    if (text.charCodeAt(4) === dash) return parseExtended(text)
    if (text.charCodeAt(2) === slash) return parseAmerican(text)
    return text.length >= 13 ? parseBasic(text) : Number.NaN
  }
  return text.length >= 19 && text.length <= 48 && text.charCodeAt(3) === space ? parseWeekday(text) : Number.NaN
}

/** Parses `2013-07-16`, `2013-07-16T19:20:30.123+01:00` and their variants; NaN for anything else. */
function parseExtended(text: string): number {
  if (text.charCodeAt(7) !== dash) return Number.NaN
  const day = dayNumber(fourDigits(text, 0), twoDigits(text, 5), twoDigits(text, 8))
  if (text.length === 10) return day * dayMs
  const separator = text.charCodeAt(10)
  if (separator !== 84 && separator !== space && separator !== 116) return Number.NaN
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  if (text.charCodeAt(13) !== colon || hour < 0 || hour > 23 || minute < 0 || minute > 59) return Number.NaN
  const clock = day * dayMs + hour * hourMs + minute * minuteMs
  if (text.charCodeAt(16) !== colon) return clock - offsetMs(text, 16)
  const second = twoDigits(text, 17)
  if (second < 0 || second > 60) return Number.NaN
  const afterFraction = fractionEnd(text, 19)
  const ms = afterFraction > 19 ? fractionMs(text, 20, afterFraction) : 0
  return clock + Math.min(second, 59) * 1000 + ms - offsetMs(text, afterFraction)
}

/** Parses `MM/dd/yyyy`. */
function parseAmerican(text: string): number {
  if (text.length !== 10 || text.charCodeAt(5) !== slash) return Number.NaN
  return dayNumber(fourDigits(text, 6), twoDigits(text, 0), twoDigits(text, 3)) * dayMs
}

const basicForm = /^(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(\d\d)?(?=\D|$)/

/** Parses `20130716T192030Z`: ISO 8601 without hyphens and colons. Digits alone are a number, not a date. */
function parseBasic(text: string): number {
  const match = basicForm.exec(text)
  if (!match) return Number.NaN
  const [start, year, month, day, hour, minute, second] = match
  const seconds = second === undefined ? '' : `:${second}`
  return parseExtended(`${year}-${month}-${day}T${hour}:${minute}${seconds}${text.slice(start.length)}`)
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdayForm =
  /^(?:mon|tue|wed|thu|fri|sat|sun) (\d\d|[a-z]{3}) ( ?\d|\d\d) (\d\d:\d\d:\d\d)[. ]?(z|utc|gmt|[+-][\d:]+)? (\d{4})$/i

/** Parses `Tue 07 16 19:20:30.+01:00 2013`, also with the name of the month and a space before the zone. */
function parseWeekday(text: string): number {
  const match = weekdayForm.exec(text)
  if (!match) return Number.NaN
  const [, monthText, day, clock, zone = 'Z', year] = match as unknown as string[]
  const named = months.indexOf(monthText!.toLowerCase()) + 1
  const month = named > 0 ? String(named).padStart(2, '0') : monthText
  return parseExtended(`${year}-${month}-${day!.trim().padStart(2, '0')}T${clock}${zone}`)
}

/** Returns where the fraction that starts at `at` ends: `at` if there is none, -1 if its digits are missing. */
function fractionEnd(text: string, at: number): number {
  const mark = text.charCodeAt(at)
  if (mark !== 46 && mark !== 44 && mark !== colon) return at
  let end = at + 1
  while (digitAt(text, end) >= 0) end++
  return end === at + 1 ? -1 : end
}

function fractionMs(text: string, from: number, to: number): number {
  let ms = digitAt(text, from) * 100
  if (to > from + 1) ms += digitAt(text, from + 1) * 10
  if (to > from + 2) ms += digitAt(text, from + 2)
  return ms
}

/** Returns how many milliseconds the zone that starts at `start` is ahead of UTC; NaN if it is no zone. */
function offsetMs(text: string, start: number): number {
  const length = text.length
  if (start === length) return 0
  if (start < 0) return Number.NaN
  const at = text.charCodeAt(start) === space ? start + 1 : start
  const sign = text.charCodeAt(at)
  if (sign !== 43 && sign !== dash) return isUtc(text.slice(at)) ? 0 : Number.NaN
  const hourDigits = digitAt(text, at + 2) >= 0 ? 2 : 1
  const hours = hourDigits === 2 ? twoDigits(text, at + 1) : digitAt(text, at + 1)
  let end = at + 1 + hourDigits
  let minutes = 0
  if (end < length) {
    if (text.charCodeAt(end) === colon) end++
    minutes = twoDigits(text, end)
    end += 2
  }
  if (end !== length || hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return Number.NaN
  return (sign === dash ? -1 : 1) * (hours * hourMs + minutes * minuteMs)
}

function isUtc(zone: string): boolean {
  return zone === 'Z' || zone === 'z' || zone === 'UTC' || zone === 'GMT' || zone === 'utc' || zone === 'gmt'
}

/** Returns days since 1970-01-01; NaN if the calendar has no such day. */
function dayNumber(year: number, month: number, day: number): number {
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) return Number.NaN
  // Years begin in March here, so that the leap day is the last day of a year and every month has a fixed start.
  const marchYear = month > 2 ? year : year - 1
  const marchMonth = month > 2 ? month - 3 : month + 9
  const century = Math.floor(marchYear / 100)
  const leapDays = Math.floor(marchYear / 4) - century + Math.floor(century / 4)
  return marchYear * 365 + leapDays + Math.floor((153 * marchMonth + 2) / 5) + day - 719_469
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Returns the value of the digit at `at`; -1 if there is none. */
function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - 48
  return digit >= 0 && digit <= 9 ? digit : -1
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1
}

function fourDigits(text: string, at: number): number {
  const high = twoDigits(text, at)
  const low = twoDigits(text, at + 2)
  return high >= 0 && low >= 0 ? high * 100 + low : -1
}
