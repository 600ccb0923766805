import { performance } from 'node:perf_hooks'
import { int4Array, int8Array, textArray } from '../src/base/db/arrays.ts'
import { type Sql, sql } from '../src/base/db/sql.ts'
import { bucketsOf } from '../src/people/identity/person.ts'
import { exportBody } from './bodies.ts'
import { median } from './measure.ts'
import { type Population, personAt } from './people.ts'
import { Random } from './random.ts'
import type { Database, Figure } from './report.ts'

const seed = 303
const boundLoops = 300
const summaryMs = 90 * 86_400_000

/** Measures the statements that read the rows of such an export, one after another, without using the rows. */
export async function boundExport(
  database: Database,
  population: Population,
  query: (statement: Sql) => Promise<unknown>,
): Promise<Figure> {
  const random = new Random(seed)
  const spent: number[] = []
  for (let i = 0; i < boundLoops; i++) {
    const { external_ids } = exportBody(random, population.withHistory)
    const startedMs = performance.now()
    for (const statement of statements(population, external_ids)) await query(statement)
    spent.push(performance.now() - startedMs)
  }
  return { what: 'bound: bare SQL of an export', database, people: population.people, value: median(spent), unit: 'ms' }
}

function statements({ workspaceId, nowMs }: Population, external_ids: readonly string[]): Sql[] {
  const identifiers = sql`unnest(
    ${int4Array(external_ids.map((value) => bucketsOf(workspaceId, 'external_id', value).bucket))}::int4[],
    ${textArray(external_ids)}::text[]) w(bucket, value)`
  const places = external_ids.map((value) => personAt(workspaceId, Number(value.slice('user-'.length))))
  const people = sql`unnest(
    ${int4Array(places.map((place) => place.bucket))}::int4[],
    ${int8Array(places.map((place) => place.id))}::int8[]) w(bucket, profile_id)`
  const since = new Date(nowMs - summaryMs).toISOString()
  return [
    named(
      'people',
      sql`select p.profile_id, p.external_id, p.email, p.first_name, p.country, p.language, p.time_zone,
        p.created_at, p.random_bucket, p.email_subscribe, p.push_subscribe, p.custom
      from ${identifiers} join identifier i on i.bucket = w.bucket and i.workspace_id = ${workspaceId}::int4
        and i.kind = 'external_id' and i.value = w.value
      join profile p on p.bucket = i.owner_bucket and p.profile_id = i.owner_id`,
    ),
    named(
      'aliases',
      sql`select a.profile_id, a.alias_label, a.alias_name
      from ${people} join profile_alias a on a.bucket = w.bucket and a.profile_id = w.profile_id`,
    ),
    named(
      'events',
      sql`select e.profile_id, e.name_id, min(e.time), max(e.time), count(*)
      from ${people} join event e on e.bucket = w.bucket and e.profile_id = w.profile_id
      where e.time > ${since}::timestamptz group by e.profile_id, e.name_id`,
    ),
    named(
      'purchases',
      sql`select e.profile_id, e.name_id, min(e.time), max(e.time), sum(e.quantity)
      from ${people} join purchase e on e.bucket = w.bucket and e.profile_id = w.profile_id
      where e.time > ${since}::timestamptz group by e.profile_id, e.name_id`,
    ),
  ]
}

/** Gives a statement a name, with which both drivers prepare it once. */
function named(name: string, { text, values }: Sql): Sql {
  return { text, values, name: `bound_${name}` }
}
