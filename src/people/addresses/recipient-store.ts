import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { findCurrentOf } from '../identity/current-store.ts'
import { bucketOfId, type Person, person } from '../identity/person.ts'
import type { SubscribeState } from '../profile/standard.ts'
import type { TokenTarget } from './message-token.ts'

/** The current data of the recipient of a message: of the kept person after a merge. */
export type MessageRecipient = {
  readonly person: Person
  readonly workspace_id: number
  readonly email: string | null
  readonly email_subscribe: SubscribeState
  /** The address that the message went to; null before its hand-over and after the message was deleted. */
  readonly address: string | null
}

type Row = Omit<MessageRecipient, 'person'> & { bucket: number; profile_id: string }

/** Returns the person of a token; undefined if the person was deleted. */
export async function findRecipient(
  tx: Tx,
  { profile_id, message_id }: TokenTarget,
): Promise<MessageRecipient | undefined> {
  const [row] = await (tx.placement === undefined ? joinRecipient : lookRecipientUp)(tx, { profile_id, message_id })
  if (!row) return undefined
  const { bucket, profile_id: id, ...rest } = row
  return { person: person(bucket, id), ...rest }
}

function joinRecipient(tx: Tx, { profile_id, message_id }: TokenTarget): Promise<Row[]> {
  return tx.query<Row>(sql`
    select o.bucket, o.profile_id, o.workspace_id, o.email, o.email_subscribe, m.address
    from profile p
    join profile o on o.bucket = coalesce(p.merged_bucket, p.bucket) and o.profile_id = coalesce(p.merged_into, p.profile_id)
    left join message m on m.bucket = o.bucket and m.message_id = ${message_id}::int8 and m.profile_id = o.profile_id
    where p.bucket = ${bucketOfId(profile_id)} and p.profile_id = ${profile_id}::int8`)
}

/** Does the same in two steps, because the kept person may be on another shard. */
async function lookRecipientUp(tx: Tx, { profile_id, message_id }: TokenTarget): Promise<Row[]> {
  const current = await findCurrentOf(tx, profile_id)
  if (current === undefined) return []
  return tx.query<Row>(sql`
    select o.bucket, o.profile_id, o.workspace_id, o.email, o.email_subscribe, m.address from profile o
    left join message m on m.bucket = o.bucket and m.message_id = ${message_id}::int8 and m.profile_id = o.profile_id
    where o.bucket = ${current.bucket} and o.profile_id = ${current.key}::int8`)
}

/** Returns whether a mail to one of these addresses is being handed over to a mail server. */
export async function isHandOverPending(tx: Tx, workspace_id: number, emails: readonly string[]): Promise<boolean> {
  // The query is cheap: the index has only leased messages and those that are being handed over, at most one for each connection.
  const rows = await tx.query(sql`
    select 1 from message m where m.state = 'handed_over' and m.workspace_id = ${workspace_id}
      and m.address = any(${textArray(emails)}::text[]) limit 1`)
  return rows.length > 0
}
