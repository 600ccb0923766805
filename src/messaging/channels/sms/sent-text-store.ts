import type { Tx } from '../../../base/db/db.ts'
import { prepared, sql } from '../../../base/db/sql.ts'
import type { TokenTarget } from '../../../people/addresses/message-token.ts'
import { bucketOfId } from '../../../people/identity/person.ts'
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
export async function findSentText(tx: Tx, { profile_id, message_id }: TokenTarget): Promise<SentText | undefined> {
  const [row] = await tx.query<SentText>(
    prepared(sql`
    select m.bucket, m.message_id::text as message_id, m.workspace_id, m.address, m.class
    from (
      select ${bucketOfId(message_id)}::int4 as bucket
      union
      select p.merged_bucket from profile p
      where p.bucket = ${bucketOfId(profile_id)} and p.profile_id = ${profile_id}::int8 and p.merged_bucket is not null
    ) w
    join message m on m.bucket = w.bucket and m.message_id = ${message_id}::int8
    where m.channel = 'sms' limit 1`),
  )
  return row
}
