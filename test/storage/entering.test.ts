import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { bootstrap } from '../../src/accounts/keys/bootstrap.ts'
import { systemClock } from '../../src/base/clock.ts'
import { int4Array, int8Array, textArray } from '../../src/base/db/arrays.ts'
import type { Db, Tx } from '../../src/base/db/db.ts'
import { type Sql, sql } from '../../src/base/db/sql.ts'
import { nextProfileId } from '../../src/base/ids.ts'
import { findFlow } from '../../src/messaging/flows/find-flows.ts'
import { insertFlows } from '../../src/messaging/flows/flow-store.ts'
import { openDueEntries } from '../../src/messaging/journeys/due-entries.ts'
import { type EnteringPerson, enterPeople } from '../../src/messaging/journeys/enter-people.ts'
import { listPendingEntries } from '../../src/messaging/journeys/pending-entry-store.ts'
import type { MoveServices } from '../../src/messaging/journeys/services.ts'
import { type Person, person } from '../../src/people/identity/person.ts'
import { retryWhenRemoved } from '../../src/people/identity/retry-removed.ts'
import { onBothDatabases, plansDiffer } from '../support/databases.ts'
import { moveServices } from '../support/journeys.ts'
import { mail } from '../support/messages.ts'
import { many } from '../support/people.ts'

type Item = Readonly<Record<string, unknown>>

const clock = systemClock()
const log = pino({ level: 'silent' })

const partsOf = (db: Db): MoveServices => moveServices(db, clock)

const messageStep = (id: string, next?: string): Item => ({
  id,
  type: 'message',
  message: mail(),
  ...(next && { next }),
})
const waiting = { id: 'wait', type: 'delay', for: 'PT1S', next: 'later' }

/** Creates a workspace with a canvas and people. */
async function begin(db: Db, count: number, definition: Item): Promise<Person[]> {
  await bootstrap(db, clock, { apiKey: undefined, adminToken: undefined })
  const head = {
    id: 'c',
    name: 'c',
    description: '',
    tags: [],
    state: 'active',
    class: 'marketing',
    version: 1,
  } as const
  await db.transaction((tx) => insertFlows(tx, 1, 'canvas', [{ ...head, definition, planned: false }], clock.now()))
  const people = many(count, (i) => person((i * 37) % 4096, nextProfileId((i * 37) % 4096, clock.elapsed())))
  await db.query(sql`
    insert into profile (profile_id, bucket, workspace_id, random_bucket, email, created_at, updated_at)
    select v.id, v.bucket, 1, 0, v.email, ${new Date(0)}, ${new Date(0)} from unnest(
      ${int4Array(people.map(({ bucket }) => bucket))}::int4[], ${int8Array(people.map(({ profile_id }) => profile_id))}::int8[],
      ${textArray(people.map(({ profile_id }) => `${profile_id}@example.com`))}::text[]) v(bucket, id, email)`)
  return people
}

async function enter(
  tx: Tx,
  people: readonly Person[],
  dispatch_id: string | null,
  // No step of these canvases sets attributes, for which the database is needed.
  parts = partsOf(tx as Db),
  more: Partial<EnteringPerson> = {},
): Promise<number> {
  const flow = (await findFlow(tx, 1, 'canvas', 'c'))!
  const graph = await parts.graphs.get(tx, flow.flow_id, flow.version)
  const arrival = { flow, graph, dispatch_id, nowMs: clock.now() }
  return enterPeople(
    tx,
    arrival,
    people.map((each) => ({ person: each, ...more })),
    parts,
  )
}

async function counted(db: Db): Promise<Record<string, number>> {
  const rows = await db.query<{ kind: string; count: number }>(sql`
    select coalesce(ended, state) as kind, count(*)::int as count from entry group by 1
    union all select 'messages', count(*)::int from message`)
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
}

onBothDatabases('a page of people enters in a few statements and one transaction', async (open) => {
  const db = await open()
  const people = await begin(db, 300, {
    first: 'hello',
    steps: [messageStep('hello', 'wait'), waiting, messageStep('later')],
  })
  const statements: string[] = []
  const parts = partsOf(db)
  const entering = db.transaction(async (tx) => {
    const spied: Tx = {
      query(statement) {
        statements.push(statement.text)
        return tx.query(statement)
      },
    }
    await enter(spied, people, randomUUID(), parts)
    throw new Error('the process is gone')
  })
  await assert.rejects(entering, /the process is gone/)
  assert.deepEqual(await counted(db), { messages: 0 })
  assert.ok(statements.length <= 12, `${statements.length}: ${statements.join('\n')}`)
  assert.equal(await db.transaction((tx) => enter(tx, people, randomUUID(), parts)), 300)
  assert.deepEqual(await counted(db), { sending: 300, messages: 300 })
})

