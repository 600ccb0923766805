import { int4Array, int8Array } from '../../base/db/arrays.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import type { Move, Person } from './person.ts'

/** People as rows of bucket and profile_id. */
export function personRows(people: readonly Person[]): Sql {
  return sql`unnest(${int4Array(people.map((each) => each.bucket))}::int4[], ${int8Array(people.map((each) => each.key))}::int8[])`
}

/** Merges as rows of bucket, profile_id, into_bucket and into_id. */
export function moveRows(moves: readonly Move[]): Sql {
  return sql`unnest(
      ${int4Array(moves.map(({ from }) => from.bucket))}::int4[], ${int8Array(moves.map(({ from }) => from.key))}::int8[],
      ${int4Array(moves.map(({ into }) => into.bucket))}::int4[], ${int8Array(moves.map(({ into }) => into.key))}::int8[])`
}
