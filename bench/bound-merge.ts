import { performance } from 'node:perf_hooks'
import { type Sql, sql } from '../src/base/db/sql.ts'
import { bucketsOf } from '../src/people/identity/person.ts'
import { median } from './measure.ts'
import { type Population, personAt } from './people.ts'
import type { Database, Figure } from './report.ts'
import { emailOf, externalIdOf } from './samples.ts'

type Query = (statement: Sql) => Promise<unknown>

/** The people to merge, by number: consecutive pairs, the first into the second. */
type Pairs = { first: number; count: number }

/** Returns the pairs of a setup to merge, for the bound and for the service. */
export function pairsOf(people: number): { bound: Pairs; service: Pairs; spare: number } {
  const bound = { first: people, count: Math.min(300, Math.floor(people / 10)) }
  const service = { first: people + 2 * bound.count, count: Math.min(5000, people) }
  return { bound, service, spare: 2 * (bound.count + service.count) }
}

/**
 * Measures the statements of one merge of two people without history, in one durable transaction and without decisions: lock both rows,
 * update one, empty the other, delete its identifier and address, insert a pointer.
 */
export async function boundMerge(
  database: Database,
  population: Population,
  transaction: (work: (query: Query) => Promise<void>) => Promise<void>,
): Promise<Figure> {
  const spent: number[] = []
  const { first, count } = pairsOf(population.people).bound
  for (let i = 0; i < count; i++) {
    const list = statements(population, first + 2 * i, first + 2 * i + 1)
    const startedMs = performance.now()
    await transaction(async (query) => {
      for (const statement of list) await query(statement)
    })
    spent.push(performance.now() - startedMs)
  }
  return {
    what: 'bound: bare SQL of a merge',
    database,
    people: population.people,
    value: 1000 / median(spent),
    unit: 'merges/s',
    p50Ms: median(spent),
  }
}

function statements(population: Population, fromNumber: number, intoNumber: number): Sql[] {
  const { workspaceId } = population
  const from = personAt(workspaceId, fromNumber)
  const into = personAt(workspaceId, intoNumber)
  const [external_id, email] = [externalIdOf(fromNumber), emailOf(fromNumber)]
  const at = new Date(population.nowMs).toISOString()
  return [
    sql`select profile_id from profile
      where bucket = any(array[${from.bucket}, ${into.bucket}]::int4[]) and profile_id = any(array[${from.id}, ${into.id}]::int8[])
      order by bucket, profile_id for update`,
    sql`update profile k set custom = m.custom || k.custom, typed = m.typed || k.typed, updated_at = ${at}
      from profile m where k.bucket = ${into.bucket} and k.profile_id = ${into.id}
        and m.bucket = ${from.bucket} and m.profile_id = ${from.id}`,
    sql`update profile set external_id = null, email = null, first_name = null, country = null, language = null,
        time_zone = null, custom = '{}', typed = '{}', merged_bucket = ${into.bucket}, merged_into = ${into.id}
      where bucket = ${from.bucket} and profile_id = ${from.id}`,
    sql`delete from identifier where bucket = ${bucketsOf(workspaceId, 'external_id', external_id).bucket}
      and workspace_id = ${workspaceId}::int4 and kind = 'external_id' and value = ${external_id}`,
    sql`delete from contact where bucket = ${bucketsOf(workspaceId, 'email', email).bucket}
      and workspace_id = ${workspaceId}::int4 and kind = 'email' and value = ${email} and owner_id = ${from.id}`,
    sql`insert into merged_profile (bucket, profile_id, from_bucket, from_id, moved, at)
      values (${into.bucket}, ${into.id}, ${from.bucket}, ${from.id}, true, ${at})`,
  ]
}
