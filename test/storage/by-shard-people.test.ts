import assert from 'node:assert/strict'
import test from 'node:test'
import { completeFacts } from '../../src/audience/conditions/facts-store.ts'
import type { Db } from '../../src/base/db/db.ts'
import { split } from '../../src/base/db/placement.ts'
import { listUsedAddresses } from '../../src/messaging/orders/merged-recipients-store.ts'
import { findLabels } from '../../src/people/identity/alias-store.ts'
import type { Located, Person } from '../../src/people/identity/person.ts'
import { findRandomBuckets } from '../../src/people/profile/random-bucket-store.ts'
import { listCardClicks, listDevices, listProfilePage, listProfiles } from '../../src/people/profile/read-store.ts'
import {
  type AddressState,
  findStoredStates,
  listInheritedStates,
  upsertLaterStates,
} from '../../src/people/subscription/address-state-store.ts'
import { insertMembershipEvents } from '../../src/people/subscription/group-events-store.ts'
import { listStates } from '../../src/people/subscription/group-state-store.ts'
import { listGroupStates } from '../../src/people/subscription/membership-store.ts'
import { onAllDatabases } from '../support/databases.ts'
import { fourShards } from '../support/shards.ts'
import { act, add, addGroups, at, full, insert, located, personOf, rowsOf, workspace_id } from './crowd.ts'

/** Numbers of people, in an order that is not that of their buckets. Number 4 was merged into 9, and nobody is number 5. */
const numbers = [6, 1, 4, 8, 3, 5, 7, 2]
const people = numbers.map(personOf)
const stored = numbers.filter((n) => n !== 5)
const unmerged = stored.filter((n) => n !== 4)
const idOf = (n: number) => personOf(n).profile_id
const sorted = (texts: Iterable<string>) => [...texts].sort()

test('the people of these tests are on several shards, and are not in their order', () => {
  const parts = split(fourShards, people, ({ bucket }) => bucket)
  assert.ok(parts.length > 2)
  assert.notDeepEqual(
    parts.flatMap(({ items }) => items),
    people,
  )
})

async function prepare(db: Db): Promise<void> {
  await addGroups(db)
  for (const n of [...stored, 9]) {
    const rows = full(n)
    await add(db, personOf(n), { ...rows, profile: { ...rows.profile, random_bucket: n } })
  }
  await act(db, { type: 'merge', from: personOf(4), into: personOf(9) })
}

const emailOf = (n: number) => located('email', `person-${n}@example.com`) as Located<'email'>
/** Odd numbers have states. */
const isOdd = (n: number) => n % 2 === 1
const stateOf = (n: number, group_id: number): AddressState => {
  return { ...emailOf(n), group_id, state: isOdd(n) ? 'opted_in' : 'unsubscribed', stampUs: n * 1_000_000 }
}

/** What a statement should find on each database. Texts are compared in sorted order unless their order matters. */
type Case = { readonly name: string; find(db: Db): Promise<readonly unknown[]>; readonly expected: readonly unknown[] }

