import { escapeHtml } from '../../base/http/page.ts'
import { type DecoratedBodies, fillPlaceholders } from './decorated-bodies.ts'
import { dkimSignature, type SigningKey } from './dkim.ts'
import { dateValue, extrasValue, type Header, headerLine, headerText, mailboxValue } from './format-headers.ts'
import type { MailLibraries } from './mail-libraries.ts'
import type { Mailbox } from './mailbox.ts'
import type { MessageLinks } from './message-links.ts'
import { filePart, type MailFile, type MimePart, multipart, textPart } from './mime.ts'
import type { TooComplex } from './parse-html.ts'
import { clippedBytes, preheaderCharacters } from './read-email-object.ts'
import type { Mail } from './transport.ts'

/** How long a preheader, with what fills it up, is: longer than what mail programs show. */
const preheaderShown = 100

/** What a mail says, rendered for its person. Texts that stand in headers are one line. */
export type AssembledEmail = {
  readonly from: Mailbox
  /** The address it goes to; in its domain ASCII only. */
  readonly to: string
  readonly replyTo?: Mailbox
  readonly bcc?: string
  readonly subject: string
  /** Empty: a mail of text only. */
  readonly html: string
  /** Made from `html` when absent. */
  readonly text?: string
  readonly preheader?: string
  readonly inlineCss: boolean
  readonly headers: readonly Header[]
  /** The name of their header, and what it says. */
  readonly extras?: readonly [header: string, members: Readonly<Record<string, unknown>>]
  readonly files: readonly MailFile[]
}

/** How a mail goes out. */
export type MailOptions = {
  readonly links: MessageLinks
  /** `PUBLIC_URL`: links that lead there are ours. */
  readonly publicUrl: string
  readonly tracking: { readonly opens: boolean; readonly clicks: boolean }
  readonly isMarketing: boolean
  readonly atMs: number
  readonly dkim?: SigningKey
}

export type ComposedMail = Mail & {
  /** Where the links lead that are counted, by the number in them. */
  readonly links: readonly string[]
  readonly warnings: readonly string[]
}

/** A mail's bytes: the same for the same arguments. */
export function composeMail(
  letter: AssembledEmail,
  way: MailOptions,
  shapes: DecoratedBodies,
  tools: MailLibraries,
): ComposedMail | TooComplex {
  const bodies = bodiesOf(letter, way, shapes, tools)
  if ('tooComplex' in bodies) return bodies
  const { part, links, warnings } = bodies
  const lines = [...headersOf(letter, way, tools).map((header) => headerLine(header, tools)), ...part.headers]
  const content = `${part.content}\r\n`
  if (way.dkim) lines.unshift(dkimSignature(lines, content, way.dkim))
  const raw = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${content}`)
  const to = letter.bcc === undefined ? [letter.to] : [letter.to, letter.bcc]
  return { raw, envelope: { from: way.links.returnPath ?? letter.from.address, to }, links, warnings }
}

type Bodies = { part: MimePart; links: readonly string[]; warnings: readonly string[] }

function bodiesOf(
  letter: AssembledEmail,
  way: MailOptions,
  shapes: DecoratedBodies,
  tools: MailLibraries,
): Bodies | TooComplex {
  const { html, text, files } = letter
  const boundary = `=_${way.links.messageId('').slice(0, 34)}`
  const texts: MimePart[] = []
  let links: readonly string[] = []
  const warnings: string[] = []
  if (html === '') texts.push(textPart('text/plain', text ?? '', tools))
  else {
    const made = htmlOf(letter, way, shapes, tools)
    if ('tooComplex' in made) return made
    texts.push(textPart('text/plain', text ?? made.text, tools), textPart('text/html', made.html, tools))
    links = made.links
    warnings.push(...made.warnings)
    if (Buffer.byteLength(made.html) > clippedBytes)
      warnings.push(`the body is longer than ${clippedBytes} bytes: some mail services show only the beginning`)
  }
  const body = texts.length === 1 ? texts[0]! : multipart('alternative', texts, `${boundary}a`)
  const attached = files.map((file) => filePart(file, tools))
  const part = attached.length === 0 ? body : multipart('mixed', [body, ...attached], `${boundary}m`)
  return { part, links, warnings }
}

type Html = { html: string; text: string; links: readonly string[]; warnings: readonly string[] }

function htmlOf(
  { html, text, preheader, inlineCss }: AssembledEmail,
  way: MailOptions,
  shapes: DecoratedBodies,
  tools: MailLibraries,
): Html | TooComplex {
  const { opens, clicks } = way.tracking
  const dressing = {
    opens,
    clicks,
    preheader: !!preheader,
    inlineCss,
    text: text === undefined,
    ownUrl: `${way.publicUrl}/`,
  }
  const fitted = shapes.decorate(html, dressing, tools)
  if ('tooComplex' in fitted) return fitted
  const { body, words } = fitted
  const filling = {
    link: way.links.link,
    pixel: opens ? pixelOf(way.links.pixel) : '',
    preheader: preheader ? preheaderOf(preheader) : '',
  }
  return {
    html: fillPlaceholders(body.html, words, filling),
    text: body.text ? fillPlaceholders(body.text, words, filling) : '',
    links: body.links.map((link) => fillPlaceholders(link, words, filling)),
    warnings: [...body.warnings, ...(preheader ? adviceOn(preheader) : [])],
  }
}

function adviceOn(preheader: string): string[] {
  const { length } = [...preheader]
  const { from, to } = preheaderCharacters
  return length < from || length > to
    ? [`the preheader has ${length} characters: ${from} to ${to} are recommended`]
    : []
}

/** Where it stands nothing moves: it takes no room, also where `position` is not understood. */
function pixelOf(url: string): string {
  const style = 'position:absolute;width:1px;height:1px;margin:-1px 0 0;border:0;padding:0'
  return `<img src="${escapeHtml(url)}" width="1" height="1" alt="" style="${style}">`
}

/** Hidden text, filled up so that mail programs show nothing of the body behind it. */
function preheaderOf(text: string): string {
  const filler = '&#847;&zwnj;&nbsp;'.repeat(Math.max(0, preheaderShown - text.length))
  const style = 'display:none!important;max-height:0;overflow:hidden;mso-hide:all'
  return `<div style="${style}">${escapeHtml(text)}${filler}</div>`
}

function headersOf(letter: AssembledEmail, way: MailOptions, tools: MailLibraries): Header[] {
  const { from, to, replyTo, subject, headers, extras } = letter
  const { links, isMarketing, atMs } = way
  const ways = [`<${links.unsubscribe}>`, ...(links.unsubscribeAddress ? [`<mailto:${links.unsubscribeAddress}>`] : [])]
  const unsubscribe: Header[] = [
    ['List-Unsubscribe', ways.join(', ')],
    ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
  ]
  return [
    ['From', mailboxValue(from, tools)],
    ['To', to],
    ...(replyTo ? [['Reply-To', mailboxValue(replyTo, tools)] as const] : []),
    ['Subject', headerText(subject, tools)],
    ['Date', dateValue(atMs)],
    ['Message-ID', `<${links.messageId(from.domain)}>`],
    ...(isMarketing ? unsubscribe : []),
    ...headers.map(([name, value]) => [name, headerText(value, tools)] as const),
    ...(extras ? [[extras[0], extrasValue(extras[1], tools)] as const] : []),
    ['MIME-Version', '1.0'],
  ]
}
