import { performance } from 'node:perf_hooks'
import { int4Array, textArray } from '../src/base/db/arrays.ts'
import { type Sql, sql } from '../src/base/db/sql.ts'
import { bucketsOf } from '../src/people/identity/person.ts'
import { drawEmails, subscriptionSize } from './bodies.ts'
import { median } from './measure.ts'
import type { Population } from './people.ts'
import { Random } from './random.ts'
import type { Database, Figure } from './report.ts'

const seed = 404
const loops = 300

/** Measures the statement that stores a state for 50 addresses, durably, with plain addresses instead of hashes. */
export async function boundSubscription(
  database: Database,
  population: Population,
  query: (statement: Sql) => Promise<unknown>,
): Promise<Figure> {
  const random = new Random(seed)
  const spent: number[] = []
  for (let i = 0; i < loops; i++) {
    const emails = [...new Set(drawEmails(random, population.people))]
    const statement = upsert(population, emails)
    const startedMs = performance.now()
    await query(statement)
    spent.push(performance.now() - startedMs)
  }
  const what = `bound: bare SQL of a state for ${subscriptionSize} e-mails`
  return { what, database, people: population.people, value: median(spent), unit: 'ms' }
}

function upsert({ workspaceId, nowMs }: Population, emails: readonly string[]): Sql {
  const buckets = int4Array(emails.map((email) => bucketsOf(workspaceId, 'email', email).bucket))
  const at = new Date(nowMs).toISOString()
  // No group has this number, so the bound changes no state of the service.
  return sql`
    insert into address_state as a (bucket, workspace_id, kind, value, group_id, state, stamp)
    select v.bucket, ${workspaceId}::int4, 'email', v.value, 999999, 'subscribed', ${at}::timestamptz
    from unnest(${buckets}::int4[], ${textArray(emails)}::text[]) v(bucket, value)
    on conflict (bucket, workspace_id, kind, value, group_id) do update set state = excluded.state, stamp = excluded.stamp`
}
