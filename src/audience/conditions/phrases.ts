import type { NumberTest, Presence, Scalar, TextTest, TimeTest, ValueTest } from './tree.ts'

/** The IANA time zone of days and times of day. */
export type Zone = string

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]
/** Characters that are invisible or end the quotation: control and format characters, unusual spaces, a backtick. */
const needsEscape = /[`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u
const invisible = new RegExp(needsEscape.source.replace('`', ''), 'gu')

/** What is tested: one value, or all values of a person, of which any may pass the test. */
export type Subject = { readonly one: string } | { readonly each: string }

/** Returns the text in backticks, or in double quotes with escapes when it could be misread. Different texts never look the same. */
export function quoted(text: string): string {
  if (text === '') return 'empty text'
  if (!needsEscape.test(text)) return `\`${text}\``
  return JSON.stringify(text).replace(invisible, (found) => `\\u{${found.codePointAt(0)!.toString(16)}}`)
}

function valueWords(value: Scalar): string {
  return typeof value === 'string' ? quoted(value) : String(value)
}

/** Returns `less than 3 days ago`, `before 3 March 2026`, `after the start of 3 March 2026`, `after 3 March 2026 at 14:05 UTC`. */
export function timeWords(test: TimeTest, zone: Zone): string {
  switch (test.comparison) {
    case 'less_than_x_days_ago':
      return `less than ${daysWords(test.days)} ago`
    case 'greater_than_x_days_ago':
      return `more than ${daysWords(test.days)} ago`
    case 'less_than_x_days_in_the_future':
      return `less than ${daysWords(test.days)} in the future`
    case 'greater_than_x_days_in_the_future':
      return `more than ${daysWords(test.days)} in the future`
    default:
      return instantWords(test.comparison, test.ms, zone)
  }
}

/** Writes midnight in the zone as a day, other instants with the offset of the zone from UTC. */
function instantWords(comparison: 'after' | 'before', ms: number, zone: Zone): string {
  const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
  // "After 3 March" would leave out the day that the comparison includes.
  if (at.startOfDay().epochMilliseconds === ms) {
    return comparison === 'before' ? `before ${dayWords(at)}` : `after the start of ${dayWords(at)}`
  }
  return `${comparison} ${momentWords(ms, zone)}`
}

function dayWords(at: Temporal.ZonedDateTime): string {
  return `${at.day} ${months[at.month - 1]} ${at.year}`
}

/** Returns `3 March 2026 at 14:05 UTC+01:00` for epoch milliseconds. */
export function momentWords(ms: number, zone: Zone): string {
  const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
  const time = at
    .toPlainTime()
    .toString({ smallestUnit: at.millisecond > 0 ? 'millisecond' : at.second > 0 ? 'second' : 'minute' })
  return `${dayWords(at)} at ${time} UTC${at.offsetNanoseconds === 0 ? '' : at.offset}`
}

export function numberWords({ comparison, number }: NumberTest): string {
  return `is ${comparison === 'not_equal' ? 'not ' : ''}${limitWords[comparison]}${number}`
}

/** Returns the same for a count of events: `at least once`, `exactly 3 times`. */
export function timesWords({ comparison, number }: NumberTest): string {
  const exact = { equals: 'exactly ', not_equal: 'not exactly ' }
  const limit = comparison === 'equals' || comparison === 'not_equal' ? exact[comparison] : limitWords[comparison]
  return `${limit}${number === 1 ? 'once' : `${number} times`}`
}

const limitWords = {
  equals: '',
  not_equal: '',
  greater_than: 'more than ',
  greater_than_or_equal_to: 'at least ',
  less_than: 'less than ',
  less_than_or_equal_to: 'at most ',
} as const satisfies Record<NumberTest['comparison'], string>

export function daysWords(days: number): string {
  return days === 1 ? '1 day' : `${days} days`
}

/** Returns whether a test includes people without a value. */
export function includesNone({ comparison, number }: NumberTest): boolean {
  if (comparison === 'equals') return number === 0
  if (comparison === 'not_equal') return number !== 0
  return comparison === 'less_than' || comparison === 'less_than_or_equal_to'
}

/** Returns a subject with its test. A remark in brackets says that people without a value are included. */
export function testWords(subject: Subject, test: ValueTest, zone: Zone): string {
  if ('text' in test) return textWords(subject, test)
  if ('days' in test || 'ms' in test) return `${some(subject)} is ${timeWords(test, zone)}`
  if ('value' in test) {
    const value = valueWords(test.value)
    if (test.comparison === 'includes_value') return `${some(subject)} includes ${value}`
    return orUnset(subject, without(subject, 'does not include', 'includes', value))
  }
  if ('number' in test) return comparedWords(subject, test)
  if ('flag' in test) {
    if (test.comparison === 'equals') return `${some(subject)} is ${test.flag}`
    return orUnset(subject, without(subject, 'is not', 'is', String(test.flag)))
  }
  return presenceWords(subject, test)
}

function presenceWords(subject: Subject, { comparison }: Presence): string {
  return comparison === 'exists' ? `${some(subject)} is set` : without(subject, 'is not', 'is', 'set')
}

function textWords(subject: Subject, { comparison, text }: TextTest): string {
  const value = quoted(text)
  const pattern = value + anyCase(text.replace(/\\./gs, ''))
  switch (comparison) {
    case 'equals':
      return `${some(subject)} is ${value}`
    case 'not_equal':
      return orUnset(subject, without(subject, 'is not', 'is', value))
    case 'matches_regex':
      return `${some(subject)} matches ${pattern}`
    case 'does_not_match_regex':
      if ('one' in subject) return `${subject.one} is text that does not match ${pattern}`
      return `no ${subject.each} matches ${pattern} (and at least one is text)`
  }
}

/** Returns a remark for patterns with letters, whose case is ignored. */
function anyCase(text: string): string {
  return /[a-z]/i.test(text) ? ' in any letter case' : ''
}

function comparedWords(subject: Subject, test: NumberTest): string {
  if (test.comparison !== 'not_equal') {
    const phrase = `${some(subject)} ${numberWords(test)}`
    return includesNone(test) ? orUnset(subject, phrase) : phrase
  }
  const phrase = without(subject, 'is not', 'is', String(test.number))
  if (includesNone(test)) return orUnset(subject, phrase)
  return `${phrase} (and ${'one' in subject ? 'is' : 'at least one is'} set)`
}

function some(subject: Subject): string {
  return 'one' in subject ? subject.one : `any ${subject.each}`
}

function without(subject: Subject, isNot: string, is: string, what: string): string {
  return 'one' in subject ? `${subject.one} ${isNot} ${what}` : `no ${subject.each} ${is} ${what}`
}

function orUnset(subject: Subject, phrase: string): string {
  return `${phrase} (or ${'one' in subject ? 'is not' : 'none is'} set)`
}
