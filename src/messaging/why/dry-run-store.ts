import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { type ConsentRow, consentColumns, consentJoin } from '../../people/addresses/consent-store.ts'
import type { Person } from '../../people/identity/person.ts'
import { personRows } from '../../people/identity/person-store.ts'

/** What decides whether an e-mail may be sent to a person. */
export type ConsentFactsRow = ConsentRow & {
  profile_id: string
  time_zone: string | null
  random_bucket: number
}

export function listConsentFacts(tx: Tx, people: readonly Person[]): Promise<ConsentFactsRow[]> {
  return tx.query<ConsentFactsRow>(sql`
    select p.profile_id, p.time_zone, p.random_bucket, ${consentColumns} from ${personRows(people)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id ${consentJoin}
    where p.merged_into is null`)
}
