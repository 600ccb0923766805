import { int4Array, int8Array } from '../../base/db/arrays.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import type { Person } from './person.ts'

/** People as rows of bucket and id. */
export function peopleOf(people: readonly Person[]): Sql {
  return sql`unnest(${int4Array(people.map((each) => each.bucket))}::int4[], ${int8Array(people.map((each) => each.key))}::int8[])`
}
