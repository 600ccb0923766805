import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Db } from '../../src/base/db/db.ts'
import { readMigrations } from '../../src/base/db/migrate.ts'
import { raw } from '../../src/base/db/sql.ts'
import { ensureWeeks } from '../../src/base/db/weeks.ts'
import { foldTallies } from '../../src/workspace/tallies/keep-tallies.ts'
import { slotMs, Tally } from '../../src/workspace/tallies/tally.ts'
import { insertTallyChange, sumTally } from '../../src/workspace/tallies/tally-store.ts'
import { seed } from '../sizes.ts'
import { onAllDatabases } from '../support/databases.ts'

const startMs = Date.UTC(2026, 4, 1)
const slots = 8
type Happened = {
  readonly subject: number | string
  readonly part: number | string | null
  readonly slot: number
  readonly count: number
}

const happened = fc.array(
  fc.record({
    subject: fc.constantFrom<number | string>(1, 'sessions 1'),
    part: fc.constantFrom<number | string | null>(null, 7, 'some words'),
    slot: fc.integer({ min: -2, max: slots + 1 }),
    count: fc.integer({ min: -3, max: 5 }),
  }),
  { maxLength: 12 },
)

onAllDatabases('a tally is the same before and after its changes are folded', async (open) => {
  const db = await open()
  const neverStopping = new AbortController().signal
  const all: Happened[] = []
  for (const happenedNow of fc.sample(happened, { seed, numRuns: 8 })) {
    const tally = new Tally()
    for (const { subject, part, slot, count } of happenedNow)
      tally.add(subject, part, (startMs + slot * slotMs + (slotMs * all.length) / 500) * 1000, count, count / 2)
    await insertTallyChange(db, tally)
    all.push(...happenedNow)
    await check(db, all)
    await Promise.all([foldTallies(db, [], neverStopping), foldTallies(db, [], neverStopping)])
    assert.deepEqual(await db.query(raw('select * from tally_change')), [])
    await check(db, all)
  }
})

const linesOfTallies = `
  select subject || ' ' || part || ' ' || to_char(slot at time zone 'UTC', 'MM-DD HH24:MI') || ' ' || count || ' ' || amount as line
  from tally order by 1`

async function apply(db: Db, name: string): Promise<void> {
  const migration = readMigrations().find((each) => each.name === name)!
  await db.transaction(async (tx) => {
    for (const statement of migration.text.split(/;$/m)) if (statement.trim() !== '') await tx.query(raw(statement))
  })
}

async function check(db: Db, all: readonly Happened[]): Promise<void> {
  const startsMs = Array.from({ length: slots / 2 + 1 }, (_, i) => startMs + 2 * i * slotMs)
  for (const subject of ['1', 'sessions 1']) {
    for (const part of [undefined, '', '7', 'some words']) {
      const sums = await sumTally(db, subject, startsMs, part === undefined ? {} : { part })
      const expected = Array.from({ length: slots / 2 }, (_, i) => {
        const own = all.filter(
          (each) =>
            String(each.subject) === subject &&
            Math.floor(each.slot / 2) === i &&
            (part === undefined || String(each.part ?? '') === part),
        )
        return own.reduce((sum, { count }) => sum + count, 0)
      })
      const found = expected.map((_, i) => sums.filter(({ position }) => position === i + 1))
      assert.deepEqual(
        found.map((own) => own.reduce((sum, { count }) => sum + count, 0)),
        expected,
      )
      assert.deepEqual(
        found.map((own) => own.reduce((sum, { amount }) => sum + amount, 0)),
        expected.map((count) => count / 2),
      )
    }
  }
}

onAllDatabases(
  'changes of an earlier release are counted by the migration, those that are kept by days at noon',
  async (open) => {
    const db = await open()
    await db.execute(`
    alter table tally_change drop column entries, add column slots timestamptz[] not null, add column counts bigint[] not null,
      add column amounts double precision[] not null;
    insert into workspace (workspace_id, id, name, settings, created_at)
      values (9, 'old', 'Old', '{"time_zone": "Asia/Tokyo"}', '2026-01-01Z');
    insert into tally values (('x' || left(md5('101'), 3))::bit(12)::int, '101', '2026-05-01T10:00Z', '', 4, 0.5);
    insert into tally_change (bucket, change_id, subjects, parts, slots, counts, amounts) values
      (1, gen_random_uuid(), '{101,101,daily 9 flow 3}', '{"",7,"[]"}', '{2026-05-01T10:00Z,2026-05-01T10:00Z,2026-05-01T15:15Z}',
        '{1,2,3}', '{0.25,0,0}'),
      (2, gen_random_uuid(), '{101,daily 8 flow 3,daily 9 flow 3}', '{"","[]","[]"}',
        '{2026-05-01T10:00Z,2026-05-01T15:15Z,2026-05-02T14:45Z}', '{1,5,1}', '{0,0,0}')`)
    await apply(db, '0051_packed_tallies.sql')
    const rows = await db.query<{ line: string }>(raw(linesOfTallies))
    assert.deepEqual(
      rows.map(({ line }) => line),
      [
        '101  05-01 10:00 6 0.75',
        '101 7 05-01 10:00 2 0',
        'daily 8 flow 3 [] 05-01 12:00 5 0',
        'daily 9 flow 3 [] 05-02 03:00 4 0',
      ],
    )
    assert.deepEqual(await db.query(raw('select * from tally_change')), [])
    assert.equal((await sumTally(db, 'daily 9 flow 3', [Date.UTC(2026, 3, 1), Date.UTC(2026, 5, 1)]))[0]?.count, 4)
  },
)

