import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { findOfKept } from '../../people/identity/current-store.ts'
import { bucketOfId, person } from '../../people/identity/person.ts'
import type { MessageClass } from '../messages/message.ts'

/** A message with its current bucket. `address` is null before the hand-over. */
export type SentMessage = {
  readonly bucket: number
  readonly message_id: string
  readonly workspace_id: number
  readonly profile_id: string
  readonly address: string | null
  readonly complained: boolean
  readonly class: MessageClass
}

/** Finds the message of a token. After a merge it is in the bucket of the kept profile. */
export function findSentMessage(tx: Tx, target: TokenTarget): Promise<SentMessage | undefined> {
  if (tx.placement === undefined) return joinSentMessage(tx, target)
  const { profile_id, message_id } = target
  return findOfKept(tx, person(bucketOfId(profile_id), profile_id), async ({ bucket }) => {
    const [row] = await tx.query<SentMessage>(
      prepared(sql`
    select ${columns} from message m where m.bucket = ${bucket} and m.message_id = ${message_id}::int8 and m.channel = 'email'`),
    )
    return row
  })
}

const columns: Sql = sql`m.bucket, m.message_id::text as message_id, m.workspace_id, m.profile_id::text as profile_id, m.address,
      m.complained_at is not null as complained, m.class`

async function joinSentMessage(tx: Tx, { profile_id, message_id }: TokenTarget): Promise<SentMessage | undefined> {
  const rows = await tx.query<SentMessage>(
    prepared(sql`
    select ${columns}
    from (
      select ${bucketOfId(profile_id)}::int4 as bucket
      union
      select p.merged_bucket from profile p
      where p.bucket = ${bucketOfId(profile_id)} and p.profile_id = ${profile_id}::int8 and p.merged_bucket is not null
    ) w
    join message m on m.bucket = w.bucket and m.message_id = ${message_id}::int8
    where m.channel = 'email' limit 1`),
  )
  return rows[0]
}
