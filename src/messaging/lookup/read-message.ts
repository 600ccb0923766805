import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { notFound } from '../../base/errors.ts'
import { readBoolean } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { bucketOfId } from '../../people/identity/person.ts'
import { channelOf, findChannel } from '../channels/channels.ts'
import { familyOf } from '../ledger/families.ts'
import { findMailOfMessage, type MailRow } from '../mail/inbox-store.ts'
import { htmlPathOf } from '../mail/mail-path.ts'
import { decisionSentence } from '../why/sentences.ts'
import { type EngagementRow, listEngagement } from '../why/why-store.ts'
import { describeMessages, type LookupServices, shortSubject } from './describe-messages.ts'
import { findMessageRow, type MessageRow } from './list-store.ts'
import { type MadeAnew, type MakeAnew, mayBeMadeAnew } from './make-anew.ts'
import { listMessageDecisions, type MessageDecisionRow } from './message-store.ts'
import { isMessageId } from './read-filter.ts'
import type { FoundMessage, MessageReply } from './schema.ts'

export type ReadServices = LookupServices & { readonly makeAnew: MakeAnew }

/** A mail that is kept, or was made anew. */
type Mail = Pick<MailRow, 'address' | 'subject' | 'at' | 'bytes'> & {
  readonly mail_id: string | null
  readonly source: Buffer
}
type Workspace = { readonly workspace_id: number; readonly id: string }

/**
 * Reads one message with its decisions, engagement and mail, as of one moment. With `render=true` a mail that is not kept is made anew.
 * Throws 400, 404 and 429.
 */
export async function readMessage(
  call: Call,
  workspace: Workspace,
  { id, query }: { readonly id: string; readonly query: Query },
  services: ReadServices,
): Promise<MessageReply> {
  const withSource = readBoolean(query, 'source')
  const withRender = readBoolean(query, 'render')
  const { row, message, kept } = await call.db.transaction(
    async (tx) => {
      const { workspace_id } = workspace
      const row = await findMessage(tx, workspace_id, id)
      const [message] = await describeMessages(tx, { workspace_id, nowMs: call.clock.now() }, [row], services)
      const decisions = await listMessageDecisions(tx, row)
      const engagement = await listEngagement(tx, [row])
      const mail = await findMailOfMessage(tx, row, row.address)
      return {
        row,
        kept: mail,
        message: {
          ...message!,
          variant: row.variant,
          warnings: row.warnings ?? [],
          decisions: decisions.map((decision) => describeDecision(decision, message!)),
          engagement: engagement.map((each) => describeEngagement(each, row)),
        },
      }
    },
    { settings: readOnlySnapshot },
  )
  const may_render = !kept && mayBeMadeAnew(row)
  const made = may_render && withRender ? await services.makeAnew(row, workspace.workspace_id) : undefined
  const mail = kept ?? (made && 'source' in made ? mailOf(made, call.clock.now()) : undefined)
  return {
    message: {
      ...message,
      mail: mail ? await describeMail(mail, row.channel, id, workspace.id, withSource) : null,
      mail_sentence: made ? anewSentence(message, made) : mailSentence(message, kept !== undefined),
      may_render,
    },
  }
}

function mailOf({ address, subject, source }: Extract<MadeAnew, { source: Buffer }>, nowMs: number): Mail {
  return { mail_id: null, address, subject, at: new Date(nowMs), bytes: source.length, source }
}

/** Finds a message by the id in a path. Throws 404. */
export async function findMessage(tx: Tx, workspace_id: number, id: string): Promise<MessageRow> {
  const row = isMessageId(id) ? await findMessageRow(tx, workspace_id, id, bucketOfId(id)) : undefined
  if (!row) throw notFound('There is no message with this id. Messages are deleted with their people, and by age')
  return row
}

function describeDecision({ time, reason, rule, inputs }: MessageDecisionRow, message: FoundMessage) {
  const { channel, subject, address, flow, step } = message
  const about = { channel, subject: shortSubject(subject), address, flow: flow ?? undefined, step: step?.id ?? null }
  const sentence = decisionSentence(about, reason)
  return { at: time.toISOString(), reason, family: familyOf(reason), sentence, rule, inputs }
}

const engaged: Readonly<Record<string, string>> = {
  opened: 'Opened',
  clicked: 'Clicked',
  machine_opened: 'Opened by a program, not by the person',
  machine_clicked: 'A link was followed by a program, not by the person',
  unsubscribed: 'Unsubscribed by this mail',
}

function describeEngagement({ kind, link, first_at, last_at, count }: EngagementRow, { links }: MessageRow) {
  const times = count === 1 ? '' : `, ${count} times`
  return {
    kind,
    sentence: `${engaged[kind] ?? kind}${times}`,
    url: links?.[link] ?? null,
    first_at: first_at.toISOString(),
    last_at: last_at.toISOString(),
    count,
  }
}

async function describeMail(mail: Mail, channel: string, id: string, workspace: string, withSource: boolean) {
  const { from, headers, html, text, attachments, details, source } = await channelOf(channel).show(mail.source)
  const rendered_anew = mail.mail_id === null
  return {
    rendered_anew,
    mail_id: mail.mail_id,
    from,
    to: mail.address,
    subject: mail.subject,
    at: mail.at.toISOString(),
    bytes: mail.bytes,
    headers,
    text,
    html_url: html === null ? null : htmlPathOf('messages', id, workspace, rendered_anew),
    attachments,
    ...(details && { details }),
    ...(withSource && { source }),
  }
}

function mailSentence({ channel, family }: FoundMessage, isKept: boolean): string {
  const words = findChannel(channel)?.words
  if (!words) return 'Messages of this channel are not delivered.'
  const { one, server } = words
  if (isKept) return `The ${one} as it was kept in the inbox.`
  if (family === 'waiting') return `The ${one} is made when it is sent.`
  if (family === 'sent' || family === 'uncertain')
    return `The ${one} was not kept: it went to a ${server}, or was deleted from the inbox.`
  return `There is no ${one}: it was not sent.`
}

function anewSentence({ channel, family }: FoundMessage, made: MadeAnew): string {
  const { one } = channelOf(channel).words
  if ('cannot' in made) return `The ${one} cannot be made anew: ${made.cannot}.`
  const about = family === 'sent' || family === 'uncertain' ? `not the ${one} that was sent` : `no ${one} that was sent`
  return (
    `This is ${about}: it was made anew just now. Values of the person, templates and catalogs may have changed since. ` +
    'Files were not attached, and links are not tracked.'
  )
}
