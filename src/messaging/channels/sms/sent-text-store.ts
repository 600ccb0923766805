import type { Tx } from '../../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../../base/db/sql.ts'
import type { TokenTarget } from '../../../people/addresses/message-token.ts'
import { findOfKept } from '../../../people/identity/current-store.ts'
import { bucketOfId, person } from '../../../people/identity/person.ts'
import type { MessageClass } from '../../messages/message.ts'

/** A text that was sent, with its current bucket. */
export type SentText = {
  readonly bucket: number
  readonly message_id: string
  readonly workspace_id: number
  readonly address: string | null
  readonly class: MessageClass
}

/** Finds the text of a token. After a merge it is in the bucket of the kept profile. */
export function findSentText(tx: Tx, target: TokenTarget): Promise<SentText | undefined> {
  if (tx.placement === undefined) return joinSentText(tx, target)
  const { profile_id, message_id } = target
  return findOfKept(tx, person(bucketOfId(profile_id), profile_id), async ({ bucket }) => {
    const [row] = await tx.query<SentText>(
      prepared(sql`
    select ${columns} from message m where m.bucket = ${bucket} and m.message_id = ${message_id}::int8 and m.channel = 'sms'`),
    )
    return row
  })
}

const columns: Sql = sql`m.bucket, m.message_id::text as message_id, m.workspace_id, m.address, m.class`

async function joinSentText(tx: Tx, { profile_id, message_id }: TokenTarget): Promise<SentText | undefined> {
  const [row] = await tx.query<SentText>(
    prepared(sql`
    select ${columns}
    from (
      select ${bucketOfId(profile_id)}::int4 as bucket
      union
      select p.merged_bucket from profile p
      where p.bucket = ${bucketOfId(profile_id)} and p.profile_id = ${profile_id}::int8 and p.merged_bucket is not null
    ) w
    join message m on m.bucket = w.bucket and m.message_id = ${message_id}::int8
    where m.channel = 'sms' limit 1`),
  )
  return row
}
