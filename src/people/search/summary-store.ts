import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { Person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'

/** What a list shows of a person. */
export type SummaryRow = {
  profile_id: string
  external_id: string | null
  first_name: string | null
  last_name: string | null
  email: string | null
  email_subscribe: string
  phone: string | null
  created_at: Date
  updated_at: Date
  /** Epoch microseconds, as text. */
  created_us: string
}

/** Where a page of the newest people ends. */
export type SummaryCursor = { readonly createdUs: number; readonly profile_id: string }

const summaryColumns =
  raw(`p.profile_id, p.external_id, p.first_name, p.last_name, p.email, p.email_subscribe, p.phone, p.created_at,
      p.updated_at, (date_part('epoch', p.created_at) * 1000000)::int8 as created_us`)

/** Lists people in the order given, without removed people. */
export async function listSummaries(tx: Tx, people: readonly Person[]): Promise<SummaryRow[]> {
  if (people.length === 0) return []
  return tx.query<SummaryRow>(
    prepared(sql`
    select ${summaryColumns} from ${personRows(people)} with ordinality w(bucket, profile_id, n)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null order by w.n`),
  )
}

/** Lists the people of a workspace after a cursor, newest first. */
export async function listNewestSummaries(
  tx: Tx,
  workspace_id: number,
  after: SummaryCursor | undefined,
  limit: number,
): Promise<SummaryRow[]> {
  const older = after
    ? sql`and (p.created_at, p.profile_id) < (${timestampFromUs(after.createdUs)}, ${after.profile_id}::int8)`
    : sql``
  return tx.query<SummaryRow>(sql`
    select ${summaryColumns} from profile p where p.workspace_id = ${workspace_id} and p.merged_into is null ${older}
    order by p.created_at desc, p.profile_id desc limit ${limit}`)
}
