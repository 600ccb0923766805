import assert from 'node:assert/strict'
import type { Db, Tx } from '../../src/base/db/db.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { loadVariables } from '../../src/content/rendering/variables-store.ts'
import { countDueMessages, findNextMessage, hasDueMessages } from '../../src/messaging/delivery/due-store.ts'
import { listEngaged } from '../../src/messaging/expansion/engagement-times-store.ts'
import { findAddressOwners } from '../../src/messaging/expansion/resolve-recipients-store.ts'
import { findEngagedMessages, findLinkTarget } from '../../src/messaging/feedback/engagement-store.ts'
import { findLongest } from '../../src/messaging/inspect/standing-store.ts'
import { findNextJourneyWork, listDueByFlow, listDueJourneyWork } from '../../src/messaging/journeys/due-store.ts'
import { listPendingEntries } from '../../src/messaging/journeys/pending-entry-store.ts'
import { findCurrentPeople } from '../../src/messaging/journeys/signal-store.ts'
import { listDue } from '../../src/messaging/overview/due-store.ts'
import { readSendStates } from '../../src/messaging/statuses/status-store.ts'
import { listEvents, listPurchases } from '../../src/messaging/timeline/history-store.ts'
import { listDecisions } from '../../src/messaging/why/why-store.ts'
import { listAddressOwners } from '../../src/people/addresses/owner-store.ts'
import { findRecipient } from '../../src/people/addresses/recipient-store.ts'
import { findUnsubscribed } from '../../src/people/addresses/unsubscribe-store.ts'
import { listHashedStates, listProfileKeys } from '../../src/people/backup/backup-store.ts'
import { findLinkOwner } from '../../src/people/confirmations/confirmation-store.ts'
import { deleteHistoryRows, moveHistoryRows } from '../../src/people/history/move-store.ts'
import { findLatest } from '../../src/people/identity/candidate-store.ts'
import { findOwners } from '../../src/people/identity/contact-store.ts'
import { findCandidates } from '../../src/people/merge/people-store.ts'
import { applyPlainDeltas, type PlainDelta } from '../../src/people/profile/custom-store.ts'
import { lockMergeStates, saveMergeStates } from '../../src/people/profile/merged-store.ts'
import { lockStates, saveStates } from '../../src/people/profile/state-store.ts'
import { upsertAddressStates, upsertEmailStates } from '../../src/people/subscription/address-state-store.ts'
import { insertAddressStateEvents } from '../../src/people/subscription/group-events-store.ts'
import { listLatestStates } from '../../src/people/subscription/group-state-store.ts'
import { upsertMemberships } from '../../src/people/subscription/membership-store.ts'
import { onBothDatabases } from '../support/databases.ts'
import { withPlacement } from '../support/shards.ts'
import { dispatchId, located, personOf, workspace_id } from './crowd.ts'
import {
  address,
  begin,
  byKey,
  kept,
  merged,
  ms,
  numberOf,
  people,
  shared,
  sharedState,
  targets,
  us,
} from './spread-people.ts'

// Statements about people that are sent in another form where there are shards: both forms return and write the same.

/** Returns the rows of a table with their microseconds. */
const table = (tx: Tx, name: string, without = '') =>
  tx.query(raw(`select to_jsonb(t) ${without} as row from ${name} t order by (to_jsonb(t) ${without})::text`))
const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort()

const deltas: PlainDelta[] = byKey.map((who) => ({
  person: who,
  custom: JSON.stringify({ added: numberOf(who) }),
  typed: JSON.stringify({ added: 1 }),
  removed: numberOf(who) % 2 ? '{both,other}' : null,
  untyped: numberOf(who) % 3 ? `{only${numberOf(who)}}` : null,
  stampUs: us(40),
}))

const group = { group_id: 1, state: 'subscribed', stampUs: us(1) } as const
const decisionQuery = { workspace_id, people, unknown: [], dispatch_id: undefined }
const allBuckets = Array.from({ length: 4_096 }, (_, bucket) => bucket)

const variableServices = { groups: new Map(), hashAddress: () => '', formatServiceId: (id: string) => id }

type Case = (tx: Tx) => Promise<unknown>

