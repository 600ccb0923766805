import assert from 'node:assert/strict'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { storedEntryColumns } from '../../src/messaging/entries/merged-entries-store.ts'
import type { Person } from '../../src/people/identity/person.ts'
import { moveLateRows, removeLateRows } from '../../src/people/merge/finish-moving.ts'
import { onAllDatabases } from '../support/databases.ts'
import { act, add, at, dispatchId, insert, parts, personOf, type Row, rowsOf, workspace_id } from './crowd.ts'

const [kept, gone, third] = [1, 2, 3].map(personOf) as [Person, Person, Person]

function entryId(n: number): string {
  return `11111111-0000-4000-8000-${String(n).padStart(12, '0')}`
}

function entry(n: number, flow_id: number, state: string, more: Row = {}): Row {
  return {
    ...{ entry_id: entryId(n), workspace_id, flow_id, version: 1, class: 'marketing', state, held: false },
    ...{
      in_control: false,
      step: 'hello',
      visit: 1,
      visits: { hello: 1 },
      is_last: false,
      trail: [],
      is_duplicate: false,
    },
    ...{ entered_at: at(n), due_at: state === 'ended' || state === 'sending' ? null : at(50) },
    ...(state === 'ended' && { ended: 'completed', ended_at: at(9) }),
    ...more,
  }
}

/** A row of a refusal by an order. */
function refusal(n: number, flow_id: number, dispatch_id: string): Row {
  return entry(n, flow_id, 'ended', { dispatch_id, ended: 'not_in_segment', step: '', visit: 0, visits: {} })
}

function message(n: number, cause: number, state: string, flow_version: number | null = 1): Row {
  return {
    ...{ message_id: n, workspace_id, cause: entryId(cause), step: 'hello', visit: 1, channel: 'email', state },
    ...{
      class: 'marketing',
      planned_at: at(1),
      due_at: at(2),
      attempts: 0,
      rates_granted: 0,
      maybe_sent: false,
      crashes: 0,
    },
    ...{ flow_id: 1, flow_version, variant: 'A', ended_at: state === 'accepted' ? at(9) : null },
  }
}

function received(flow_id: number, entries: number): Row {
  return { flow_id, workspace_id, entries, in_control: false, converted: [], counted_conversions: [] }
}

async function entriesOf(db: Db, who: Person): Promise<string[]> {
  const rows = await db.query<{ text: string }>(sql`
    select concat_ws(' ', right(entry_id::text, 1), 'flow ' || flow_id, state, ended, case when is_duplicate then 'duplicate' end,
      case when due_at is not null then 'due' end) as text
    from entry where bucket = ${who.bucket} and profile_id = ${who.profile_id}::int8 order by entry_id`)
  return rows.map(({ text }) => text)
}

async function decisionsOf(db: Db, who: Person): Promise<string[]> {
  const rows = await db.query<{ text: string }>(sql`
    select concat_ws(' ', right(cause::text, 1), message_id, reason, 'flow ' || flow_id) as text
    from decision where bucket = ${who.bucket} and profile_id = ${who.profile_id}::int8 order by message_id nulls last, cause`)
  return rows.map(({ text }) => text)
}

onAllDatabases('the statement that moves entries has every column', async (open) => {
  const db = await open()
  const rows = await db.query<{ name: string }>(sql`
    select attname::text as name from pg_attribute where attrelid = 'entry'::regclass and attnum > 0 and not attisdropped`)
  assert.deepEqual([...storedEntryColumns].sort(), rows.map(({ name }) => name).sort())
})

