import assert from 'node:assert/strict'
import { type Entry, entryStates } from '../../src/messaging/entries/entry.ts'
import { insertEntries } from '../../src/messaging/entries/entry-store.ts'
import { releaseEntries } from '../../src/messaging/entries/release-store.ts'
import { advance } from '../../src/messaging/journeys/advance.ts'
import { storedEntry } from '../../src/messaging/journeys/write-effects.ts'
import type { EntryMessage } from '../../src/messaging/messages/message.ts'
import type { Person } from '../../src/people/identity/person.ts'
import { onBothDatabases } from '../support/databases.ts'
import { enteredMs, entryOf, graphOf, message } from '../support/graphs.ts'
import { afterMessage } from '../support/message-ends.ts'
import { act, add, at, parts, personOf, type Row, rowsOf, workspace_id } from './crowd.ts'

const hourMs = 3_600_000
const nowMs = enteredMs + hourMs
const graph = graphOf([
  message('hello', 'wait'),
  { id: 'wait', type: 'delay', wait: { forMs: hourMs }, next: 'bye' },
  message('bye'),
])

/** Inserts an entry of a new person, in a state at a step. */
function entryAt(n: number, owner: Person, state: Entry['state'], step: string, visit: number): Entry {
  const waits = state === 'arriving' || state === 'waiting' || state === 'listening'
  return entryOf({
    ...{
      bucket: owner.bucket,
      profile_id: owner.profile_id,
      workspace_id,
      state,
      step,
      visit,
      visits: { [step]: visit },
    },
    entry_id: `22222222-0000-4000-8000-${String(n).padStart(12, '0')}`,
    held: state === 'listening',
    dueMs: waits ? nowMs + hourMs : undefined,
    ...(state === 'ended' && { ended: 'completed' }),
  })
}

/** Returns the position of a row of an entry. */
function standingOf({ state, ended, step, visit, visits, due_at }: Row) {
  const dueMs = due_at === null ? undefined : Date.parse(String(due_at))
  return {
    state,
    ...(ended !== null && { ended }),
    step,
    visit: Number(visit),
    visits: JSON.parse(String(visits)),
    dueMs,
  }
}

onBothDatabases('the end of a message moves an entry in any state as the model does', async (open) => {
  const db = await open()
  const messages = [
    { step: 'hello', visit: 1 },
    { step: 'hello', visit: 2 },
    { step: 'bye', visit: 1 },
  ]
  const cases = entryStates
    .flatMap((state) => ['hello', 'bye'].flatMap((step) => messages.map((ended) => ({ state, step, ended }))))
    .map(({ state, step, ended }, n) => ({ entry: entryAt(n, personOf(n), state, step, 1), ended }))
  const rows = cases.map(({ entry }) => storedEntry({ entry, graph, hops: [] }, enteredMs))
  await db.transaction((tx) => insertEntries(tx, rows))
  const before = await rowsOf(db, 'entry')
  const ends = cases.map(
    ({ entry, ended }) => ({ ...entry, ...ended, cause: entry.entry_id }) as unknown as EntryMessage,
  )
  const woken = await db.transaction((tx) => releaseEntries(tx, ends, nowMs))
  const after = await rowsOf(db, 'entry')
  const moved = new Map<string, string>()
  for (const { entry, ended } of cases) {
    const what = `${entry.state} at ${entry.step}, message of ${ended.step} ${ended.visit}`
    const [was, is] = [before, after].map((all) => all.find(({ entry_id }) => entry_id === entry.entry_id)!) as [
      Row,
      Row,
    ]
    const expected = afterMessage(graph, entry, ended, nowMs)
    if (expected === entry) assert.deepEqual(is, was, what)
    else {
      moved.set(entry.profile_id, expected.state)
      assert.deepEqual(standingOf(is), expected, what)
      const endedMs = is.ended_at === null ? undefined : Date.parse(String(is.ended_at))
      assert.equal(endedMs, expected.state === 'ended' ? nowMs : undefined, what)
      assert.equal(is.held, was.held, what)
    }
  }
  assert.equal(moved.size, 2)
  assert.deepEqual(new Map(woken.map(({ profile_id, state }) => [profile_id, state])), moved)
})

onBothDatabases('a merge ends an open entry in any state like a stop of its flow', async (open) => {
  const db = await open()
  const cases = entryStates.map((state, i) => {
    const [from, into] = [personOf(2 * i), personOf(2 * i + 1)]
    return { from, into, entry: entryAt(i, from, state, 'hello', 1) }
  })
  for (const { from, into } of cases) {
    await add(db, from, {})
    await add(db, into, {
      received: [{ flow_id: 1, workspace_id, entries: 1, in_control: false, converted: [], counted_conversions: [] }],
    })
  }
  await db.transaction((tx) =>
    insertEntries(
      tx,
      cases.map(({ entry }) => storedEntry({ entry, graph, hops: [] }, enteredMs)),
    ),
  )
  await act(db, ...cases.map(({ from, into }) => ({ type: 'merge', from, into }) as const))
  for (const { entry, into } of cases) {
    const [row] = await rowsOf(db, 'entry', into)
    const stopped = advance(graph, entry, { kind: 'stopped' }, new Map(), { nowMs, zone: 'UTC' })
    const isOpen = entry.state !== 'ended'
    const expected = isOpen ? { ...stopped.position, ended: 'merged' } : stopped.position
    const { state, ended, step, visit, visits, dueMs } = expected
    assert.deepEqual(standingOf(row!), { state, ended, step, visit, visits, dueMs }, entry.state)
    assert.deepEqual([row!.held, row!.is_duplicate], ['false', 'false'], entry.state)
    if (isOpen) assert.equal(Date.parse(String(row!.ended_at)), Date.parse(at(30)), entry.state)
  }
  assert.equal(parts.clock.now(), Date.parse(at(30)))
})
