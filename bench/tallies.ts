import type { Db } from '../src/base/db/db.ts'
import { type Sql, sql } from '../src/base/db/sql.ts'
import { type FlowMeasure, flowSubject } from '../src/messaging/flows/flow-tally.ts'
import { addCanvases } from './canvas-flows.ts'
import type { Population } from './people.ts'
import { eventNames } from './samples.ts'

const days = 365
const slotsADay = 96
/** What the tallies say happened in this year. */
const eventsCounted = 100_000_000
/** The canvas that has tallies. */
export const countedCanvas = 'a message at once'
const variants = 4
const steps = 10
const measures: readonly FlowMeasure[] = [
  ...(['sent', 'returned', 'opens', 'unique_opens', 'clicks', 'unique_clicks', 'unsubscribes', 'bounces'] as const),
  ...(['reported_spam', 'revenue', 'conversions', 'conversions_by_start'] as const),
]

/** Writes tallies of a year in which a hundred million events happened, and of a canvas that was never quiet. */
export async function writeTallies(db: Db, population: Population): Promise<void> {
  const { workspaceId, nameIds, nowMs } = population
  const events = eventNames.map((name) => nameIds.get(name)!)
  const each = Math.ceil(eventsCounted / (events.length * days * slotsADay * 2))
  const fromMs = nowMs - days * 24 * 3_600_000
  const slots = sql`generate_series(0, ${days * slotsADay}::int4 - 1) s(n)`
  const slot = sql`date_bin('15 minutes', to_timestamp(${fromMs}::float8 / 1000) + s.n * interval '15 minutes', '1970-01-01Z')`
  const add = (rows: Sql) =>
    db.transaction(
      (tx) =>
        tx.query(sql`
        insert into tally (bucket, subject, slot, part, count, amount)
        select ('x' || left(md5(subject), 3))::bit(12)::int, subject, slot, part, count, count * 9.99 from (${rows}) r
        on conflict do nothing`),
      { deadlineMs: 600_000 },
    )
  for (const name_id of events) {
    await add(sql`
      select ${String(name_id)}::text as subject, ${slot} as slot, p.part, ${each}::int8 as count
      from ${slots} cross join (values (''), ('1')) p(part)`)
  }
  for (const measure of ['purchases', 'sessions', 'new_users', 'uninstalls', 'dau', 'mau']) {
    await add(sql`
      select ${`${measure} ${workspaceId}`}::text as subject, ${slot} as slot, p.part, 1::int8 as count
      from ${slots} cross join (values (''), ('1')) p(part)`)
  }
  const flow_id = (await addCanvases(db, population)).get(countedCanvas)!
  await add(sql`
    select ${flowSubject({ workspace_id: workspaceId, flow_id })}::text as subject,
      to_timestamp(${fromMs}::float8 / 1000) + d.n * interval '1 day' as slot,
      json_build_array('v' || v.n, 's' || t.n, 'email', m.measure)::text as part, 10::int8 as count
    from generate_series(0, ${days}::int4 - 1) d(n) cross join generate_series(1, ${variants}::int4) v(n)
    cross join generate_series(1, ${steps}::int4) t(n)
    cross join jsonb_array_elements_text(${JSON.stringify(measures)}::jsonb) m(measure)`)
  await db.execute('vacuum (analyze) tally')
}
