import type { TextLimit } from '../../content/liquid/run.ts'
import type { EmailTemplate } from '../../content/templates/template-store.ts'
import { lineCharactersMax } from '../../content/texts/lengths.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import { type EmailMistake, type EmailTexts, lineTooLong, oneLine } from './assemble-bodies.ts'
import type { AssembledEmail } from './compose-mail.ts'
import type { EmailAttachment, EmailObject } from './email-object.ts'
import { type Mailbox, mailboxCharactersMax, readMailbox } from './mailbox.ts'
import type { MailFile } from './mime.ts'
import { bodyCharactersMax } from './parse-html.ts'
import { urlCharactersMax } from './read-attachments.ts'
import { fromMailbox, fromRule, noReplyTo } from './read-email-object.ts'
import { extrasBytesMax } from './read-extras.ts'
import { headerMistake, headerValueCharactersMax } from './read-headers.ts'

/** A rendered file name is cut when it is longer than file names may be, but not when it is this long. */
const renderedNameCharactersMax = 1_000

export type TemplateTexts = Pick<
  EmailTemplate,
  'subject' | 'preheader' | 'body' | 'plaintext_body' | 'should_inline_css'
>
export type MailSettings = Pick<Settings, 'from_name' | 'reply_to' | 'extras_header'>

/** Completes an e-mail object from its template. Members of the object come first. */
export function withTemplate(email: EmailObject, template: TemplateTexts | undefined): EmailObject {
  if (!template) return email
  const { subject, preheader, body, plaintext_body, should_inline_css } = template
  return {
    subject,
    body,
    ...(preheader !== null && { preheader }),
    // The plain text of the template belongs to the body of the template.
    ...(plaintext_body !== null && email.body === undefined && { plaintext_body }),
    ...(should_inline_css !== null && { should_inline_css }),
    ...email,
  }
}

/** Lists all texts that may contain Liquid. */
export function liquidTextsOf(email: EmailObject): EmailTexts {
  const {
    subject,
    body,
    plaintext_body,
    preheader,
    from,
    reply_to,
    headers = {},
    extras = {},
    attachments = [],
  } = email
  const members = Object.entries({ from, subject, body, plaintext_body, preheader, reply_to })
  const files = attachments.flatMap(({ url, file_name }, i) => [
    [`attachments[${i}].url`, url],
    [`attachments[${i}].file_name`, file_name],
  ])
  const all = [
    ...members,
    ...Object.entries(headers).map(([name, text]) => [`headers.${name}`, text]),
    ...Object.entries(extras).map(([name, value]) => [`extras.${name}`, value]),
    ...files,
  ]
  return Object.fromEntries(all.filter(([, text]) => typeof text === 'string'))
}

/** Returns the limits of texts while they are rendered. They count characters; assembling checks bytes as well. */
export function textLimitsOf(texts: EmailTexts): Readonly<Record<string, TextLimit>> {
  return Object.fromEntries(Object.keys(texts).map((path) => [path, textLimit(path)]))
}

function textLimit(path: string): TextLimit {
  const line = (charactersMax: number) => ({ charactersMax, isOneLine: true })
  if (path.startsWith('headers.')) return line(headerValueCharactersMax(path.slice('headers.'.length)))
  if (path === 'subject' || path === 'preheader') return line(lineCharactersMax)
  if (path === 'from' || path === 'reply_to') return line(mailboxCharactersMax)
  if (path.startsWith('extras.')) return { charactersMax: extrasBytesMax }
  if (path.endsWith('.file_name')) return line(renderedNameCharactersMax)
  return { charactersMax: path.startsWith('attachments[') ? urlCharactersMax : bodyCharactersMax }
}

/** Returns the attachments with rendered texts. */
export function renderedAttachments({ attachments = [] }: EmailObject, texts: EmailTexts): EmailAttachment[] {
  return attachments.map((attachment, i) => ({
    ...attachment,
    url: texts[`attachments[${i}].url`]!.trim(),
    file_name: oneLine(texts[`attachments[${i}].file_name`]!),
  }))
}

/** Assembles an e-mail without its bodies from its rendered texts, or returns the mistake in one of them. */
export function assembleEmail(
  email: EmailObject,
  texts: EmailTexts,
  to: string,
  files: readonly MailFile[],
  settings: MailSettings,
): AssembledEmail | EmailMistake {
  const from = fromMailbox(oneLine(texts.from!), settings.from_name)
  if (!from) return { text: 'from', message: fromRule }
  const replyTo = replyToOf(email, texts, settings)
  if (replyTo && 'message' in replyTo) return replyTo
  const headers = headersOf(email, texts)
  if ('message' in headers) return headers
  const subject = oneLine(texts.subject ?? '')
  const extras = extrasOf(email, texts)
  const tooLong = lineTooLong('subject', subject) ?? extrasTooLong(extras)
  if (tooLong) return tooLong
  return {
    from,
    to,
    ...(replyTo && { replyTo }),
    ...(email.bcc !== undefined && { bcc: email.bcc }),
    subject,
    headers: headers.list,
    ...(extras && { extras: [settings.extras_header, extras] as const }),
    files,
  }
}

function replyToOf(
  { reply_to }: EmailObject,
  texts: EmailTexts,
  settings: MailSettings,
): Mailbox | EmailMistake | undefined {
  if (reply_to === null) return undefined
  const text = oneLine(texts.reply_to ?? settings.reply_to ?? '')
  // Liquid can omit the header by rendering to nothing or to `NO_REPLY_TO`.
  if (text === '' || text === noReplyTo) return undefined
  return readMailbox(text) ?? { text: 'reply_to', message: `must be a valid address or ${noReplyTo}` }
}

function headersOf({ headers = {} }: EmailObject, texts: EmailTexts): { list: [string, string][] } | EmailMistake {
  const list: [string, string][] = []
  for (const name of Object.keys(headers)) {
    const value = oneLine(texts[`headers.${name}`]!)
    const message = headerMistake(name, value)
    if (message !== undefined) return { text: `headers.${name}`, message }
    if (value !== '') list.push([name, value])
  }
  return { list }
}

function extrasOf({ extras }: EmailObject, texts: EmailTexts): Readonly<Record<string, unknown>> | undefined {
  if (!extras || Object.keys(extras).length === 0) return undefined
  return Object.fromEntries(Object.entries(extras).map(([name, value]) => [name, texts[`extras.${name}`] ?? value]))
}

function extrasTooLong(extras: object = {}): EmailMistake | undefined {
  if (Buffer.byteLength(JSON.stringify(extras)) <= extrasBytesMax) return undefined
  return { text: 'extras', message: `must be at most ${extrasBytesMax} bytes as JSON` }
}
