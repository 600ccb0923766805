import assert from 'node:assert/strict'
import { readMigrations } from '../../src/base/db/migrate.ts'
import { raw } from '../../src/base/db/sql.ts'
import { ensureWeeks } from '../../src/base/db/weeks.ts'
import { FlowTally, flowSubject, parsePart, sendSubject } from '../../src/messaging/flows/flow-tally.ts'
import { foldTallies } from '../../src/workspace/tallies/keep-tallies.ts'
import { rangeOfDays } from '../../src/workspace/tallies/read-range.ts'
import { sumTally } from '../../src/workspace/tallies/tally-store.ts'
import { onBothDatabases } from '../support/databases.ts'

const migration = readMigrations().find(({ name }) => name === '0035_flow_tallies.sql')!
const us = (time: string) => Date.parse(time) * 1000
const neverStopping = new AbortController().signal

onBothDatabases('what is counted of a flow is kept by the days of its workspace', async (open) => {
  const db = await open()
  const tally = new FlowTally()
  const flow = { workspace_id: 9, flow_id: 4, variant: 'a', step: 'b', channel: 'email' }
  // In Kathmandu, the second of May begins at 18:15 UTC.
  tally.count(flow, 'sent', us('2026-05-01T18:14:59Z'))
  tally.count({ ...flow, send_id: 'spring sale' }, 'sent', us('2026-05-01T18:15:00Z'), 2)
  tally.count(flow, 'sent', us('2026-05-02T18:14:59Z'))
  await tally.write(db)
  const read = async (subject: string, zone: string) => {
    const sums = await sumTally(db, subject, rangeOfDays('2026-05-02', 2, zone).startsMs)
    return sums
      .map(({ part, position, count }) => [position, parsePart(part).measure, Number(count)])
      .sort(([a], [b]) => Number(a) - Number(b))
  }
  const byDay = [
    [1, 'sent', 1],
    [2, 'sent', 3],
  ]
  assert.deepEqual(await read(flowSubject(flow), 'Asia/Kathmandu'), byDay)
  await foldTallies(db, [{ workspace_id: 9, settings: { time_zone: 'Asia/Kathmandu' } }], neverStopping)
  const slots = await db.query<{ slot: Date }>(
    raw("select slot from tally where subject like '% flow %' order by slot"),
  )
  assert.deepEqual(
    slots.map(({ slot }) => slot.toISOString()),
    ['2026-05-01T06:15:00.000Z', '2026-05-02T06:15:00.000Z'],
  )
  // The days stay when the workspace moves to another time zone.
  for (const zone of ['Asia/Kathmandu', 'UTC', 'America/New_York']) {
    assert.deepEqual(await read(flowSubject(flow), zone), byDay, zone)
    assert.deepEqual(await read(sendSubject(flow, 'spring sale'), zone), [[2, 'sent', 2]], zone)
  }
})

onBothDatabases('messages and entries of before are counted by the migration', async (open) => {
  const db = await open()
  await ensureWeeks(db, us('2026-05-01T00:00:00Z') / 1000)
  await db.execute(`
    alter table received drop column previous_received_at, drop column send_id, drop column previous_send_id,
      drop column counted_conversions;
    insert into workspace (workspace_id, id, name, settings, created_at)
      values (9, 'old', 'Old', '{"time_zone": "Asia/Tokyo"}', '2026-01-01Z');
    insert into message (message_id, profile_id, bucket, workspace_id, cause, step, visit, channel, class, state, planned_at, due_at,
      ended_at, bounced_at, complained_at, flow_id, variant)
    select n, 10 + n / 3, 1, 9, '00000000-0000-4000-8000-000000000001', 'hi"', n, 'email', 'marketing', state, at, at, at, bounced,
      complained, flow_id, 'v'
    from (values
      (1, 'accepted', '2026-05-01T14:59:00Z'::timestamptz, null::timestamptz, '2026-05-03T00:00:00Z'::timestamptz, 4),
      (2, 'accepted', '2026-05-01T15:00:00Z', '2026-05-01T16:00:00Z', null, 4),
      (3, 'accepted', '2026-05-01T15:30:00Z', null, null, 4),
      (4, 'failed', '2026-05-01T15:30:00Z', '2026-05-01T15:30:00Z', null, 4),
      (5, 'accepted', '2026-05-01T15:30:00Z', null, null, null)) m (n, state, at, bounced, complained, flow_id);
    insert into engagement (bucket, profile_id, message_id, kind, link, first_at, last_at, count) values
      (1, 10, 1, 'opened', -1, '2026-05-01T15:00:00Z', '2026-05-01T15:00:00Z', 3),
      (1, 10, 1, 'clicked', 0, '2026-05-02T15:00:00Z', '2026-05-02T15:00:00Z', 1),
      (1, 10, 1, 'clicked', 1, '2026-05-01T15:00:00Z', '2026-05-01T15:00:00Z', 2),
      (1, 10, 1, 'machine_opened', -1, '2026-05-01T15:00:00Z', '2026-05-01T15:00:00Z', 9),
      (1, 11, 3, 'unsubscribed', -1, '2026-05-01T15:40:00Z', '2026-05-01T15:40:00Z', 1);
    insert into entry (bucket, profile_id, entry_id, workspace_id, flow_id, version, class, state, variant, in_control, entered_at) values
      (1, 10, '00000000-0000-4000-8000-000000000001', 9, 4, 1, 'marketing', 'waiting', 'v', false, '2026-05-01T14:00:00Z'),
      (1, 11, '00000000-0000-4000-8000-000000000002', 9, 4, 1, 'marketing', 'ended', null, true, '2026-05-01T14:00:00Z')`)
  await db.transaction(async (tx) => {
    for (const statement of migration.text.split(/;$/m)) if (statement.trim() !== '') await tx.query(raw(statement))
  })
  const { times, startsMs } = rangeOfDays('2026-05-04', 4, 'Asia/Tokyo')
  const sums = await sumTally(db, flowSubject({ workspace_id: 9, flow_id: 4 }), startsMs)
  assert.deepEqual(
    sums
      .map(({ part, position, count }) => {
        const { variant, step, channel, measure } = parsePart(part)
        return [times[position - 1], measure, count, variant, step, channel].join(' ').trimEnd()
      })
      .sort(),
    [
      '2026-05-01 entries 1 v',
      '2026-05-01 sent 1 v hi" email',
      '2026-05-01 unique_recipients 1 v',
      '2026-05-02 bounces 2 v hi" email',
      '2026-05-02 clicks 2 v hi" email',
      '2026-05-02 opens 3 v hi" email',
      '2026-05-02 returned 1 v hi" email',
      '2026-05-02 sent 2 v hi" email',
      '2026-05-02 unique_clicks 1 v hi" email',
      '2026-05-02 unique_opens 1 v hi" email',
      '2026-05-02 unique_recipients 2 v',
      '2026-05-02 unsubscribes 1 v hi" email',
      '2026-05-03 clicks 1 v hi" email',
      '2026-05-03 reported_spam 1 v hi" email',
    ],
  )
})