/** What reads. Its answer is compared. */
const reads: Readonly<Record<string, Case>> = {
  findNextMessage,
  hasDueMessages: async (tx) => [await hasDueMessages(tx, ms(50)), await hasDueMessages(tx, ms(0))],
  countDueMessages: async (tx) => [await countDueMessages(tx, ms(50), 100), await countDueMessages(tx, ms(50), 2)],
  findNextJourneyWork,
  listDueJourneyWork: async (tx) => [await listDueJourneyWork(tx, ms(50)), await listDueJourneyWork(tx, ms(0))],
  listDueByFlow: async (tx) => listDueByFlow(tx, ms(50), 100),
  'listDueByFlow, of a part': async (tx) =>
    (await listDueByFlow(tx, ms(50), 2)).reduce((sum, { count }) => sum + count, 0),
  listDue: (tx) => listDue(tx, workspace_id),
  listPendingEntries: (tx) => listPendingEntries(tx, people, 7),
  findLongest: (tx) => findLongest(tx, { flow_id: 7, version: 1 }, ['s', 'none']),
  listEngaged: (tx) => listEngaged(tx, people, ms(0)),
  listEvents: (tx) => listEvents(tx, kept, { fromUs: us(0), untilUs: us(59), limit: 10 }),
  'listEvents, of a part': (tx) => listEvents(tx, kept, { fromUs: us(0), untilUs: us(59), limit: 1 }),
  listPurchases: (tx) => listPurchases(tx, kept, { fromUs: us(0), untilUs: us(59), limit: 10 }),
  listDecisions: (tx) => listDecisions(tx, decisionQuery, undefined, 100),
  'listDecisions, a later page': (tx) => listDecisions(tx, decisionQuery, { us: String(us(6)), skip: 1 }, 3),
  'listDecisions of an order': (tx) =>
    listDecisions(
      tx,
      { ...decisionQuery, people: [], dispatch_id: dispatchId(2), entry_ids: [dispatchId(5)] },
      undefined,
      100,
    ),
  readSendStates: (tx) =>
    readSendStates(
      tx,
      people.map((who) => dispatchId(50 + numberOf(who))),
    ),
  listProfileKeys: (tx) => listProfileKeys(tx, workspace_id, allBuckets, '0', 5),
  listHashedStates: (tx) =>
    listHashedStates(tx, workspace_id, allBuckets, { bucket: 0, kind: '', value: '', group_id: 0 }, 6),
  findCurrentPeople: (tx) => findCurrentPeople(tx, people),
  findRecipient: async (tx) => [
    await findRecipient(tx, targets.at(-1)!),
    await findRecipient(tx, targets[1]!),
    await findRecipient(tx, { profile_id: '1', message_id: '1' }),
  ],
  findLinkOwner: async (tx) => [await findLinkOwner(tx, merged.profile_id), await findLinkOwner(tx, '1')],
  findEngagedMessages: async (tx) => sorted(await findEngagedMessages(tx, targets)),
  findLinkTarget: async (tx) => [
    await findLinkTarget(tx, targets.at(-1)!, 0),
    await findLinkTarget(tx, targets[1]!, 0),
    await findLinkTarget(tx, targets[1]!, 1),
  ],
  loadVariables: (tx) =>
    loadVariables(
      tx,
      workspace_id,
      people,
      { subscribed_state: false, most_recently_used_device: true },
      variableServices,
    ),
  findUnsubscribed: async (tx) => [
    await findUnsubscribed(tx, { ...shared, email: address }, { direction: 'asc', limit: 5, offset: 0 }),
    await findUnsubscribed(tx, { ...shared, email: address }, { direction: 'asc', limit: 5, offset: 1 }),
  ],
  findOwners: (tx) => findOwners(tx, shared, 5),
  findLatest: (tx) => findLatest(tx, shared, [people[2]!, personOf(99)]),
  findCandidates: (tx) =>
    findCandidates(
      tx,
      [true, false, null].flatMap((identified) =>
        (['latest', 'earliest'] as const).map((first) => ({ ...shared, identified, first })),
      ),
    ),
  'findAddressOwners of recipients': (tx) =>
    findAddressOwners(tx, [
      { ...shared, prioritization: ['most_recently_updated'] },
      { ...shared, prioritization: ['unidentified', 'least_recently_updated'] },
      { ...shared, prioritization: ['least_recently_updated', 'unidentified'] },
      { ...shared, prioritization: ['identified'] },
      { ...located('email', 'nobody@example.com'), prioritization: ['identified'] },
    ]),
  listAddressOwners: async (tx) => {
    const states = [{ ...shared, email: address, hidden: '', state: 'subscribed', stampUs: 0 }] as const
    const first = await listAddressOwners(tx, states, undefined, 5)
    return [first, await listAddressOwners(tx, states, first.at(-1)!.person, 5)]
  },
  listLatestStates: async (tx) =>
    sorted(
      await listLatestStates(tx, 1, [
        { ...sharedState, kind: 'email', address, n: 1 },
        { ...located('email', 'nobody@example.com'), kind: 'email', address: 'nobody@example.com', n: 2 },
      ]),
    ),
}

