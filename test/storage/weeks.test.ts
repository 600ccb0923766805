import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import fc from 'fast-check'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { dropWeeksBefore, ensureWeeks, LEDGER, weekName, weekStart } from '../../src/base/db/weeks.ts'
import { testPostgres } from '../servers/postgres.ts'
import { lendDatabase } from '../servers/spare.ts'
import { seed, sizes } from '../sizes.ts'
import { onBothDatabases } from '../support/databases.ts'

const now = Date.parse('2027-01-03T12:00:00Z')
const weekMs = 7 * 86_400_000
const never = Date.parse('9999-01-01')

test('weeks are ISO weeks in UTC', () => {
  const same = (ms: number) => {
    const monday = weekStart(ms)
    const date = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO('UTC').toPlainDate()
    const day = Temporal.Instant.fromEpochMilliseconds(monday).toZonedDateTimeISO('UTC')
    assert.equal(day.dayOfWeek, 1)
    assert.equal(day.toPlainTime().toString(), '00:00:00')
    assert.ok(monday <= ms && ms < monday + weekMs)
    assert.equal(weekName('event', monday), `event_${date.yearOfWeek}w${String(date.weekOfYear).padStart(2, '0')}`)
  }
  const instants = fc.integer({ min: Date.parse('1900-01-01'), max: Date.parse('2400-01-01') })
  fc.assert(fc.property(instants, same), { seed, numRuns: sizes.propertyRuns })
})

const lent = new Map<Db['backend'], Db>()
after(() => Promise.all([...lent.values()].map((db) => db.close())))

/** Runs a test on a shared database, after dropping all weeks of history. */
function onBothWithoutWeeks(title: string, body: (db: Db) => Promise<void>): void {
  for (const [backend, name] of [
    ['pglite', 'embedded'],
    ['postgres', 'PostgreSQL'],
  ] as const) {
    test(`${title} (${name})`, async (t) => {
      if (backend === 'postgres' && !(await testPostgres(t))) return
      const db = lent.get(backend) ?? (await lendDatabase(backend)).db
      lent.set(backend, db)
      await dropWeeksBefore(db, never)
      await body(db)
    })
  }
}

onBothDatabases('weeks exist from 13 back to 3 ahead, however many processes create them', async (open) => {
  const processes = await open.processes(2)
  await dropWeeksBefore(processes[0]!, never)
  await Promise.all(processes.flatMap((db) => [ensureWeeks(db, now), ensureWeeks(db, now + 1_000)]))
  await ensureWeeks(processes[0]!, now)
  const weeks = await listWeeks(processes[0]!, 'event')
  assert.equal(weeks.length, 17)
  assert.deepEqual(
    [weeks[0], weeks[12], weeks[13], weeks[16]],
    ['event_2026w40', 'event_2026w52', 'event_2026w53', 'event_2027w03'],
  )
  assert.equal((await listWeeks(processes[0]!, 'purchase')).length, 17)
})

onBothWithoutWeeks(
  'decisions have their own weeks, as far back as they are written, and their own retention',
  async (db) => {
    await dropWeeksBefore(db, never, LEDGER)
    await ensureWeeks(db, now)
    const [first, , , , last, ...others] = await listWeeks(db, 'decision')
    assert.deepEqual([first, last, others], ['decision_2026w52', 'decision_2027w03', []])
    await db.query(sql`
    insert into decision (profile_id, time, bucket, workspace_id, cause, channel, reason)
    select 1, t::timestamptz, 1, 1, '00000000-0000-4000-8000-000000000001', 'email', 'sent'
    from unnest(${['2026-12-25T00:00:00Z', '2027-01-02T00:00:00Z', '2020-01-01T00:00:00Z']}::text[]) t`)
    const cutoffMs = Date.parse('2027-01-01T00:00:00Z')
    await dropWeeksBefore(db, cutoffMs)
    assert.equal((await listWeeks(db, 'decision')).length, 5)
    await dropWeeksBefore(db, cutoffMs, LEDGER)
    const left = await db.query(sql`select tableoid::regclass::text as place from decision`)
    assert.deepEqual(left, [{ place: 'decision_2026w53' }])
    assert.equal((await listWeeks(db, 'decision'))[0], 'decision_2026w53')
    await ensureWeeks(db, now + 20 * weekMs)
    assert.equal((await listWeeks(db, 'decision')).length, 9)
  },
)

onBothWithoutWeeks(
  'a clock that jumps makes the weeks around its time only, and rows of skipped weeks are kept',
  async (db) => {
    await ensureWeeks(db, now)
    await insert(db, ['2027-02-03T00:00:00Z'])
    await ensureWeeks(db, now + 20 * weekMs)
    assert.equal((await listWeeks(db, 'event')).length, 34)
    assert.deepEqual(await places(db), ['event_old'])
    await ensureWeeks(db, now - 20 * weekMs)
    assert.equal((await listWeeks(db, 'event')).length, 51)
  },
)

onBothWithoutWeeks('rows go to their week, also when it is made after them', async (db) => {
  await ensureWeeks(db, now)
  await insert(db, ['2027-01-01T00:00:00Z', '2027-03-01T00:00:00Z', '2020-01-01T00:00:00Z'])
  assert.deepEqual(await places(db), ['event_old', 'event_2026w53', 'event_old'])
  await ensureWeeks(db, Date.parse('2027-03-03'))
  assert.deepEqual(await places(db), ['event_old', 'event_2026w53', 'event_2027w09'])
})

onBothWithoutWeeks('every week has the index of its table', async (db) => {
  await ensureWeeks(db, now)
  const rows = await db.query(sql`
    select inhrelid::regclass::text from pg_inherits
    where inhparent = 'event'::regclass and not exists (select 1 from pg_index where indrelid = inhrelid)`)
  assert.deepEqual(rows, [])
})

onBothWithoutWeeks('past weeks are dropped whole, and older rows of the default partition go with them', async (db) => {
  await ensureWeeks(db, now)
  await insert(db, ['2026-12-31T23:59:59Z', '2026-12-20T00:00:00Z', '2019-01-01T00:00:00Z', '2035-01-01T00:00:00Z'])
  await dropWeeksBefore(db, Date.parse('2026-12-30'))
  assert.deepEqual(await places(db), ['event_2026w53', 'event_old'])
  assert.equal((await listWeeks(db, 'event'))[0], 'event_2026w53')
  await dropWeeksBefore(db, Date.parse('2026-12-30'))
})

async function listWeeks(db: Db, table: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass order by 1`)
  return rows.map(({ name }) => name).filter((name) => !name.endsWith('_old'))
}

async function insert(db: Db, times: readonly string[]): Promise<void> {
  await db.query(sql`
    insert into event (profile_id, time, bucket, name_id)
    select i, t::timestamptz, i, 1 from unnest(${times}::text[]) with ordinality u (t, i)`)
}

async function places(db: Db): Promise<string[]> {
  const rows = await db.query<{ place: string }>(sql`select tableoid::regclass::text as place from event order by time`)
  return rows.map(({ place }) => place)
}
