import type { MailLibraries } from './mail-libraries.ts'
import type { Mailbox } from './mailbox.ts'

export type Header = readonly [name: string, value: string]

/** RFC 5322, 2.1.1: of a line without its CRLF, what must not and what should not be more. */
const lineBytesMax = 998
const lineLength = 76
/** RFC 2047, 2: of one encoded word. */
const wordLength = 52
/** Characters that need neither quotes nor encoding in a display name. */
const plainName = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]*$/
const ascii = /^[\x20-\x7e]*$/
/** What no fold makes short enough for a line that begins with a blank. */
const unfoldable = new RegExp(`[^ ]{${lineBytesMax}}`)

/** A header as lines: folded, in ASCII. `value` holds no line breaks. */
export function headerLine([name, value]: Header, { mimeFunctions }: MailLibraries): string {
  return mimeFunctions.foldLines(`${name}: ${value}`, lineLength)
}

/** A text of any characters, and of any length, as the value of a header. */
export function headerText(text: string, tools: MailLibraries): string {
  return isPlain(text) && !unfoldable.test(text) ? text : encodedWords(text, tools)
}

function isPlain(text: string): boolean {
  return ascii.test(text) && !text.includes('=?')
}

function encodedWords(text: string, { mimeFunctions }: MailLibraries): string {
  return mimeFunctions.encodeWord(text, wordEncoding(text), wordLength)
}

/** Of a script with few Latin letters base64 is shorter. */
function wordEncoding(text: string): 'Q' | 'B' {
  const foreign = text.replace(/[\x20-\x7e]/g, '').length
  return foreign * 2 > text.length ? 'B' : 'Q'
}

/** `Display Name <address>`, or the address alone. */
export function mailboxValue({ name, address }: Mailbox, tools: MailLibraries): string {
  if (name === '') return address
  const quoted = plainName.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`
  const written = isPlain(name) && !unfoldable.test(quoted) ? quoted : encodedWords(name, tools)
  return `${written} <${address}>`
}

/**
 * `extras` as one header: JSON in ASCII, with a blank wherever a line may end. A text too long for a line makes the whole into
 * encoded words, which say the same.
 */
export function extrasValue(extras: Readonly<Record<string, unknown>>, { mimeFunctions }: MailLibraries): string {
  const members = Object.entries(extras).map(([name, value]) => `${asciiJson(name)}: ${asciiJson(value)}`)
  const json = `{${members.join(', ')}}`
  const lines = mimeFunctions.foldLines(`X: ${json}`, lineLength).split('\r\n')
  return lines.every((line) => line.length <= lineBytesMax - lineLength)
    ? json
    : mimeFunctions.encodeWord(json, 'B', wordLength)
}

/** What looks like an encoded word is written so that nobody decodes it: what a person is called must not end a text of the JSON. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\uffff]|=(?=\?)/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** RFC 5322, 3.3, in UTC. */
export function dateValue(atMs: number): string {
  return new Date(atMs).toUTCString().replace('GMT', '+0000')
}
