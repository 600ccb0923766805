import type { Call } from '../../base/call.ts'
import { parseQueryTime } from '../../base/dates.ts'
import { invalid, notFound } from '../../base/errors.ts'
import { readBoolean, readLimit, readNonEmpty, readUuid } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { uuidToHex } from '../../base/ids.ts'
import { findPeople } from '../../people/identity/find-people.ts'
import { identifierOrThrow, readExternalId } from '../../people/identity/identifier.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { completeSettings } from '../../workspace/settings/settings.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import type { DestinationServices } from '../channels/channel.ts'
import { allChannels, channelOf } from '../channels/channels.ts'
import {
  deleteMails,
  findMail,
  type InboxCursor,
  type InboxFilter,
  listMails,
  type MailRow,
} from '../mail/inbox-store.ts'
import { htmlPathOf } from '../mail/mail-path.ts'
import { deliverySentence } from './delivery-sentence.ts'
import {
  type InboxEntry,
  type InboxReply,
  inboxPageDefault,
  inboxPageMax,
  type MailReply,
  unknownMail,
} from './schema.ts'

/** Lists a page of the inbox, newest first. */
export async function listInbox(
  call: Call,
  query: Query,
  { workspace_id, settings }: Pick<WorkspaceRow, 'workspace_id' | 'settings'>,
  services: DestinationServices,
): Promise<InboxReply> {
  const limit = readLimit(query, inboxPageDefault, inboxPageMax)
  const after = readInboxCursor(query)
  const rows = await listMails(call.db, await readFilter(call, query, workspace_id), after, limit + 1)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    messages: page.map(toInboxEntry),
    ...(rows.length > limit && last && { cursor: cursorAfter(last) }),
    delivery: deliverySentence(allChannels(), completeSettings(settings).mail_delivery, services),
  }
}

type Named = { readonly workspace_id: number; readonly id: string }

/** Reads one mail with its parts. Throws 404. */
export async function readMail(call: Call, id: string, query: Query, workspace: Named): Promise<MailReply> {
  const withSource = readBoolean(query, 'source')
  const mail = await findInboxMail(call, id, workspace.workspace_id)
  const { source, details, ...parts } = await channelOf(mail.channel).show(mail.source)
  const html_url = parts.html === null ? null : htmlPathOf('inbox', id, workspace.id)
  return { ...toInboxEntry(mail), ...parts, html_url, ...(details && { details }), ...(withSource && { source }) }
}

/** Finds a mail of the inbox. Throws 404. */
export async function findInboxMail(
  { db }: Pick<Call, 'db'>,
  id: string,
  workspace_id: number,
): Promise<MailRow & { source: Buffer }> {
  const mail = isId(id) ? await findMail(db, workspace_id, id) : undefined
  if (!mail) throw notFound(unknownMail)
  return mail
}

/** Empties the inbox of a workspace. */
export function emptyInbox(call: Call, workspace_id: number): Promise<{ deleted: number }> {
  return call.db.transaction(async (tx) => {
    const deleted = await deleteMails(tx, workspace_id)
    const target = { kind: 'inbox', id: 'inbox' }
    await recordAudit(tx, call, { action: 'inbox.empty', target, before: { mails: deleted }, workspace_id })
    return { deleted }
  })
}

async function readFilter({ db }: Call, query: Query, workspace_id: number): Promise<InboxFilter> {
  const external_id = readNonEmpty(query, 'external_id')
  const [found] =
    external_id === undefined
      ? []
      : await findPeople(db, workspace_id, [identifierOrThrow(readExternalId(external_id, true))], () => undefined, 1)
  return {
    workspace_id,
    address: readText(query, 'to'),
    people: found?.people,
    dispatch_id: readUuid(query, 'dispatch_id'),
    sinceUs: readInstant(query, 'since'),
  }
}

function readText(query: Query, name: string): string | undefined {
  const text = readNonEmpty(query, name)
  if (text?.includes('\u0000')) throw invalid(`'${name}' is not valid`)
  return text
}

function readInstant(query: Query, name: string): number | undefined {
  const text = readNonEmpty(query, name)
  if (text === undefined) return undefined
  const ms = parseQueryTime(text)
  if (ms === undefined) throw invalid(`'${name}' is not valid`)
  return ms * 1000
}

const idMax = 2n ** 63n - 1n

function isId(text: string): boolean {
  return /^\d{1,19}$/.test(text) && BigInt(text) <= idMax
}

function cursorAfter({ at_us, mail_id }: MailRow): string {
  return Buffer.from(`${at_us}.${mail_id}`).toString('base64url')
}

function readInboxCursor(query: Query): InboxCursor | undefined {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return undefined
  const [, atUs, mail_id] = /^(\d{1,18})\.(\d{1,19})$/.exec(Buffer.from(given, 'base64url').toString('latin1')) ?? []
  if (!atUs || !mail_id || !isId(mail_id)) throw invalid("'cursor' is not valid")
  return { atUs, mail_id }
}

function toInboxEntry(row: MailRow): InboxEntry {
  const { mail_id, message_id, channel, external_id, address, subject, at, bytes, dispatch_id } = row
  return {
    id: mail_id,
    channel,
    to: address,
    subject,
    at: at.toISOString(),
    external_id,
    dispatch_id: dispatch_id && uuidToHex(dispatch_id),
    message_id,
    bytes,
  }
}
