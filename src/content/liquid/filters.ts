import { createHash, createHmac } from 'node:crypto'
import { type Context, type FilterImplOptions, filters as filtersOfEngine } from 'liquidjs'
import { divide, minus, modulo, plus, times, withDelimiter } from './arithmetic.ts'
import { formatTemplateDate, inZone, parseTemplateDate, strftime } from './dates.ts'
import { formatValue, runOf, sizeOf } from './run.ts'

const formatCharactersMax = 1000
const engineFilters = filtersOfEngine as unknown as Readonly<
  Record<'concat' | 'json' | 'push' | 'unshift', (this: unknown, ...values: unknown[]) => unknown>
>
const defaultFormat = '%A, %B %-e, %Y at %-l:%M %P %z'

/** Returns a filter on text. Its arguments count towards the memory limit. */
function text(change: (text: string, ...rest: string[]) => unknown): FilterImplOptions {
  return function (value: unknown, ...rest: unknown[]) {
    const words = [value, ...rest].map(formatValue)
    charge(this.context, words)
    return change(words[0]!, ...words.slice(1))
  }
}

function charge(context: Context, words: readonly string[]): void {
  context.memoryLimit.use(words.reduce((sum, word) => sum + word.length, 0))
}

const hash = (algorithm: string) => text((value) => createHash(algorithm).update(value).digest('hex'))
const hmac = (algorithm: string, encoding: 'hex' | 'base64') =>
  text((value, key = '') => createHmac(algorithm, key).update(value).digest(encoding))

const escaped = (value: string) =>
  encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )

function unescapeUrl(value: string): string {
  const spaced = value.replace(/\+/g, ' ')
  return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replace(/%/g, ''), 'hex').toString())
}

/** Returns a filter on dates. It returns a value that is not a date unchanged. */
function date(write: (moment: Temporal.ZonedDateTime, ...rest: unknown[]) => unknown): FilterImplOptions {
  return function (value: unknown, ...rest: unknown[]) {
    charge(this.context, [value, ...rest].map(formatValue))
    const moment = parseTemplateDate(value, runOf(this.context).nowMs)
    return moment === undefined ? value : write(moment, ...rest)
  }
}

function dateText(moment: Temporal.ZonedDateTime, format: unknown, zone: unknown): string {
  if (formatValue(format).length > formatCharactersMax)
    throw new Error(`the format of a date is longer than ${formatCharactersMax} characters`)
  const there = zone === undefined ? moment : (inZone(moment, formatValue(zone)) ?? moment)
  return strftime(there, formatValue(format) || defaultFormat)
}

function dayOf(month: string) {
  return (moment: Temporal.ZonedDateTime, type: unknown, style: unknown) => {
    if (type !== 'ordinal') return strftime(moment, `%d ${month} %Y`)
    return strftime(moment, style === 'US' ? `${month} %-d%q, %Y` : `%-d%q ${month} %Y`)
  }
}

/**
 * Wraps a filter of the engine that makes a list longer. The whole size of the added value counts, because the template may output the
 * list.
 */
function lengthening(name: 'concat' | 'push' | 'unshift'): FilterImplOptions {
  return function (list: unknown, more: unknown) {
    this.context.memoryLimit.use(sizeOf(more))
    return engineFilters[name].call(this, list, more)
  }
}

/** Filters that replace those of the engine, and additional filters of engagement platforms. */
export const filters: Readonly<Record<string, FilterImplOptions>> = {
  md5: hash('md5'),
  sha1: hash('sha1'),
  sha2: hash('sha256'),
  sha256: hash('sha256'),
  sha512: hash('sha512'),
  hmac_sha1: hmac('sha1', 'hex'),
  hmac_sha1_hex: hmac('sha1', 'hex'),
  hmac_sha1_base64: hmac('sha1', 'base64'),
  hmac_sha256: hmac('sha256', 'hex'),
  hmac_sha256_hex: hmac('sha256', 'hex'),
  hmac_sha256_base64: hmac('sha256', 'base64'),
  hmac_sha512: hmac('sha512', 'hex'),
  base64: text((value) => Buffer.from(value).toString('base64')),
  base64_encode: text((value) => Buffer.from(value).toString('base64')),
  base64_decode: text((value) => Buffer.from(value, 'base64').toString()),
  url_encode: text((value) => escaped(value).replace(/%20/g, '+')),
  cgi_escape: text((value) => escaped(value).replace(/%20/g, '+')),
  url_decode: text(unescapeUrl),
  url_escape: text((value) => encodeURI(value.toWellFormed()).replace(/%5B/g, '[').replace(/%5D/g, ']')),
  uri_escape: text((value) => encodeURI(value.toWellFormed()).replace(/%5B/g, '[').replace(/%5D/g, ']')),
  url_param_escape: text(escaped),
  param_escape: text(escaped),
  json_escape: text((value) => JSON.stringify(value).slice(1, -1)),
  json_parse: text((value) => (value === '' ? null : JSON.parse(value))),
  as_json_string(value: unknown) {
    return engineFilters.json.call(this, value) ?? 'null'
  },
  number_with_delimiter(value: unknown, delimiter: unknown = ',') {
    const [digits, between] = [formatValue(value).length, formatValue(delimiter)]
    this.context.memoryLimit.use(digits + (digits / 3) * between.length)
    return withDelimiter(value, between)
  },
  concat: lengthening('concat'),
  push: lengthening('push'),
  unshift: lengthening('unshift'),
  property_accessor: (value: unknown, name: unknown) =>
    value !== null && typeof value === 'object' && Object.hasOwn(value, formatValue(name))
      ? (value as Record<string, unknown>)[formatValue(name)]
      : undefined,
  plus,
  minus,
  times,
  modulo,
  divided_by(left: unknown, right: unknown) {
    const argument = this.token.args[0]
    const isDecimal = argument !== undefined && !Array.isArray(argument) && argument.getText().includes('.')
    return divide(
      left,
      right,
      isDecimal && typeof right === 'number' && /^-?\d/.test((argument as { getText(): string }).getText()),
    )
  },
  date: date((moment, format, zone) => dateText(moment, format, zone)),
  time_zone: date((moment, zone) => formatTemplateDate(inZone(moment, formatValue(zone)) ?? moment)),
  date_to_xmlschema: date((moment) => strftime(moment, '%Y-%m-%dT%H:%M:%S%:z')),
  date_to_rfc822: date((moment) => strftime(moment, '%a, %d %b %Y %H:%M:%S %z')),
  date_to_string: date(dayOf('%b')),
  date_to_long_string: date(dayOf('%B')),
  // Texts may give a block an id with this filter; the value stays the same.
  id: (value: unknown) => value,
}

/** Filters of the engine that are removed: random ones, and those that evaluate text as an expression. */
export const removedFilters: readonly string[] = [
  'sample',
  ...['where_exp', 'reject_exp', 'group_by_exp', 'has_exp', 'find_exp', 'find_index_exp'],
]
