import type { MailLibraries } from './mail-libraries.ts'
import type { Mailbox } from './mailbox.ts'

export type Header = readonly [name: string, value: string]

/** RFC 5322, 2.1.1: a line must have at most 998 bytes, and should have at most 76 (78 with CRLF). */
const lineBytesMax = 998
const lineLength = 76
/** The length of one encoded word (RFC 2047, 2). */
const wordLength = 52
/** Characters that need neither quotes nor encoding in a display name. */
const plainName = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]*$/
const ascii = /^[\x20-\x7e]*$/
/** A run of characters that is too long for a line, and in which no line can end. */
const unfoldable = new RegExp(`[^ ]{${lineBytesMax}}`)

/** Formats a header as folded lines in ASCII. `value` has no line breaks. */
export function headerLine([name, value]: Header, { mimeFunctions }: MailLibraries): string {
  return mimeFunctions.foldLines(`${name}: ${value}`, lineLength)
}

/** Formats a text of any characters and any length as the value of a header. */
export function headerText(text: string, libraries: MailLibraries): string {
  return isPlain(text) && !unfoldable.test(text) ? text : encodedWords(text, libraries)
}

function isPlain(text: string): boolean {
  return ascii.test(text) && !text.includes('=?')
}

function encodedWords(text: string, { mimeFunctions }: MailLibraries): string {
  return mimeFunctions.encodeWord(text, wordEncoding(text), wordLength)
}

/** Chooses the shorter encoding: Base64 for scripts with few Latin letters. */
function wordEncoding(text: string): 'Q' | 'B' {
  const foreign = text.replace(/[\x20-\x7e]/g, '').length
  return foreign * 2 > text.length ? 'B' : 'Q'
}

/** Formats `Display Name <address>`, or the address alone. */
export function mailboxValue({ name, address }: Mailbox, libraries: MailLibraries): string {
  if (name === '') return address
  const quoted = plainName.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`
  const written = isPlain(name) && !unfoldable.test(quoted) ? quoted : encodedWords(name, libraries)
  return `${written} <${address}>`
}

/**
 * Formats `extras` as one header value: JSON in ASCII, with a blank wherever a line may end. If one text is too long for a line, all of
 * it is written in encoded words.
 */
export function extrasValue(extras: Readonly<Record<string, unknown>>, { mimeFunctions }: MailLibraries): string {
  const members = Object.entries(extras).map(([name, value]) => `${asciiJson(name)}: ${asciiJson(value)}`)
  const json = `{${members.join(', ')}}`
  const lines = mimeFunctions.foldLines(`X: ${json}`, lineLength).split('\r\n')
  return lines.every((line) => line.length <= lineBytesMax - lineLength)
    ? json
    : mimeFunctions.encodeWord(json, 'B', wordLength)
}

/** Formats JSON in ASCII. `=?` is escaped, so that a value that looks like an encoded word is not decoded and cannot break the JSON. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\uffff]|=(?=\?)/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Formats the date of RFC 5322, 3.3, in UTC. */
export function dateValue(atMs: number): string {
  return new Date(atMs).toUTCString().replace('GMT', '+0000')
}
