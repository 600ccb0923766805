import { escapeHtml } from '../../base/http/page.ts'
import { type DecoratedBodies, fillPlaceholders } from './decorated-bodies.ts'
import { dkimSignature, type SigningKey } from './dkim.ts'
import { dateValue, extrasValue, type Header, headerLine, headerText, mailboxValue } from './format-headers.ts'
import type { MailLibraries } from './mail-libraries.ts'
import type { Mailbox } from './mailbox.ts'
import type { MessageLinks } from './message-links.ts'
import { filePart, type MailFile, type MimePart, multipart, textPart } from './mime.ts'
import type { TooComplex } from './parse-html.ts'
import { clippedBytes, preheaderWarnings } from './read-email-object.ts'
import type { Mail } from './transport.ts'

/** Preheaders are filled up to this number of characters, which is more than mail programs show. */
const preheaderFilledTo = 100

/** The rendered contents of a mail to one person. Texts for headers are one line. */
export type AssembledEmail = {
  readonly from: Mailbox
  /** The address of the recipient; its domain is ASCII. */
  readonly to: string
  readonly replyTo?: Mailbox
  readonly bcc?: string
  readonly subject: string
  /** Empty for a mail that has only a text part. */
  readonly html: string
  /** Made from `html` when absent. */
  readonly text?: string
  readonly preheader?: string
  readonly inlineCss: boolean
  readonly headers: readonly Header[]
  /** The name of the header for the extras, and the extras. */
  readonly extras?: readonly [header: string, members: Readonly<Record<string, unknown>>]
  readonly files: readonly MailFile[]
}

/** How to compose a mail. */
export type MailOptions = {
  readonly links: MessageLinks
  /** `PUBLIC_URL`, where links to Easel lead. */
  readonly publicUrl: string
  readonly tracking: { readonly opens: boolean; readonly clicks: boolean }
  readonly isMarketing: boolean
  readonly atMs: number
  readonly dkim?: SigningKey
}

export type ComposedMail = Mail & {
  /** The targets of tracked links, by the number in the tracking link. */
  readonly links: readonly string[]
  readonly warnings: readonly string[]
}

/** Composes the bytes of a mail. Equal arguments give equal bytes. */
export function composeMail(
  email: AssembledEmail,
  options: MailOptions,
  decoratedBodies: DecoratedBodies,
  libraries: MailLibraries,
): ComposedMail | TooComplex {
  const bodies = bodiesOf(email, options, decoratedBodies, libraries)
  if ('tooComplex' in bodies) return bodies
  const { part, links, warnings } = bodies
  const lines = [
    ...headersOf(email, options, libraries).map((header) => headerLine(header, libraries)),
    ...part.headers,
  ]
  const content = `${part.content}\r\n`
  if (options.dkim) lines.unshift(dkimSignature(lines, content, options.dkim))
  const raw = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${content}`)
  const to = email.bcc === undefined ? [email.to] : [email.to, email.bcc]
  return { raw, envelope: { from: options.links.returnPath ?? email.from.address, to }, links, warnings }
}

type Bodies = { part: MimePart; links: readonly string[]; warnings: readonly string[] }

function bodiesOf(
  email: AssembledEmail,
  options: MailOptions,
  decoratedBodies: DecoratedBodies,
  libraries: MailLibraries,
): Bodies | TooComplex {
  const { html, text, files } = email
  const boundary = `=_${options.links.messageId('').slice(0, 34)}`
  const texts: MimePart[] = []
  let links: readonly string[] = []
  const warnings: string[] = []
  if (html === '') texts.push(textPart('text/plain', text ?? '', libraries))
  else {
    const made = htmlOf(email, options, decoratedBodies, libraries)
    if ('tooComplex' in made) return made
    texts.push(textPart('text/plain', text ?? made.text, libraries), textPart('text/html', made.html, libraries))
    links = made.links
    warnings.push(...made.warnings)
    if (Buffer.byteLength(made.html) > clippedBytes)
      warnings.push(`the body is longer than ${clippedBytes} bytes: some mail services show only the beginning`)
  }
  const body = texts.length === 1 ? texts[0]! : multipart('alternative', texts, `${boundary}a`)
  const attached = files.map((file) => filePart(file, libraries))
  const part = attached.length === 0 ? body : multipart('mixed', [body, ...attached], `${boundary}m`)
  return { part, links, warnings }
}

type Html = { html: string; text: string; links: readonly string[]; warnings: readonly string[] }

function htmlOf(
  { html, text, preheader, inlineCss }: AssembledEmail,
  options: MailOptions,
  decoratedBodies: DecoratedBodies,
  libraries: MailLibraries,
): Html | TooComplex {
  const { opens, clicks } = options.tracking
  const decoration = {
    opens,
    clicks,
    preheader: !!preheader,
    inlineCss,
    text: text === undefined,
    ownUrl: `${options.publicUrl}/`,
  }
  const decorated = decoratedBodies.decorate(html, decoration, libraries)
  if ('tooComplex' in decorated) return decorated
  const { body, words } = decorated
  const values = {
    link: options.links.link,
    pixel: opens ? pixelOf(options.links.pixel) : '',
    preheader: preheader ? preheaderOf(preheader) : '',
  }
  return {
    html: fillPlaceholders(body.html, words, values),
    text: body.text ? fillPlaceholders(body.text, words, values) : '',
    links: body.links.map((link) => fillPlaceholders(link, words, values)),
    warnings: [...body.warnings, ...(preheader ? preheaderWarnings('the preheader', preheader) : [])],
  }
}

/** Formats the tracking pixel. It takes no space in the layout, also in programs that do not support `position`. */
function pixelOf(url: string): string {
  const style = 'position:absolute;width:1px;height:1px;margin:-1px 0 0;border:0;padding:0'
  return `<img src="${escapeHtml(url)}" width="1" height="1" alt="" style="${style}">`
}

/** Formats the preheader as hidden text. It is filled up so that mail programs show nothing of the body after it. */
function preheaderOf(text: string): string {
  const filler = '&#847;&zwnj;&nbsp;'.repeat(Math.max(0, preheaderFilledTo - text.length))
  const style = 'display:none!important;max-height:0;overflow:hidden;mso-hide:all'
  return `<div style="${style}">${escapeHtml(text)}${filler}</div>`
}

function headersOf(email: AssembledEmail, options: MailOptions, libraries: MailLibraries): Header[] {
  const { from, to, replyTo, subject, headers, extras } = email
  const { links, isMarketing, atMs } = options
  const targets = [
    `<${links.unsubscribe}>`,
    ...(links.unsubscribeAddress ? [`<mailto:${links.unsubscribeAddress}>`] : []),
  ]
  const unsubscribe: Header[] = [
    ['List-Unsubscribe', targets.join(', ')],
    ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
  ]
  return [
    ['From', mailboxValue(from, libraries)],
    ['To', to],
    ...(replyTo ? [['Reply-To', mailboxValue(replyTo, libraries)] as const] : []),
    ['Subject', headerText(subject, libraries)],
    ['Date', dateValue(atMs)],
    ['Message-ID', `<${links.messageId(from.domain)}>`],
    ...(isMarketing ? unsubscribe : []),
    ...headers.map(([name, value]) => [name, headerText(value, libraries)] as const),
    ...(extras ? [[extras[0], extrasValue(extras[1], libraries)] as const] : []),
    ['MIME-Version', '1.0'],
  ]
}
