import { int4Array, int8Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { Person } from '../../people/identity/person.ts'

/** Returns the time zones of people who have one, by `profile_id`. */
export async function listTimeZones(
  tx: Tx,
  people: readonly Pick<Person, 'bucket' | 'profile_id'>[],
): Promise<Map<string, string>> {
  const rows = await tx.query<{ profile_id: string; time_zone: string }>(
    prepared(sql`
    select p.profile_id, p.time_zone from unnest(${int4Array(people.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(people.map(({ profile_id }) => profile_id))}::int8[]) w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id where p.time_zone is not null`),
  )
  return new Map(rows.map(({ profile_id, time_zone }) => [profile_id, time_zone]))
}
