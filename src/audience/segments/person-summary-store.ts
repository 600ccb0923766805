import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { Person } from '../../people/identity/person.ts'
import { personRows } from '../../people/identity/person-store.ts'

/** The identifiers of a person for an administrator. */
export type SummaryRow = {
  profile_id: string
  external_id: string | null
  email: string | null
  phone: string | null
  first_name: string | null
  last_name: string | null
  created_at: Date
}

/** Lists people in the order given, without removed people. */
export async function listSummaries(tx: Tx, people: readonly Person[]): Promise<SummaryRow[]> {
  if (people.length === 0) return []
  return tx.query<SummaryRow>(
    prepared(sql`
    select p.profile_id, p.external_id, p.email, p.phone, p.first_name, p.last_name, p.created_at
    from ${personRows(people)} with ordinality w(bucket, profile_id, n)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null order by w.n`),
  )
}