onAllDatabases('the entries of a merged person continue at the kept one', async (open) => {
  const db = await open()
  const trail = [['hello', 1, '']]
  const facts = { properties: { a: 1 }, event: { b: 2 }, timing: { hour: 9 }, variant: 'A', version: 3, trail }
  await add(db, gone, {
    entry: [
      entry(1, 1, 'waiting', { ...facts, dispatch_id: dispatchId(1) }),
      entry(2, 2, 'sending', { is_last: true }),
      entry(3, 3, 'listening', { held: true }),
      entry(4, 4, 'ended'),
      entry(5, 5, 'arriving'),
      entry(6, 6, 'waiting'),
    ],
    received: [1, 2, 3, 4, 5, 6].map((flow_id) => received(flow_id, 1)),
    message: [message(1, 2, 'leased')],
  })
  // Earlier refusals and entries of other flows do not count as entries of the flow.
  await add(db, kept, { received: [received(1, 0)], entry: [refusal(7, 2, dispatchId(2)), entry(8, 8, 'waiting')] })
  const same = (rows: Row[]) => rows.filter(({ entry_id }) => Number(String(entry_id).slice(-1)) < 7)
  const whole = same(await rowsOf(db, 'entry', gone))
  await act(db, { type: 'merge', from: gone, into: kept })
  assert.deepEqual(same(await rowsOf(db, 'entry', kept)), whole)
  assert.deepEqual(await rowsOf(db, 'entry', gone), [])
  assert.deepEqual(await decisionsOf(db, kept), [])
  const [waiting] = await rowsOf(db, 'message', kept)
  assert.deepEqual(
    [waiting!.state, waiting!.flow_id, waiting!.flow_version, waiting!.variant],
    ['queued', '1', '1', 'A'],
  )
  const counts = (await rowsOf(db, 'received', kept)).map(({ flow_id, entries }) => `${flow_id} ${entries}`)
  assert.deepEqual(counts.sort(), ['1 1', '2 1', '3 1', '4 1', '5 1', '6 1'])
})

onAllDatabases('a merge leaves at most one open entry in a flow', async (open) => {
  const db = await open()
  await add(db, gone, {
    entry: [
      entry(1, 1, 'waiting'),
      entry(2, 2, 'sending'),
      entry(3, 3, 'listening', { held: true }),
      entry(4, 4, 'ended'),
    ],
    received: [1, 2, 3, 4].map((flow_id) => received(flow_id, 1)),
    message: [message(1, 2, 'queued')],
  })
  // The kept person is in the first flow and was in the others. Of the second flow only the received rows are left.
  await add(db, kept, {
    entry: [entry(5, 1, 'waiting'), entry(6, 3, 'ended'), entry(7, 4, 'waiting')],
    received: [received(2, 1), received(3, 2), received(4, 1)],
  })
  await act(db, { type: 'merge', from: gone, into: kept })
  assert.deepEqual(await entriesOf(db, kept), [
    '1 flow 1 ended merged',
    '2 flow 2 ended merged',
    '3 flow 3 ended merged',
    '4 flow 4 ended completed',
    '5 flow 1 waiting due',
    '6 flow 3 ended completed',
    '7 flow 4 waiting due',
  ])
  const [cancelled] = await rowsOf(db, 'message', kept)
  assert.deepEqual([cancelled!.state, cancelled!.reason], ['cancelled', 'merged'])
  assert.deepEqual(await decisionsOf(db, kept), [
    '2 1 merged flow 1',
    '1 merged flow 1',
    '2 merged flow 2',
    '3 merged flow 3',
  ])
  assert.deepEqual(await decisionsOf(db, gone), [])
})

onAllDatabases('of two entries of one order the one that was not refused counts', async (open) => {
  const db = await open()
  const by = (n: number) => ({ dispatch_id: dispatchId(n) })
  await add(db, gone, {
    entry: [
      entry(1, 1, 'waiting', by(1)),
      entry(2, 2, 'waiting', by(2)),
      refusal(3, 3, dispatchId(3)),
      entry(4, 4, 'waiting', by(4)),
    ],
  })
  await add(db, kept, {
    entry: [refusal(5, 1, dispatchId(1)), entry(6, 2, 'ended', by(2)), entry(7, 3, 'waiting', by(3))],
    received: [received(2, 1), received(3, 1)],
  })
  await act(db, { type: 'merge', from: gone, into: kept })
  assert.deepEqual(await entriesOf(db, kept), [
    '1 flow 1 waiting due',
    '2 flow 2 ended merged duplicate',
    '3 flow 3 ended not_in_segment duplicate',
    '4 flow 4 waiting due',
    '5 flow 1 ended not_in_segment duplicate',
    '6 flow 2 ended completed',
    '7 flow 3 waiting due',
  ])
})