/** What writes. The rows are compared that it leaves. */
const writes: Readonly<Record<string, Case>> = {
  saveStates: async (tx) => {
    const states = await lockStates(tx, byKey)
    await saveStates(tx, savedOf(states))
    return table(tx, 'profile')
  },
  saveMergeStates: async (tx) => {
    const states = await lockMergeStates(tx, byKey)
    await saveMergeStates(tx, savedOf(states))
    return table(tx, 'profile')
  },
  applyPlainDeltas: async (tx) => {
    await tx.query(sql`
      update profile set custom = jsonb_build_object('big', repeat('x', 1200000)) where profile_id = ${people[3]!.profile_id}::int8`)
    const ids = await applyPlainDeltas(tx, deltas)
    assert.equal(ids?.size, 6)
    assert.equal(await applyPlainDeltas(tx, deltas.slice(0, 2)), undefined)
    return [[...ids].sort(), await table(tx, 'profile', "#- '{custom,big}'")]
  },
  upsertMemberships: async (tx) => {
    await upsertMemberships(
      tx,
      byKey.map((person) => ({ ...group, person })),
    )
    return table(tx, 'membership')
  },
  upsertAddressStates: async (tx) => {
    await upsertAddressStates(tx, [{ ...group, ...sharedState, kind: 'email' }])
    return table(tx, 'address_state')
  },
  upsertEmailStates: async (tx) => {
    const state = { ...shared, email: address, hidden: sharedState.value, state: 'opted_in', stampUs: us(1) } as const
    return [
      await upsertEmailStates(tx, [state]),
      await upsertEmailStates(tx, [state]),
      await table(tx, 'address_state'),
    ]
  },
  insertAddressStateEvents: async (tx) => {
    const stampUs = us(9) + 7
    await insertAddressStateEvents(tx, [
      { ...sharedState, kind: 'email', address, group_id: 1, state: 'unsubscribed', stampUs },
      { ...sharedState, kind: 'email', address, group_id: 2, state: 'subscribed', stampUs },
    ])
    // The rank only orders events of one moment.
    const events = await table(tx, 'feed_event', "- 'rank'")
    assert.equal(events.length, 12)
    return events
  },
  moveHistoryRows: async (tx) => {
    const moves = people.slice(1).map((from) => ({ from, into: kept }))
    const found = [await moveHistoryRows(tx, 'event', moves, 100), await moveHistoryRows(tx, 'purchase', moves, 100)]
    return [
      found,
      await moveHistoryRows(tx, 'event', moves, 100),
      await table(tx, 'event'),
      await table(tx, 'purchase'),
    ]
  },
  deleteHistoryRows: async (tx) => {
    const found = [await deleteHistoryRows(tx, 'event', people, 3), await deleteHistoryRows(tx, 'event', people, 100)]
    return [found, await table(tx, 'event'), await table(tx, 'purchase')]
  },
}

/** Changes every kind of column: the moments are before and after 1970, with microseconds. */
function savedOf<State extends { bucket: number; profile_id: string }>(states: readonly State[]) {
  return states.map((row) => {
    const who = people.find(({ profile_id }) => profile_id === row.profile_id)!
    const i = numberOf(who)
    const state = {
      ...row,
      first_name: `New ${i}`,
      latitude: i / 3,
      date_of_first_session: (i - 4) * 1e15 - 7,
      custom: { i },
    }
    return { person: who, state, stampUs: us(50) + i, into: i === 2 ? kept : null }
  })
}

const undo = new Error('undo')

/** Runs a part of a transaction that is rolled back. */
async function tried(db: Db, work: Case): Promise<unknown> {
  let result: unknown
  const trial = db.transaction(async (tx) => {
    result = await work(tx)
    throw undo
  })
  await assert.rejects(trial, undo)
  return result
}

function isEmpty(value: unknown): boolean {
  if (value instanceof Map) return value.size === 0
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

onBothDatabases('statements that are split by shard return and write the same', async (open) => {
  const db = await open()
  await begin(db)
  const placed = withPlacement(db)
  for (const [name, work] of Object.entries({ ...reads, ...writes })) {
    const expected = await tried(db, work)
    assert.ok(!isEmpty(expected), `${name} has found nothing`)
    assert.deepEqual(await tried(placed, work), expected, name)
  }
})
