import type { Tx } from '../base/db/db.ts'
import { prepared, sql } from '../base/db/sql.ts'
import { type Person, person } from '../profiles/ref.ts'
import { peopleOf } from '../profiles/store.ts'
import type { Recipient } from './sending.ts'

/** Whom an order to send names by now; nobody of them gets another name in it before the transaction ends. */
export async function lockRecipients(tx: Tx, dispatch_id: string): Promise<readonly Recipient[]> {
  const [row] = await tx.query<{ recipients: readonly Recipient[] }>(sql`
    select sending -> 'recipients' as recipients from dispatch where dispatch_id = ${dispatch_id}::uuid for share`)
  return row?.recipients ?? []
}

type KeptRow = { bucket: number; profile_id: string; merged_bucket: number | null; merged_into: string | null }

/** Who these people are by now, each once; nobody of them is merged away or deleted before the transaction ends. */
export async function lockKept(tx: Tx, people: readonly Person[]): Promise<Person[]> {
  const kept = new Map<string, Person>()
  for (let asked = people; asked.length > 0; ) {
    const rows = await tx.query<KeptRow>(
      prepared(sql`
      select p.bucket, p.profile_id, p.merged_bucket, p.merged_into from ${peopleOf(asked)} w(bucket, profile_id)
      join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
      order by p.bucket, p.profile_id for key share of p`),
    )
    for (const { bucket, profile_id, merged_into } of rows) {
      if (merged_into === null) kept.set(profile_id, person(bucket, profile_id))
    }
    // Whoever was merged away while they were looked up.
    asked = rows.flatMap(({ merged_bucket, merged_into }) => (merged_into ? [person(merged_bucket!, merged_into)] : []))
  }
  return [...kept.values()]
}