onAllDatabases('an entry that is written for a merged person later moves to the kept one', async (open) => {
  const db = await open()
  await add(db, gone, {})
  await add(db, third, {})
  await add(db, kept, { entry: [entry(1, 1, 'waiting')], received: [received(1, 1)] })
  await act(db, { type: 'merge', from: gone, into: kept })
  await act(db, { type: 'merge', from: third, into: kept })
  const late = async (who: Person, n: number) => {
    const owner = { bucket: who.bucket, profile_id: who.profile_id }
    const rows = [entry(n, 1, 'waiting'), entry(n + 1, 2, 'sending'), entry(n + 2, 3, 'sending')]
    await insert(
      db,
      'entry',
      rows.map((row) => ({ ...row, ...owner })),
    )
    await insert(
      db,
      'received',
      [1, 2, 3].map((flow_id) => ({ ...received(flow_id, 1), ...owner })),
    )
    const signal = {
      signal_id: n,
      workspace_id,
      lane: who.bucket >> 8,
      kind: 'event',
      name: 'x',
      time: at(1),
      at: at(1),
      failed: false,
    }
    await insert(db, 'signal', [{ ...signal, ...owner }])
    // The message of one entry has already moved to the kept person, before its entry.
    await insert(db, 'message', [
      { ...message(n, n + 1, 'queued'), ...owner },
      { ...message(n + 1, n + 2, 'accepted'), bucket: kept.bucket, profile_id: kept.profile_id },
    ])
  }
  await late(gone, 2)
  await late(third, 5)
  await moveLateRows([gone, third], { db, ...parts })
  await moveLateRows([gone, third], { db, ...parts })
  assert.deepEqual(await entriesOf(db, kept), [
    '1 flow 1 waiting due',
    '2 flow 1 ended merged',
    '3 flow 2 sending',
    '4 flow 3 waiting due',
    '5 flow 1 ended merged',
    '6 flow 2 ended merged',
    '7 flow 3 ended merged',
  ])
  assert.equal((await rowsOf(db, 'message', kept)).length, 4)
  await act(db, { type: 'delete', from: kept })
  await late(gone, 2)
  await removeLateRows([kept, gone, third], { db, ...parts })
  for (const table of ['entry', 'received', 'signal', 'message']) assert.deepEqual(await rowsOf(db, table), [], table)
})

onAllDatabases('only counts remain of the entries of deleted people', async (open) => {
  const db = await open()
  const by = { dispatch_id: dispatchId(1) }
  await add(db, gone, {
    entry: [entry(1, 1, 'waiting', by), entry(2, 1, 'ended'), entry(3, 2, 'sending')],
    received: [received(1, 2)],
    received_step: [{ flow_id: 1, step: 'hello', last_received_at: at(1) }],
    message: [message(1, 3, 'queued'), message(2, 9, 'queued', null)],
  })
  await add(db, third, { entry: [entry(4, 1, 'ended', by), entry(5, 1, 'listening')] })
  await act(db, { type: 'delete', from: gone }, { type: 'delete', from: third })
  for (const table of ['entry', 'received', 'received_step', 'message']) assert.deepEqual(await rowsOf(db, table), [])
  const counts = (await rowsOf(db, 'deleted_entries')).map(
    ({ flow_id, ended, count }) => `${flow_id} ${ended} ${count}`,
  )
  assert.deepEqual(counts.sort(), ['1 completed 2', '1 deleted 2', '2 deleted 1'])
  const ordered = (await rowsOf(db, 'deleted_messages')).map(
    ({ cause, reason, count }) => `${cause} ${reason} ${count}`,
  )
  assert.deepEqual(ordered.sort(), [
    `${dispatchId(1)} completed 1`,
    `${dispatchId(1)} deleted 1`,
    `${entryId(9)} deleted 1`,
  ])
})

onAllDatabases('attributes that a person gets by a merge are signalled to flows that listen', async (open) => {
  const db = await open()
  const watched = (name: string, signals: boolean) => {
    return { workspace_id, kind: 'attribute', name, signals, since: at(0) }
  }
  await insert(db, 'watched', [
    watched('plan', true),
    watched('city', false),
    watched('country', true),
    watched('had', true),
  ])
  await add(db, gone, {
    profile: { country: 'DE', custom: { plan: 'gold', city: 'Ulm', had: 1, unwatched: 1 } },
    attribute_change: [{ time: at(1), workspace_id, name: 'plan', value: 'free' }],
  })
  await add(db, kept, { profile: { custom: { had: 2 } } })
  await act(db, { type: 'merge', from: gone, into: kept })
  const changes = (await rowsOf(db, 'attribute_change')).map(({ profile_id, name, value }) => [profile_id, name, value])
  assert.deepEqual(changes.sort(), [
    [kept.profile_id, 'city', 'Ulm'],
    [kept.profile_id, 'country', 'DE'],
    [kept.profile_id, 'plan', 'gold'],
  ])
  const signals = (await rowsOf(db, 'signal', kept)).map(({ kind, name }) => `${kind} ${name}`)
  assert.deepEqual(signals.sort(), ['attribute country', 'attribute plan'])
})
