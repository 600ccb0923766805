import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import type { Person } from '../../people/identity/person.ts'
import { personRows } from '../../people/identity/person-store.ts'
import type { Channel } from '../channels/channel.ts'

/** What decides whether a message of a channel may be sent to a person, with the columns of its consent. */
export type ConsentFactsRow = {
  profile_id: string
  time_zone: string | null
  random_bucket: number
}

export function listConsentFacts(
  tx: Tx,
  { consent }: Pick<Channel, 'consent'>,
  people: readonly Person[],
): Promise<ConsentFactsRow[]> {
  return tx.query<ConsentFactsRow>(sql`
    select p.profile_id, p.time_zone, p.random_bucket, ${consent.columns} from ${personRows(people)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id ${consent.join}
    where p.merged_into is null`)
}
