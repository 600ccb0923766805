import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import { bodyBytesMax } from '../../content/templates/schema.ts'
import { findTemplate } from '../../content/templates/template-store.ts'
import { lineCharactersMax } from '../../content/texts/lengths.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import { clippedWarnings, preheaderWarnings } from './body-warnings.ts'
import { checkCredentials } from './credentials-config-section.ts'
import type { EmailObject } from './email-object.ts'
import { type Findings, findUnknown, type LostMember } from './lost-members.ts'
import { type Mailbox, mailboxCharactersMax, readMailbox } from './mailbox.ts'
import { readAttachments } from './read-attachments.ts'
import { readExtras } from './read-extras.ts'
import { readHeaders } from './read-headers.ts'
import { hasLiquid, readFlag, readObject, readText } from './read-text.ts'

const idCharactersMax = 255
export const noReplyTo = 'NO_REPLY_TO'

/** What is needed of the workspace to check an e-mail object. */
export type EmailContext = {
  readonly settings: Pick<Settings, 'bcc' | 'attachments_max'> & Partial<Pick<Settings, 'extras_header' | 'from_name'>>
  readonly apps: { has(id: string): boolean }
}

/**
 * A checked e-mail object. The reply of the request has the `warnings`; they do not stop the mail. Those of the parts that are not kept as
 * sent are in `lost` too.
 */
export type CheckedEmail = {
  readonly email: EmailObject
  readonly warnings: string[]
  readonly lost: readonly LostMember[]
}

/** The members that an e-mail object may have. */
export const emailMembers: ReadonlySet<string> = new Set([
  ...['app_id', 'subject', 'from', 'reply_to', 'bcc', 'body', 'plaintext_body', 'preheader', 'email_template_id'],
  ...['message_variation_id', 'extras', 'headers', 'should_inline_css', 'attachments'],
])

/**
 * Reads the e-mail object of a request (specification 2.9). `path` is its path in the request, such as `messages.email`. A null member
 * counts as absent. If a text has Liquid, only the Liquid is checked here; the rendered text is checked when the mail is sent. Throws a 400
 * that names the member.
 */
export function readEmail(value: unknown, path: string, { settings, apps }: EmailContext): CheckedEmail {
  const given = readObject(value, path)
  const warnings: string[] = []
  const lost: LostMember[] = []
  findUnknown(given, emailMembers, path, { warnings, lost })
  const at = (name: string) => `${path}.${name}`
  const app_id = readAppId(given.app_id, at('app_id'), apps)
  const from = readFrom(given.from, at('from'), settings.from_name, warnings)
  const email_template_id = readId(given.email_template_id, at('email_template_id'))
  const email = {
    app_id,
    from,
    subject: readText(given.subject, at('subject'), { charactersMax: lineCharactersMax, oneLine: true, liquid: true }),
    reply_to: readReplyTo(given.reply_to, at('reply_to')),
    bcc: readBcc(given.bcc, at('bcc'), settings.bcc, { warnings, lost }),
    body: readBody(given.body, path, email_template_id, warnings),
    plaintext_body: readText(given.plaintext_body, at('plaintext_body'), { bytesMax: bodyBytesMax, liquid: true }),
    preheader: readPreheader(given.preheader, at('preheader'), warnings),
    email_template_id,
    message_variation_id: readId(given.message_variation_id, at('message_variation_id')),
    extras: readExtras(given.extras, at('extras')),
    headers: readHeaders(given.headers, at('headers'), settings.extras_header),
    should_inline_css: readFlag(given.should_inline_css, at('should_inline_css')),
    attachments: readAttachments(given.attachments, at('attachments'), settings.attachments_max, { warnings, lost }),
  }
  return { email: withoutMissing(email), warnings, lost }
}