const cases: readonly Case[] = [
  {
    name: 'random buckets',
    // A merged profile keeps its own.
    find: async (db) => sorted([...(await findRandomBuckets(db, people))].map(([id, bucket]) => `${id} ${bucket}`)),
    expected: sorted(stored.map((n) => `${idOf(n)} ${n}`)),
  },
  {
    name: 'devices',
    find: async (db) => sorted((await listDevices(db, people)).map((row) => `${row.profile_id} ${row.device_id}`)),
    expected: sorted(unmerged.map((n) => `${idOf(n)} device-${n}`)),
  },
  {
    name: 'clicks of cards, in the order of their times',
    find: async (db) => {
      const clicks = Map.groupBy(await listCardClicks(db, people), ({ profile_id }) => profile_id)
      return sorted([...clicks].map(([id, rows]) => [id, ...rows.map(({ card }) => card)].join(' ')))
    },
    expected: sorted(unmerged.map((n) => `${idOf(n)} both own${n}`)),
  },
  {
    name: 'profiles, in the order of the people',
    find: async (db) => (await listProfiles(db, people)).map(({ external_id }) => external_id),
    expected: unmerged.map((n) => `person-${n}`),
  },
  {
    name: 'a page of all profiles, with their numbers',
    find: async (db) =>
      (await listProfilePage(db, people, 1e9)).map(({ external_id, n }) => `${external_id} is number ${n}`),
    expected: unmerged.map((n) => `person-${n} is number ${numbers.indexOf(n) + 1}`),
  },
  {
    name: 'pages whose weight ends before, at and after a person, and below the first one',
    find: async (db) => {
      const weights = (await listProfilePage(db, people, 1e9)).map(({ weight }) => weight)
      assert.deepEqual(
        weights,
        [...weights].sort((a, b) => a - b),
      )
      const limits = [weights[2]! - 1, weights[2]!, weights[2]! + 1, weights[0]! - 1]
      return Promise.all(limits.map(async (max) => (await listProfilePage(db, people, max)).length))
    },
    expected: [2, 3, 3, 1],
  },
  {
    name: 'labels of aliases that are taken, in the order that was asked',
    find: (db) => {
      const asked = people.map((who, i) => ({ person: who, alias_label: i % 3 ? `own${numbers[i]}` : 'nothing' }))
      return findLabels(db, asked)
    },
    expected: numbers.map((n, i) => i % 3 !== 0 && unmerged.includes(n)),
  },
  {
    name: 'states in groups',
    find: async (db) => {
      const rows = await listGroupStates(db, people)
      return sorted(rows.map((row) => `${row.profile_id} ${row.group_id} ${row.kind} ${row.state} ${row.stamp}`))
    },
    expected: sorted(
      unmerged.flatMap((n) => {
        const stamp = Date.parse(at(n)) * 1000
        const first = n % 2 ? 'subscribed' : 'unsubscribed'
        return [`${idOf(n)} 1 email ${first} ${stamp}`, `${idOf(n)} ${n === 1 ? 2 : 3} email subscribed ${stamp}`]
      }),
    ),
  },
  {
    name: 'states of people and of their addresses, those of people first',
    find: async (db) => {
      await upsertLaterStates(
        db,
        stored.map((n) => stateOf(n, 7)),
      )
      const addresses = numbers.map((number, i) => ({ ...emailOf(number), n: i + 1 }))
      const rows = await listStates(db, people, addresses)
      const kinds = rows.map(({ kind }) => kind)
      assert.deepEqual(kinds, [...kinds].sort().reverse())
      return sorted(rows.map(({ n, group_id, state, kind }) => `${n} ${group_id} ${kind} ${state}`))
    },
    expected: sorted([
      ...unmerged.flatMap((n) => {
        const place = numbers.indexOf(n) + 1
        const first = n % 2 ? 'subscribed' : 'unsubscribed'
        return [`${place} 1 person ${first}`, `${place} ${n === 1 ? 2 : 3} person subscribed`]
      }),
      ...stored.map((n) => `${numbers.indexOf(n) + 1} 7 email ${stateOf(n, 7).state}`),
    ]),
  },
  {
    name: 'stored states of addresses',
    find: async (db) => {
      const some = numbers.filter(isOdd).map((n) => stateOf(n, 8))
      await upsertLaterStates(db, some)
      const found = await findStoredStates(
        db,
        numbers.map((n) => ({ ...emailOf(n), group_id: 8 })),
      )
      return [...found].sort()
    },
    expected: numbers.flatMap((n, i) => (isOdd(n) ? [i] : [])),
  },
  {
    name: 'states of addresses that new contacts inherit',
    find: async (db) => {
      const some = numbers.filter(isOdd).map((n) => stateOf(n, 0))
      await upsertLaterStates(db, some)
      const contacts = numbers.map((n) => ({ ...emailOf(n), owner: personOf(n), hidden: emailOf(n).value }))
      const found = await listInheritedStates(db, contacts)
      return sorted(found.map((row) => `${row.person.profile_id} ${row.email} ${row.state} ${row.stampUs}`))
    },
    expected: sorted(
      numbers.filter(isOdd).map((n) => `${idOf(n)} person-${n}@example.com opted_in ${stateOf(n, 0).stampUs}`),
    ),
  },
  {
    name: 'addresses that somebody has',
    find: async (db) => [...(await listUsedAddresses(db, [...numbers, 50].map(emailOf)))].sort(),
    expected: numbers.flatMap((n, i) => (n === 5 || n === 4 ? [] : [i])),
  },
  {
    name: 'cohorts and what was received last',
    find: async (db) => {
      const created = { workspace_id, name: 'A', created_at: at(1), updated_at: at(1) }
      await insert(db, 'cohort', [{ ...created, cohort_id: 3, partner: 'p', id: 'one' }])
      const members = unmerged.filter(isOdd).map(personOf)
      await insert(
        db,
        'cohort_member',
        members.map(({ bucket, profile_id }) => ({ bucket, profile_id, cohort_id: 3, added_at: at(1) })),
      )
      const none = { columns: new Set<never>(), custom: new Set<string>(), groups: new Set<string>(), uses: false }
      const needs = { ...none, histories: new Map(), devices: false, received: true }
      const rows = people.map(({ bucket, profile_id }) => ({ bucket, profile_id, custom: {}, typed: {} }))
      const cohorts = new Map([['p:one', { partner: 'p', id: 'one' }]])
      const facts = await completeFacts(db, workspace_id, rows, { ...needs, cohorts }, Date.parse(at(40)))
      return facts.map((each) => [[...each.cohorts], sorted(each.receivedMs.keys())])
    },
    expected: numbers.map((n) => {
      if (!unmerged.includes(n)) return [[], []]
      return [isOdd(n) ? ['p:one'] : [], ['both', `own${n}`]]
    }),
  },
]

for (const { name, find, expected } of cases) {
  onAllDatabases(`people are looked up wherever they are: ${name}`, async (open) => {
    const db = await open()
    await prepare(db)
    assert.deepEqual(await find(db), expected)
  })
}

onAllDatabases('the feed has one event for each change of a group, for people on all shards', async (open) => {
  const db = await open()
  await prepare(db)
  await insert(db, 'workspace', [{ workspace_id, id: 'w', name: 'w', settings: { feed: true }, created_at: at(1) }])
  const given = unmerged.map(personOf).sort((a: Person, b: Person) => a.bucket - b.bucket)
  const rows = given.map((person) => ({
    ...{ person, workspace_id, group_id: 1 },
    ...{ state: 'subscribed' as const, stampUs: Date.parse(at(20)) * 1000 },
  }))
  await db.transaction((tx) => insertMembershipEvents(tx, rows))
  // The others were subscribed before.
  const changed = unmerged.filter((n) => !isOdd(n))
  const told = await rowsOf(db, 'feed_event')
  assert.deepEqual(sorted(told.map(({ profile_id }) => String(profile_id))), sorted(changed.map(idOf)))
  for (const { type, details } of told) {
    assert.equal(type, 'subscription.changed')
    assert.equal(JSON.parse(String(details)).subscription_group_id, 'g1')
  }
})