onAllDatabases('what was there before is counted by the migration', async (open) => {
  const db = await open()
  await ensureWeeks(db, startMs)
  await db.execute(`
    drop table tally;
    drop table tally_change;
    create table deleted_history (bucket int, workspace_id int, kind text, name_id int, day date, count bigint);
    insert into workspace (workspace_id, id, name, settings, created_at)
      values (9, 'old', 'Old', '{"time_zone": "Asia/Tokyo"}', '2026-01-01Z');
    insert into name (name_id, workspace_id, kind, name) values
      (101, 9, 'event', 'seen'), (102, 9, 'product', 'tea'), (103, 9, 'app', 'phone');
    insert into profile (bucket, profile_id, workspace_id, random_bucket, merged_bucket, merged_into, created_at, updated_at) values
      (1, 11, 9, 0, null, null, '2026-05-01T10:14:59Z', '2026-05-01Z'), (1, 12, 9, 0, 1, 11, '2026-05-01T10:14:59Z', '2026-05-01Z');
    insert into event (profile_id, time, bucket, name_id, app_id) values
      (11, '2026-05-01T10:14:59Z', 1, 101, 103), (11, '2026-05-01T10:00:00Z', 1, 101, 103), (11, '2026-05-01T10:15:00Z', 1, 101, null);
    insert into purchase (profile_id, time, price, bucket, name_id, quantity, currency)
      values (11, '2026-05-01T10:00:00Z', 2.5, 1, 102, 3, 'EUR');
    insert into deleted_history values (1, 9, 'event', 101, '2026-04-01', 7), (1, 9, 'purchase', 102, '2026-04-01', 2);
    insert into app_session (bucket, profile_id, device_id, app_id, started_at, recorded_at) values
      (1, 11, 'd', 'phone', '2026-04-30T15:00:00Z', '2026-05-01Z'), (1, 11, 'd', 'phone', '2026-04-30T14:59:00Z', '2026-05-01Z'),
      (1, 11, 'd', 'tablet', '2026-05-01T01:00:00Z', '2026-05-01Z');
    insert into app_use (bucket, profile_id, app_id, sessions, uninstalled_at) values (1, 11, 'phone', 1, '2026-05-01T09:00:00Z')`)
  await apply(db, '0029_tallies.sql')
  const rows = await db.query<{ line: string }>(raw(linesOfTallies))
  assert.deepEqual(
    rows.map(({ line }) => line),
    [
      '101  04-01 00:00 7 0',
      '101  05-01 10:15 1 0',
      '101 103 05-01 10:00 2 0',
      '102  04-01 00:00 2 0',
      '102  05-01 10:00 3 7.5',
      'dau 9  04-29 15:00 1 0',
      'dau 9  04-30 15:00 1 0',
      'dau 9 103 04-29 15:00 1 0',
      'dau 9 103 04-30 15:00 1 0',
      'dau 9 tablet 04-30 15:00 1 0',
      'mau 9  04-29 15:00 1 0',
      'mau 9  04-30 15:00 0 0',
      'mau 9  05-30 15:00 -1 0',
      'mau 9 103 04-29 15:00 1 0',
      'mau 9 103 04-30 15:00 0 0',
      'mau 9 103 05-30 15:00 -1 0',
      'mau 9 tablet 04-30 15:00 1 0',
      'mau 9 tablet 05-30 15:00 -1 0',
      'new_users 9  05-01 10:00 1 0',
      'purchases 9  04-01 00:00 2 0',
      'purchases 9  05-01 10:00 3 7.5',
      'sessions 9 103 04-30 14:45 1 0',
      'sessions 9 103 04-30 15:00 1 0',
      'sessions 9 tablet 05-01 01:00 1 0',
      'uninstalls 9 103 05-01 09:00 1 0',
    ],
  )
  await apply(db, '0051_packed_tallies.sql')
  // The bucket is the one in which a reader looks.
  assert.equal((await sumTally(db, '101', [Date.UTC(2026, 3, 1), Date.UTC(2026, 5, 1)])).length, 2)
})