/** Checks that the template and the credentials of an e-mail object exist. Throws a 400. */
export async function checkEmail(tx: Tx, workspace_id: number, email: EmailObject, path = 'messages.email') {
  const { email_template_id, attachments = [] } = email
  if (email_template_id !== undefined && !(await findTemplate(tx, workspace_id, email_template_id))) {
    throw invalid(`${path}.email_template_id must be the id of an email template of this workspace`)
  }
  await checkCredentials(tx, workspace_id, attachments, `${path}.attachments`)
}

type Optional = { readonly [name in keyof EmailObject]: EmailObject[name] | undefined }

function withoutMissing(email: Optional): EmailObject {
  return Object.fromEntries(Object.entries(email).filter(([, value]) => value !== undefined)) as EmailObject
}

/** Reads an optional id. An empty one counts as absent. */
function readId(value: unknown, at: string): string | undefined {
  const id = readText(value, at, { charactersMax: idCharactersMax })
  return id === '' ? undefined : id
}

function readAppId(value: unknown, at: string, apps: EmailContext['apps']): string {
  const id = readId(value, at)
  if (id === undefined) throw invalid(`${at} is required`)
  if (!apps.has(id)) throw invalid(`${at} must be the id of an app of this workspace`)
  return id
}

const address = { charactersMax: mailboxCharactersMax, oneLine: true, liquid: true }

function readFrom(value: unknown, at: string, defaultName: string | undefined, warnings: string[]): string {
  const from = readText(value, at, address)
  if (from === undefined) throw invalid(`${at} is required`)
  if (hasLiquid(from)) return from
  if (!fromMailbox(from, defaultName)) throw invalid(`${at} ${fromRule}`)
  if (!fromMailbox(from)) warnings.push(`${at} has no display name: the mail is sent with settings.from_name`)
  return from
}

export const fromRule = 'must be a valid address in the form Display Name <address>'

/** Reads a rendered `from`: a mailbox, with the default name when it has none. Returns undefined when it has no name then either. */
export function fromMailbox(text: string, defaultName = ''): Mailbox | undefined {
  const mailbox = readMailbox(text)
  const name = mailbox?.name || defaultName
  return mailbox && name !== '' ? { ...mailbox, name } : undefined
}

function readReplyTo(value: unknown, at: string): string | null | undefined {
  const reply_to = readText(value, at, address)
  if (reply_to === noReplyTo) return null
  if (reply_to === undefined || hasLiquid(reply_to) || readMailbox(reply_to)) return reply_to
  throw invalid(`${at} must be a valid address or ${noReplyTo}`)
}

function readBcc(value: unknown, at: string, allowed: readonly string[], found: Findings): string | undefined {
  const bcc = readText(value, at, { charactersMax: mailboxCharactersMax, oneLine: true })
  if (bcc === undefined) return undefined
  if (allowed.length === 0) {
    const reason = 'is not applied: the workspace has no BCC addresses'
    found.warnings.push(`${at} ${reason}`)
    found.lost.push({ member: at, reason })
    return undefined
  }
  const known = allowed.find((one) => one.toLowerCase() === bcc.trim().toLowerCase())
  if (known === undefined) throw invalid(`${at} must be one of the BCC addresses of the workspace`)
  return known
}

function readBody(
  value: unknown,
  path: string,
  email_template_id: string | undefined,
  warnings: string[],
): string | undefined {
  const at = `${path}.body`
  const body = readText(value, at, { bytesMax: bodyBytesMax, liquid: true })
  if (body === undefined) {
    if (email_template_id === undefined) throw invalid(`${at} or ${path}.email_template_id is required`)
    return undefined
  }
  if (body.trim() === '') throw invalid(`${at} must not be empty`)
  warnings.push(...clippedWarnings(at, body))
  return body
}

function readPreheader(value: unknown, at: string, warnings: string[]): string | undefined {
  const preheader = readText(value, at, { charactersMax: lineCharactersMax, liquid: true })
  if (preheader === undefined || hasLiquid(preheader)) return preheader
  warnings.push(...preheaderWarnings(at, preheader))
  return preheader
}
