import { invalid } from '../../base/errors.ts'
import { isAnyNumber } from '../../base/exact-number.ts'
import { isAbsent } from '../../content/texts/fields.ts'
import { isUnsafeKey } from '../../people/values/values.ts'
import { hasLiquid, readObject, readText } from './read-text.ts'

export const headersMax = 50
/** The length of one header as a line: name, colon, blank and value (RFC 5322, 2.1.1). */
export const headerCharactersMax = 998
const namePattern = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,76}$/

/** Headers that Easel or mail servers write. An entry that ends in `-` reserves every name with this prefix. */
const reserved: readonly string[] = [
  ...['from', 'to', 'cc', 'bcc', 'sender', 'reply-to', 'subject', 'date', 'message-id', 'return-path', 'received'],
  ...['mime-version', 'content-', 'list-unsubscribe', 'list-unsubscribe-', 'resent-', 'received-', 'arc-'],
  ...['dkim-', 'domainkey-', 'authentication-results', 'delivered-to', 'apparently-to', 'envelope-to', 'x-original-to'],
]

/** Reads custom headers. Their values may contain Liquid. Throws a 400 that begins with `at`. */
export function readHeaders(
  value: unknown,
  at: string,
  extrasHeader: string | undefined,
): Readonly<Record<string, string>> | undefined {
  if (isAbsent(value)) return undefined
  const given = Object.entries(readObject(value, at, 'an object of texts')).filter(([, one]) => !isAbsent(one))
  if (given.length > headersMax) throw invalid(`${at} must have at most ${headersMax} headers`)
  const seen = new Set<string>()
  const headers = given.map(([name, one]) => {
    if (!namePattern.test(name))
      throw invalid(`each name in ${at} must be a header name of 1 to 76 visible ASCII characters`)
    const lower = name.toLowerCase()
    if (isReserved(lower) || isUnsafeKey(lower) || lower === extrasHeader?.toLowerCase())
      throw invalid(`${at}.${name} must not be set: it is reserved`)
    if (seen.has(lower)) throw invalid(`${at}.${name} must be given once`)
    seen.add(lower)
    return [name, readHeader(one, name, `${at}.${name}`)] as const
  })
  return Object.fromEntries(headers)
}

function readHeader(value: unknown, name: string, at: string): string {
  const text = isAnyNumber(value) || typeof value === 'boolean' ? String(value) : value
  const header = readText(text, at, { oneLine: true, liquid: true, charactersMax: headerCharactersMax })!
  const mistake = hasLiquid(header) ? undefined : headerMistake(name, header)
  if (mistake !== undefined) throw invalid(`${at} ${mistake}`)
  return header
}

export function headerValueCharactersMax(name: string): number {
  return headerCharactersMax - name.length - ': '.length
}

/** Returns the mistake in the rendered value of a header, or undefined if it may be sent. */
export function headerMistake(name: string, text: string): string | undefined {
  const charactersMax = headerValueCharactersMax(name)
  if (text.length > charactersMax) return `must be at most ${charactersMax} characters`
  return /\p{Cc}/u.test(text.replaceAll('\t', ' ')) ? 'must have no line breaks or control characters' : undefined
}

function isReserved(lower: string): boolean {
  return reserved.some((name) => (name.endsWith('-') ? lower.startsWith(name) : lower === name))
}