onBothDatabases('people enter once when many orders make them enter at the same time', async (open) => {
  const all = await open.processes(4)
  const [db] = all as [Db]
  const people = await begin(db, 40, { first: 'hello', steps: [messageStep('hello')] })
  const [one, two] = [randomUUID(), randomUUID()]
  const orders = [one, two, one, null, two, null, one, two]
  const counts = await Promise.all(
    orders.map((dispatch_id, i) => {
      const from = all[i % all.length]!
      const own = i % 2 === 0 ? people : people.toReversed()
      return retryWhenRemoved(() => from.transaction((tx) => enter(tx, own, dispatch_id)))
    }),
  )
  // Each order has each person once, whichever order was first.
  assert.equal(counts[0]! + counts[2]! + counts[6]!, 40)
  assert.equal(counts[1]! + counts[4]! + counts[7]!, 40)
  const { messages, sending, already_entered = 0 } = await counted(db)
  assert.deepEqual([messages, sending], [40, 40])
  const [{ rows } = { rows: 0 }] = await db.query<{ rows: number }>(sql`
    select count(*)::int as rows from entry where dispatch_id is not null`)
  assert.equal(rows, 80)
  assert.ok(already_entered >= 40)
  const again = await db.query<{ entries: number }>(sql`select distinct entries from received`)
  assert.deepEqual(again, [{ entries: 1 }])
})

onBothDatabases('a refused entry by an event is recorded once a day, and by an order each time', async (open) => {
  const db = await open()
  const people = await begin(db, 1, { first: 'hello', steps: [messageStep('hello')] })
  for (let times = 0; times < 3; times++) await db.transaction((tx) => enter(tx, people, null))
  await db.transaction((tx) => enter(tx, people, randomUUID()))
  const decisions = await db.query<{ reason: string }>(sql`select reason from decision`)
  assert.deepEqual(
    decisions.map(({ reason }) => reason),
    ['already_entered', 'already_entered'],
  )
  assert.deepEqual(await counted(db), { sending: 1, already_entered: 1, messages: 1 })
})

onBothDatabases(
  'several workers move each due entry once, and an entry that cannot be moved does not delay others',
  async (open) => {
    const all = await open.processes(3)
    const [db] = all as [Db]
    const people = await begin(db, 60, { first: 'wait', steps: [waiting, messageStep('later')] })
    await db.transaction((tx) => enter(tx, people, randomUUID()))
    await db.query(sql`update entry set due_at = ${new Date(clock.now() - 1)}`)
    // Simulates a version that has lost a step.
    await db.query(sql`update entry set step = 'gone' where profile_id = ${people[7]!.profile_id}::int8`)
    await Promise.all(
      all
        .flatMap((from) => [from, from])
        .map(async (from) => {
          const turn = openDueEntries({ ...partsOf(from), db: from, log, onMoved: () => {} })
          while (await turn());
        }),
    )
    assert.deepEqual(await counted(db), { sending: 59, waiting: 1, messages: 59 })
    const put = await db.query<{ ms: number }>(sql`
    select (extract(epoch from due_at) * 1000)::float8 as ms from entry where state = 'waiting'`)
    assert.ok(put[0]!.ms > clock.now() + 3_000_000)
  },
)

onBothDatabases(
  'pending entries are looked up by person, not by flow, also when the planner takes the table for small',
  async (open) => {
    const db = await open()
    await begin(db, 1_000, { first: 'wait', steps: [waiting, messageStep('later')] })
    await db.query(sql`
    insert into entry (bucket, profile_id, entry_id, workspace_id, flow_id, version, class, dispatch_id, state, variant, step, visit,
      visits, due_at, entered_at)
    select bucket, profile_id, gen_random_uuid(), 1, 1, 1, 'marketing', gen_random_uuid(), 'waiting', 'default', 'wait', 1, '{"wait": 1}',
      ${new Date(0)}, ${new Date(0)} from profile`)
    // A table of many pages with few rows: then every index of open entries looks cheap.
    await db.query(sql`delete from entry where profile_id <> (select min(profile_id) from entry)`)
    await db.execute('analyze entry')
    const seen: Sql[] = []
    const watched: Tx = {
      query: (statement) => {
        seen.push(statement)
        return db.query(statement)
      },
    }
    await listPendingEntries(watched, [person(1, nextProfileId(1, clock.elapsed()))], 1)
    const plan = await db.query<{ 'QUERY PLAN': string }>({ text: `explain ${seen[0]!.text}`, values: seen[0]!.values })
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n')
    assert.match(lines, /entry_by_person|entry_pkey/)
    assert.doesNotMatch(lines, /entry_open/)
  },
  { citus: plansDiffer },
)
