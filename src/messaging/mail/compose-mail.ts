import { setImmediate as nextTurn } from 'node:timers/promises'
import { contentHash, dkimSignature, type SigningKey } from './dkim.ts'
import type { EncodedBodies } from './encode-bodies.ts'
import { dateValue, extrasValue, type Header, headerLine, headerText, mailboxValue } from './format-headers.ts'
import type { MailLibraries } from './mail-libraries.ts'
import type { Mailbox } from './mailbox.ts'
import type { MessageLinks } from './message-links.ts'
import { type EncodedPart, filePart, type MailFile, mixedPart } from './mime.ts'
import type { Mail } from './transport.ts'

/** The rendered contents of a mail to one person besides its bodies. Texts for headers are one line. */
export type AssembledEmail = {
  readonly from: Mailbox
  /** The address of the recipient; its domain is ASCII. */
  readonly to: string
  readonly replyTo?: Mailbox
  readonly bcc?: string
  readonly subject: string
  readonly headers: readonly Header[]
  /** The name of the header for the extras, and the extras. */
  readonly extras?: readonly [header: string, members: Readonly<Record<string, unknown>>]
  readonly files: readonly MailFile[]
}

/** How to compose a mail. */
export type MailOptions = {
  readonly links: MessageLinks
  readonly isMarketing: boolean
  readonly atMs: number
  readonly dkim?: SigningKey
}

/** Composes the bytes of a mail. Equal arguments give equal bytes. */
export async function composeMail(
  email: AssembledEmail,
  bodies: EncodedBodies,
  options: MailOptions,
  libraries: MailLibraries,
): Promise<Mail> {
  const files: EncodedPart[] = []
  for (const file of email.files) {
    // Each takes some milliseconds.
    if (files.length > 0) await nextTurn()
    files.push(filePart(file, libraries))
  }
  const { headers, content } = mixedPart(bodies, files, `${options.links.boundary}m`)
  const lines = [...headersOf(email, options, libraries).map((header) => headerLine(header, libraries)), ...headers]
  if (options.dkim) lines.unshift(await dkimSignature(lines, await contentHash(content), options.dkim))
  const raw = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), ...content])
  const to = email.bcc === undefined ? [email.to] : [email.to, email.bcc]
  return { raw, envelope: { from: options.links.returnPath ?? email.from.address, to } }
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
