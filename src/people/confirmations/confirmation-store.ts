import { int4Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, sql } from '../../base/db/sql.ts'
import { timestampFromMs, timestampFromUsText } from '../../base/db/timestamps.ts'
import { findCurrentOf } from '../identity/current-store.ts'
import { bucketOfId, type Person, person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'
import type { Confirmation, ConfirmationState } from './confirmation.ts'

const columns = raw(
  [
    'c.bucket, c.profile_id, c.group_id, c.confirmation_id, c.workspace_id, c.address, c.keyword, c.source, c.form_id, c.language',
    'c.requested_at, c.requested_from, c.dispatch_id, c.sent_at, c.sent_count, c.expires_at, c.confirmed_at, c.confirmed_from',
    'c.link_hashes',
  ].join(', '),
)

/** Returns the confirmation of a person and a group, and locks it. */
export async function lockConfirmation(
  tx: Tx,
  { bucket, key }: Person,
  group_id: number,
): Promise<Confirmation | undefined> {
  const [row] = await tx.query<Confirmation>(
    prepared(sql`select ${columns} from confirmation c
      where c.bucket = ${bucket} and c.profile_id = ${key}::int8 and c.group_id = ${group_id} for update`),
  )
  return row
}

/** A confirmation of a person, with the public id and the name of the group. */
export type OwnConfirmation = Confirmation & {
  readonly subscription_group_id: string
  readonly group_name: string
  readonly channel: 'email' | 'sms'
}

/** Returns the confirmations of people. */
export async function listConfirmationsOf(tx: Tx, people: readonly Person[]): Promise<OwnConfirmation[]> {
  if (people.length === 0) return []
  return tx.query<OwnConfirmation>(
    prepared(sql`select ${columns}, g.id as subscription_group_id, g.name as group_name, g.channel
      from ${personRows(people)} w(bucket, profile_id)
      join confirmation c on c.bucket = w.bucket and c.profile_id = w.profile_id
      join subscription_group g on g.group_id = c.group_id
      order by c.bucket, c.profile_id, c.group_id`),
  )
}

/** The person of a link, and the workspace; the kept person after a merge. */
export type LinkOwner = { readonly owner: Person; readonly workspace_id: number }

/** Returns the person of a link. Undefined when the person was deleted. */
export async function findLinkOwner(tx: Tx, profile_id: string): Promise<LinkOwner | undefined> {
  const [row] = await (tx.placement === undefined ? joinOwner : lookOwnerUp)(tx, profile_id)
  return row && { owner: person(row.bucket, row.profile_id), workspace_id: row.workspace_id }
}

type OwnerRow = { bucket: number; profile_id: string; workspace_id: number }

function joinOwner(tx: Tx, profile_id: string): Promise<OwnerRow[]> {
  return tx.query<OwnerRow>(sql`
    select o.bucket, o.profile_id, o.workspace_id
    from profile p
    join profile o on o.bucket = coalesce(p.merged_bucket, p.bucket) and o.profile_id = coalesce(p.merged_into, p.profile_id)
    where p.bucket = ${bucketOfId(profile_id)} and p.profile_id = ${profile_id}::int8`)
}

/** Does the same in two steps, because the kept person may be on another shard. */
async function lookOwnerUp(tx: Tx, profile_id: string): Promise<OwnerRow[]> {
  const current = await findCurrentOf(tx, profile_id)
  if (current === undefined) return []
  return tx.query<OwnerRow>(sql`
    select o.bucket, o.profile_id, o.workspace_id from profile o
    where o.bucket = ${current.bucket} and o.profile_id = ${current.key}::int8`)
}

/** Returns the confirmation of a link. Undefined when it was replaced, or removed because of its age. */
export async function findByLink(
  tx: Tx,
  { bucket, key }: Person,
  confirmation_id: string,
): Promise<Confirmation | undefined> {
  const [row] = await tx.query<Confirmation>(
    prepared(sql`select ${columns} from confirmation c
      where c.bucket = ${bucket} and c.profile_id = ${key}::int8 and c.confirmation_id = ${confirmation_id}::int8`),
  )
  return row
}

export type NewConfirmation = Omit<
  Confirmation,
  'requested_at' | 'sent_at' | 'expires_at' | 'confirmed_at' | 'confirmed_from' | 'link_hashes'
> & { readonly atMs: number; readonly expiresMs: number }

/** Stores a new confirmation of a person and a group in place of an earlier one. */
export async function upsertConfirmation(tx: Tx, row: NewConfirmation): Promise<void> {
  const at = timestampFromMs(row.atMs)
  await tx.query(sql`
    insert into confirmation as c (bucket, profile_id, group_id, confirmation_id, workspace_id, address, keyword, source, form_id, language,
      requested_at, requested_from, dispatch_id, sent_at, sent_count, expires_at)
    values (${row.bucket}, ${row.profile_id}::int8, ${row.group_id}, ${row.confirmation_id}::int8, ${row.workspace_id}, ${row.address},
      ${row.keyword}, ${row.source}, ${row.form_id}, ${row.language}, ${at}, ${row.requested_from}, ${row.dispatch_id}::uuid, ${at},
      ${row.sent_count}, ${timestampFromMs(row.expiresMs)})
    on conflict (bucket, profile_id, group_id) do update set confirmation_id = excluded.confirmation_id,
      address = excluded.address, keyword = excluded.keyword, source = excluded.source, form_id = excluded.form_id,
      language = excluded.language,
      requested_at = excluded.requested_at, requested_from = excluded.requested_from, dispatch_id = excluded.dispatch_id,
      sent_at = excluded.sent_at, sent_count = excluded.sent_count, expires_at = excluded.expires_at,
      confirmed_at = null, confirmed_from = null, link_hashes = '{}'`)
}

/** Records another mail or text of a confirmation that waits. */
export async function updateSent(
  tx: Tx,
  { bucket, key }: Person,
  group_id: number,
  sent: {
    readonly dispatch_id: string
    readonly keyword: string | null
    readonly sentCount: number
    readonly atMs: number
    readonly expiresMs: number
  },
): Promise<void> {
  await tx.query(sql`
    update confirmation c set dispatch_id = ${sent.dispatch_id}::uuid, sent_at = ${timestampFromMs(sent.atMs)},
      sent_count = ${sent.sentCount}, keyword = ${sent.keyword}, expires_at = ${timestampFromMs(sent.expiresMs)}
    where c.bucket = ${bucket} and c.profile_id = ${key}::int8 and c.group_id = ${group_id}`)
}

/** Records when a confirmation was given, and from which network. */
export async function updateConfirmed(
  tx: Tx,
  { bucket, key }: Person,
  group_id: number,
  atMs: number,
  from: string | null,
): Promise<void> {
  await tx.query(sql`
    update confirmation c set confirmed_at = ${timestampFromMs(atMs)}, confirmed_from = ${from}
    where c.bucket = ${bucket} and c.profile_id = ${key}::int8 and c.group_id = ${group_id}`)
}

/** Deletes a confirmation that was not given. Returns whether there was one. */
export async function deleteOpen(tx: Tx, { bucket, key }: Person, group_id: number): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from confirmation c
    where c.bucket = ${bucket} and c.profile_id = ${key}::int8 and c.group_id = ${group_id} and c.confirmed_at is null
    returning c.group_id`)
  return rows.length > 0
}

/** Deletes confirmations that were not given, and could not be given any more from a moment on. */
export async function deleteExpired(tx: Tx, beforeMs: number): Promise<void> {
  await tx.query(sql`delete from confirmation where confirmed_at is null and expires_at < ${timestampFromMs(beforeMs)}`)
}

/** The last row of a page of confirmations. */
export type ConfirmationCursor = { readonly us: string; readonly id: string }

export type ListedConfirmation = Confirmation & { readonly us: string }

/** Lists the confirmations of a group, newest first; those of one state if it is given. */
export async function listOfGroup(
  tx: Tx,
  { workspace_id, group_id }: { readonly workspace_id: number; readonly group_id: number },
  state: ConfirmationState | undefined,
  nowMs: number,
  after: ConfirmationCursor | undefined,
  limit: number,
): Promise<ListedConfirmation[]> {
  const inState = state === undefined ? sql`` : sql`and ${conditionOf(state, nowMs)}`
  const older =
    after === undefined
      ? sql``
      : sql`and (c.requested_at, c.confirmation_id) < (${timestampFromUsText(after.us)}, ${after.id}::int8)`
  return tx.query<ListedConfirmation>(sql`
    select ${columns}, (extract(epoch from c.requested_at) * 1000000)::int8::text as us from confirmation c
    where c.workspace_id = ${workspace_id} and c.group_id = ${group_id} ${inState} ${older}
    order by c.requested_at desc, c.confirmation_id desc limit ${limit}`)
}

export type ConfirmationCounts = Readonly<Record<ConfirmationState, number>>

/** Counts the confirmations of a group by state. */
export async function countOfGroup(
  tx: Tx,
  workspace_id: number,
  group_id: number,
  nowMs: number,
): Promise<ConfirmationCounts> {
  const [row] = await tx.query<ConfirmationCounts>(sql`
    select count(*) filter (where ${conditionOf('pending', nowMs)})::int as pending,
      count(*) filter (where ${conditionOf('confirmed', nowMs)})::int as confirmed,
      count(*) filter (where ${conditionOf('expired', nowMs)})::int as expired
    from confirmation c where c.workspace_id = ${workspace_id} and c.group_id = ${group_id}`)
  return row!
}

function conditionOf(state: ConfirmationState, nowMs: number) {
  if (state === 'confirmed') return sql`c.confirmed_at is not null`
  return state === 'pending'
    ? sql`c.confirmed_at is null and c.expires_at > ${timestampFromMs(nowMs)}`
    : sql`c.confirmed_at is null and c.expires_at <= ${timestampFromMs(nowMs)}`
}

/** A phone number of a workspace in its bucket, with groups of which it was asked. */
export type AskedNumber = {
  readonly bucket: number
  readonly workspace_id: number
  /** In E.164. */
  readonly phone: string
  readonly group_ids: readonly number[]
}

/** Whether a row `c` is what a person, who has a number now as the contact `o` says, was asked by texts to it. */
function askedByText({ workspace_id, phone, group_ids }: AskedNumber) {
  return sql`o.workspace_id = ${workspace_id} and o.kind = 'phone' and o.value = ${phone}
      and c.bucket = o.owner_bucket and c.profile_id = o.owner_id and c.address = ${phone} and c.keyword is not null
      and c.group_id = any(${int4Array(group_ids)}::int4[])`
}

/** Lists what a number can still confirm with a word, in the order of groups. */
export async function listPendingOfNumber(
  tx: Tx,
  number: AskedNumber,
  keyword: string,
  nowMs: number,
  limit: number,
): Promise<Confirmation[]> {
  return tx.query<Confirmation>(
    prepared(sql`select ${columns} from contact o join confirmation c on ${askedByText(number)}
      where o.bucket = ${number.bucket} and c.keyword = ${keyword} and ${conditionOf('pending', nowMs)}
      order by c.group_id, c.bucket, c.profile_id limit ${limit}`),
  )
}

/** Lists the confirmations that a number has given with a word since a moment, the last ones first. */
export async function listGivenOfNumber(
  tx: Tx,
  number: AskedNumber,
  keyword: string,
  sinceMs: number,
  limit: number,
): Promise<Confirmation[]> {
  return tx.query<Confirmation>(
    prepared(sql`select ${columns} from contact o join confirmation c on ${askedByText(number)}
      where o.bucket = ${number.bucket} and c.keyword = ${keyword} and c.confirmed_at >= ${timestampFromMs(sinceMs)}
      order by c.confirmed_at desc, c.group_id, c.bucket, c.profile_id limit ${limit}`),
  )
}

/** Deletes what a number was asked and has not confirmed. */
export async function deleteOpenOfNumber(tx: Tx, number: AskedNumber): Promise<void> {
  await tx.query(
    prepared(sql`delete from confirmation c using contact o
      where o.bucket = ${number.bucket} and ${askedByText(number)} and c.confirmed_at is null`),
  )
}
