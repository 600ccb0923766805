import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs, timestampFromUsText } from '../../base/db/timestamps.ts'
import type { Person } from '../../people/identity/person.ts'

/** A mail to insert. `message_id` is '0' if there is no message. */
export type NewMail = {
  readonly bucket: number
  readonly profile_id: string
  readonly mail_id: string
  readonly workspace_id: number
  readonly message_id: string
  readonly channel: string
  readonly address: string
  readonly subject: string
  readonly atUs: number
  readonly source: Buffer
}

export async function insertMails(tx: Tx, mails: readonly NewMail[]): Promise<void> {
  if (mails.length === 0) return
  await tx.query(sql`
    insert into inbox (bucket, profile_id, mail_id, workspace_id, message_id, channel, address, subject, at, source)
    select v.bucket, v.profile_id, v.mail_id, v.workspace_id, nullif(v.message_id, 0), v.channel, v.address, v.subject, v.at,
      decode(v.source, 'base64')
    from unnest(
      ${int4Array(mails.map((mail) => mail.bucket))}::int4[], ${int8Array(mails.map((mail) => mail.profile_id))}::int8[],
      ${int8Array(mails.map((mail) => mail.mail_id))}::int8[], ${int4Array(mails.map((mail) => mail.workspace_id))}::int4[],
      ${int8Array(mails.map((mail) => mail.message_id))}::int8[], ${textArray(mails.map((mail) => mail.address))}::text[],
      ${textArray(mails.map((mail) => mail.subject))}::text[], ${timestampArray(mails.map((mail) => mail.atUs))}::timestamptz[],
      ${textArray(mails.map((mail) => mail.source.toString('base64')))}::text[], ${textArray(mails.map((mail) => mail.channel))}::text[])
      v(bucket, profile_id, mail_id, workspace_id, message_id, address, subject, at, source, channel)`)
}

/** Which mails to list. An undefined member does not filter. An empty list of `people` matches no mail. */
export type InboxFilter = {
  readonly workspace_id: number
  readonly address: string | undefined
  readonly people: readonly Person[] | undefined
  readonly dispatch_id: string | undefined
  readonly sinceUs: number | undefined
}

export type InboxCursor = { readonly atUs: string; readonly mail_id: string }

export type MailRow = {
  bucket: number
  mail_id: string
  message_id: string | null
  channel: string
  external_id: string | null
  address: string
  subject: string
  at: Date
  at_us: string
  bytes: number
  dispatch_id: string | null
}

/** The id of the order of a mail, or of the entry if the person entered the canvas after an event. */
const dispatchId = sql`coalesce(e.dispatch_id, m.cause)`
const mailColumns = sql`i.bucket, i.mail_id, i.message_id, i.channel, p.external_id, i.address, i.subject, i.at,
      (extract(epoch from i.at) * 1000000)::int8 as at_us, octet_length(i.source) as bytes, ${dispatchId} as dispatch_id`
const mailJoins = sql`left join message m on m.bucket = i.bucket and m.message_id = i.message_id
    left join entry e on e.bucket = m.bucket and e.entry_id = m.cause
    left join profile p on p.bucket = i.bucket and p.profile_id = i.profile_id`

/** Lists a page of mails, newest first. */
export async function listMails(
  tx: Tx,
  filter: InboxFilter,
  after: InboxCursor | undefined,
  limit: number,
): Promise<MailRow[]> {
  const { workspace_id, address, people, dispatch_id, sinceUs } = filter
  const conditions = [
    ...(address === undefined ? [] : [sql`and lower(i.address) = lower(${address})`]),
    ...(people === undefined
      ? []
      : [
          sql`and i.bucket = any(${int4Array(people.map(({ bucket }) => bucket))}::int4[])
      and i.profile_id = any(${int8Array(people.map(({ key }) => key))}::int8[])`,
        ]),
    ...(dispatch_id === undefined ? [] : [sql`and ${dispatchId} = ${dispatch_id}::uuid`]),
    ...(sinceUs === undefined ? [] : [sql`and i.at >= ${timestampFromUs(sinceUs)}`]),
    ...(after === undefined
      ? []
      : [sql`and (i.at, i.mail_id) < (${timestampFromUsText(after.atUs)}, ${after.mail_id}::int8)`]),
  ]
  return tx.query<MailRow>(sql`
    select ${mailColumns} from inbox i ${mailJoins}
    where i.workspace_id = ${workspace_id} ${joinConditions(conditions)}
    order by i.workspace_id desc, i.at desc, i.mail_id desc limit ${limit}`)
}

function joinConditions(conditions: readonly Sql[]): Sql {
  return conditions.reduce((joined, one) => sql`${joined} ${one}`, sql``)
}

export async function findMail(
  tx: Tx,
  workspace_id: number,
  mail_id: string,
): Promise<(MailRow & { source: Buffer }) | undefined> {
  const [row] = await tx.query<MailRow & { source: Buffer }>(sql`
    select ${mailColumns}, i.source from inbox i ${mailJoins}
    where i.workspace_id = ${workspace_id} and i.mail_id = ${mail_id}::int8`)
  return row
}

/** Finds the mail of a message that its recipient got, not the copies of others. */
export async function findMailOfMessage(
  tx: Tx,
  { bucket, message_id }: { readonly bucket: number; readonly message_id: string },
  address: string | null,
): Promise<(MailRow & { source: Buffer }) | undefined> {
  const [row] = await tx.query<MailRow & { source: Buffer }>(sql`
    select ${mailColumns}, i.source from inbox i ${mailJoins}
    where i.bucket = ${bucket} and i.message_id = ${message_id}::int8
    order by (i.address = ${address}) desc nulls last, i.mail_id limit 1`)
  return row
}

/** Deletes all mails of a workspace and returns how many there were. */
export async function deleteMails(tx: Tx, workspace_id: number): Promise<number> {
  const deleted = await tx.query(sql`delete from inbox where workspace_id = ${workspace_id} returning 1`)
  return deleted.length
}

/** Deletes the mails of a workspace, oldest first, until both limits hold. */
export async function trimMails(tx: Tx, workspace_id: number, mailsMax: number, bytesMax: number): Promise<void> {
  await tx.query(sql`
    delete from inbox i using (
      select bucket, mail_id, row_number() over w as nth, sum(octet_length(source)) over w as bytes
      from inbox where workspace_id = ${workspace_id} window w as (order by at desc, mail_id desc)) o
    where i.bucket = o.bucket and i.mail_id = o.mail_id and (o.nth > ${mailsMax} or o.bytes > ${bytesMax}::int8)`)
}
