import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import type { Db, Tx } from '../../src/base/db/db.ts'
import { localTables } from '../../src/base/db/local-tables.ts'
import { type Sql, sql } from '../../src/base/db/sql.ts'
import type { Person } from '../../src/people/identity/person.ts'
import { PersonRemoved } from '../../src/people/identity/retry-removed.ts'
import { type MergePair, mergeProfiles } from '../../src/people/merge/merge-profiles.ts'
import { moveHistory } from '../../src/people/merge/move-history.ts'
import { mergeOwned } from '../../src/people/merge/owned-store.ts'
import { type OwnedTable, ownedTables } from '../../src/people/merge/owned-tables.ts'
import { upsertPushTokens } from '../../src/people/profile/push-token-store.ts'
import { ownedRules } from '../../src/services.ts'
import { onAllDatabases } from '../support/databases.ts'
import {
  add,
  addGroups,
  at,
  everything,
  full,
  hashAddress,
  hidden,
  holdersOf,
  insert,
  located,
  ownerOf,
  personOf,
  type Row,
  rowsOf,
  workspace_id,
} from './crowd.ts'
import { brokenRules } from './statements.ts'

const parts = { clock: systemClock(), hashAddress, ownedRules: [] }
const [kept, merged, third, bystander] = [1, 2, 3, 4].map(personOf) as [Person, Person, Person, Person]

function pair(from: Person, into: Person, behaviour: MergePair['sdkActivity'] = 'kept'): MergePair {
  return { from, into, sdkActivity: behaviour }
}

async function join(db: Db, ...pairs: MergePair[]): Promise<void> {
  await db.transaction((tx) => mergeProfiles(tx, pairs, parts))
}

async function profileOf(db: Db, who: Person): Promise<Row> {
  const [row] = await rowsOf(db, 'profile', who)
  return row!
}

onAllDatabases('the list of owned tables has every column that is moved', async (open) => {
  const db = await open()
  for (const entry of ownedTables) {
    if (!('columns' in entry)) continue
    const rows = await db.query<{ name: string }>(sql`
      select attname::text as name from pg_attribute where attrelid = ${entry.table}::regclass and attnum > 0 order by 1`)
    const expected = rows.map(({ name }) => name).filter((name) => name !== 'bucket' && name !== 'profile_id')
    assert.deepEqual([...entry.columns].sort(), expected.sort(), entry.table)
  }
})

test('every table that is merged or deleted by a rule belongs to one rule', () => {
  const listed = ownedTables.filter((entry) => entry.merge === 'by a rule' || entry.delete === 'by a rule')
  const ruled = ownedRules.flatMap(({ tables }) => tables)
  assert.deepEqual(ruled.toSorted(), listed.map(({ table }) => table).toSorted())
})

onAllDatabases('a table with a simple rule needs only an entry in the list', async (open) => {
  const db = await open()
  await db.execute(`create table kite (bucket int not null, profile_id bigint not null, color text not null,
    first int, last int, flights int, primary key (bucket, profile_id, color))`)
  const kite = (color: string, first: number | null, last: number, flights: number) => ({ color, first, last, flights })
  const columns = ['color', 'first', 'last', 'flights']
  const table = 'kite'
  const rules: readonly [OwnedTable, unknown][] = [
    [{ table, merge: 'removed', delete: 'removed' }, ['red 3 4 5']],
    [
      { table, merge: 'moved unless the kept profile has that key', columns, delete: 'removed' },
      ['blue 1 9 7', 'red 3 4 5'],
    ],
    [
      {
        ...{ table, merge: 'moved and combined', columns, key: ['color'], delete: 'removed' },
        combined: { first: 'least', last: 'greatest', flights: 'sum' },
      },
      ['blue 1 9 7', 'red 1 9 12'],
    ],
  ]
  for (const [i, [entry, expected]] of rules.entries()) {
    const [into, from] = [personOf(100 + i), personOf(200 + i)]
    await add(db, into, { kite: [kite('red', 3, 4, 5)] })
    await add(db, from, { kite: [kite('red', 1, 9, 7), kite('blue', 1, 9, 7)] })
    await db.transaction((tx) => mergeOwned(tx, [pair(from, into)], [entry]))
    const rows = (await rowsOf(db, table, into)).map((row) => columns.map((column) => row[column]).join(' '))
    assert.deepEqual(rows.sort(), expected, entry.merge)
    assert.deepEqual(await rowsOf(db, table, from), [])
  }
})

onAllDatabases('an empty profile becomes the merged one', async (open) => {
  const db = await open()
  await addGroups(db)
  await add(db, kept, {})
  await add(db, merged, full(2))
  const before = await everything(db)
  const own = (table: string) => before.get(table)!.filter((row) => row.profile_id === merged.profile_id)
  await join(db, pair(merged, kept))
  await moveHistory(db, [{ from: merged, into: kept }])

  const { bucket: _, profile_id: __, external_id, random_bucket, created_at, updated_at, ...taken } = own('profile')[0]!
  const after = await profileOf(db, kept)
  for (const [name, value] of Object.entries(taken)) assert.equal(after[name], value, name)
  assert.equal(after.external_id, null)
  assert.ok(Date.parse(String(after.updated_at)) > Date.parse(at(9)))

  const moved = ownedTables.filter((entry) => 'columns' in entry || entry.merge === 'by move-history.ts')
  for (const { table } of moved.filter((entry) => entry.table !== 'merged_profile')) {
    const expected = own(table).map((row) => ({ ...row, bucket: String(kept.bucket), profile_id: kept.profile_id }))
    assert.deepEqual((await rowsOf(db, table)).map(byColumn), expected.map(byColumn), table)
  }
  assert.deepEqual(await rowsOf(db, 'former_id'), [])
  const apps = await rowsOf(db, 'app_use', kept)
  assert.deepEqual(
    apps.map(({ app_id, version, sessions }) => [app_id, version, sessions]),
    [
      ['both', '2.0', '0'],
      ['own2', '2.1', '0'],
    ],
  )
  for (const [kind, value] of [
    ['alias', 'both\u001fboth-2'],
    ['device', 'device-2'],
    ['push_token', 'app\u001ftoken-2'],
  ]) {
    assert.equal(await ownerOf(db, kind!, value!), kept.profile_id, kind!)
  }
  for (const value of ['person-2', 'former-2']) assert.equal(await ownerOf(db, 'external_id', value), undefined, value)
  assert.deepEqual(await holdersOf(db, 'email', 'person-2@example.com'), [kept.profile_id])
  assert.deepEqual(await holdersOf(db, 'phone', '+15550000002'), [kept.profile_id])
})

function byColumn(row: Row): string {
  return JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))
}

onAllDatabases('a merged profile leaves a pointer without personal data', async (open) => {
  const db = await open()
  await add(db, kept, {})
  await add(db, merged, full(2))
  const before = await profileOf(db, merged)
  await add(db, bystander, {})
  const blank = await profileOf(db, bystander)
  await join(db, pair(merged, kept))
  const { updated_at, ...stub } = await profileOf(db, merged)
  const { updated_at: _, ...expected } = blank
  const pointer: Row = { merged_bucket: String(kept.bucket), merged_into: kept.profile_id }
  assert.deepEqual(stub, { ...expected, ...pointer })
  assert.equal(stub.created_at, before.created_at)
  assert.deepEqual(await rowsOf(db, 'merged_profile', kept).then((rows) => rows.map(({ at: __, ...row }) => row)), [
    { from_bucket: String(merged.bucket), from_id: merged.profile_id, moved: 'false' },
  ])
})

onAllDatabases('the kept person keeps their data', async (open) => {
  const db = await open()
  await addGroups(db)
  await add(db, kept, full(1))
  await add(db, merged, full(2))
  const before = await profileOf(db, kept)
  await join(db, pair(merged, kept))

  const after = await profileOf(db, kept)
  const changed = Object.keys(after).filter((name) => after[name] !== before[name])
  const summed = [
    'custom',
    'date_of_last_session',
    'marked_email_as_spam_at',
    'session_count',
    'total_revenue',
    'typed',
  ]
  assert.deepEqual(changed.sort(), [...summed, 'updated_at'].sort())
  assert.deepEqual([after.session_count, after.total_revenue], ['3', '3.2'])
  assert.deepEqual(JSON.parse(String(after.custom)), { both: 1, only1: '2024-01-01', only2: '2024-01-01' })
  assert.deepEqual(Object.keys(JSON.parse(String(after.typed))).sort(), ['only1', 'only2'])

  const aliases = (await rowsOf(db, 'profile_alias', kept)).map(({ alias_label, alias_name }) => [
    alias_label,
    alias_name,
  ])
  assert.deepEqual(aliases.sort(), [
    ['both', 'both-1'],
    ['own1', 'own-1'],
    ['own2', 'own-2'],
  ])
  assert.equal(await ownerOf(db, 'alias', 'both\u001fboth-2'), undefined)
  assert.equal(await ownerOf(db, 'alias', 'own2\u001fown-2'), kept.profile_id)
  assert.equal(await ownerOf(db, 'external_id', 'former-1'), kept.profile_id)

  const groups = (await rowsOf(db, 'membership', kept)).map(({ group_id, state }) => `${group_id} ${state}`)
  assert.deepEqual(groups.sort(), ['1 subscribed', '2 subscribed', '3 subscribed'])
  const clicks = (await rowsOf(db, 'card_click', kept)).map(({ card, at: when }) => [card, Date.parse(String(when))])
  assert.deepEqual(clicks.sort(), [
    ['both', Date.parse(at(2))],
    ['own1', Date.parse(at(1))],
    ['own2', Date.parse(at(2))],
  ])
  const received = (await rowsOf(db, 'last_received', kept)).map(({ channel, at: when }) => [
    channel,
    Date.parse(String(when)),
  ])
  assert.deepEqual(received.sort(), clicks)

  const apps = (await rowsOf(db, 'app_use', kept)).map(({ app_id, version, sessions }) => [app_id, version, sessions])
  assert.deepEqual(apps.sort(), [
    ['both', '2.0', '3'],
    ['own1', '1.1', '1'],
    ['own2', '2.1', '0'],
  ])
  for (const table of ['device', 'push_token', 'app_session'])
    assert.equal((await rowsOf(db, table, kept)).length, 2, table)

  assert.deepEqual(await holdersOf(db, 'email', 'person-1@example.com'), [kept.profile_id])
  assert.deepEqual(await holdersOf(db, 'email', 'person-2@example.com'), [])
  assert.deepEqual(await holdersOf(db, 'phone', '+15550000002'), [])
})

onAllDatabases('the received mails and entries of both people are combined', async (open) => {
  const db = await open()
  await add(db, kept, full(1))
  await add(db, merged, full(2))
  await join(db, pair(merged, kept))

  const [had, refused, taken] = await rowsOf(db, 'received', kept)
  assert.deepEqual(
    [had!.entries, had!.variant, had!.in_control, JSON.parse(String(had!.converted))],
    ['3', 'own-1', 'true', ['Both', 'Own 1', 'Own 2']],
  )
  assert.deepEqual(
    [had!.last_entered_at, had!.opened_at, had!.converting_until].map((when) => Date.parse(String(when))),
    [at(2), at(1), at(2)].map((when) => Date.parse(when)),
  )
  assert.deepEqual([refused!.flow_id, taken!.flow_id], ['71', '72'])
  assert.equal((await rowsOf(db, 'received_step', kept)).length, 3)
  assert.deepEqual(
    (await rowsOf(db, 'attribute_change', kept)).map(({ value }) => value),
    ['own-1'],
  )
})

onAllDatabases('SDK activity of an anonymous person can be dropped', async (open) => {
  const db = await open()
  await add(db, kept, full(1))
  await add(db, merged, full(2))
  await add(db, third, {})
  await add(db, bystander, full(4))
  await join(db, pair(merged, kept, 'lost'), pair(bystander, third))
  const cards = (await rowsOf(db, 'card_click', kept)).map(({ card }) => card)
  assert.deepEqual(cards.sort(), ['both', 'own1'])
  const apps = (await rowsOf(db, 'app_use', kept)).map(({ app_id, sessions }) => [app_id, sessions])
  assert.deepEqual(apps.sort(), [
    ['both', '1'],
    ['own1', '1'],
  ])
  assert.equal((await profileOf(db, kept)).session_count, '1')
  assert.equal((await rowsOf(db, 'device', kept)).length, 2)
  assert.equal((await rowsOf(db, 'card_click', third)).length, 2)
  assert.deepEqual(await rowsOf(db, 'app_use', merged), [])
})

onAllDatabases('a group state of the merged person does not replace one of the kept address', async (open) => {
  const db = await open()
  await addGroups(db)
  const state = { state: 'unsubscribed', stamp: at(1) }
  await insert(db, 'address_state', [{ ...hidden('email', 'kept@example.com'), group_id: 1, ...state }])
  await add(db, kept, { profile: { email: 'kept@example.com' } })
  const groups = [1, 2, 4].map((group_id) => ({ group_id, state: 'subscribed', stamp: at(9) }))
  await add(db, merged, { profile: { email: 'other@example.com' }, membership: groups })
  await join(db, pair(merged, kept))
  assert.deepEqual((await rowsOf(db, 'membership', kept)).map(({ group_id }) => group_id).sort(), ['2', '4'])
  assert.deepEqual(await rowsOf(db, 'membership', merged), [])
})

onAllDatabases('a profile that was merged into a merged one leads to the last kept one', async (open) => {
  const db = await open()
  for (const [i, who] of [kept, merged, third].entries()) await add(db, who, full(i + 1))
  await join(db, pair(third, merged))
  await join(db, pair(merged, kept))
  assert.equal((await profileOf(db, third)).merged_into, kept.profile_id)
  assert.deepEqual(await rowsOf(db, 'merged_profile', merged), [])
  const ids = (await rowsOf(db, 'merged_profile', kept)).map(({ from_id }) => from_id)
  assert.deepEqual(ids.sort(), [merged.profile_id, third.profile_id].sort())
  // This move was requested when the second profile still existed.
  await moveHistory(db, [{ from: third, into: merged }])
  assert.equal((await rowsOf(db, 'event', kept)).length, 2)
  assert.deepEqual(
    (await rowsOf(db, 'merged_profile', kept))
      .map(({ from_id, moved }) => [from_id === third.profile_id, moved])
      .sort(),
    [
      [false, 'false'],
      [true, 'true'],
    ],
  )
})

onAllDatabases('nobody is merged when one of many people was removed', async (open) => {
  const db = await open()
  for (const [i, who] of [kept, merged, third].entries()) await add(db, who, full(i + 1))
  const before = await everything(db)
  await assert.rejects(join(db, pair(merged, kept), pair(third, bystander)), PersonRemoved)
  assert.deepEqual(await everything(db), before)
  await join(db, pair(merged, kept))
  await assert.rejects(join(db, pair(third, merged)), PersonRemoved)
  await assert.rejects(join(db, pair(merged, third)), PersonRemoved)
})

onAllDatabases('merging three pairs changes no other person', async (open) => {
  const db = await open()
  await addGroups(db)
  await add(db, bystander, { ...full(4), profile: { ...full(4).profile, email: 'shared@example.com' } })
  const others = (tables: Map<string, Row[]>) =>
    [...tables].map(([name, rows]) => [
      name,
      rows.filter((row) => [row.profile_id, row.owner_id].includes(bystander.profile_id)).map(byColumn),
    ])
  const before = others(await everything(db))
  const people = [11, 12, 13, 14, 15, 16].map(personOf)
  for (const [i, who] of people.entries()) {
    const { profile, profile_alias, device } = full(i + 5)
    await add(db, who, { profile: { ...profile, email: 'shared@example.com' }, profile_alias, device })
  }
  await join(db, ...[0, 2, 4].map((i) => pair(people[i]!, people[i + 1]!)))
  assert.deepEqual(others(await everything(db)), before)
  const held = [people[1]!, people[3]!, people[5]!, bystander].map(({ profile_id }) => profile_id)
  assert.deepEqual(new Set(await holdersOf(db, 'email', 'shared@example.com')), new Set(held))
})

onAllDatabases('every statement of a merge would run on a sharded database', async (open) => {
  const db = await open()
  await add(db, kept, {})
  await add(db, merged, full(2))
  const texts: string[] = []
  const recorded = (tx: Tx) => ({
    query: <T>(statement: Sql) => {
      texts.push(statement.text)
      return tx.query<T>(statement)
    },
  })
  await db.transaction((tx) => mergeProfiles(recorded(tx), [pair(merged, kept)], parts))
  const distributed = [...(await everything(db)).keys()].filter((table) => !localTables.includes(table))
  assert.ok(texts.length > 10)
  assert.deepEqual(
    texts.flatMap((text) => brokenRules(text, distributed)),
    [],
  )
})

onAllDatabases(
  'a push token that another person gets while its owner is merged stays with that person',
  async (open) => {
    const [db, other = db!] = await open.processes(2)
    // The embedded database runs one transaction at a time.
    if (!db || other === db) return
    await add(db, kept, {})
    await add(db, merged, full(2))
    await add(db, bystander, {})
    const value = 'app\u001ftoken-2'
    const { bucket } = located('push_token', value)
    const token = { person: bystander, workspace_id, bucket, value, app_id: 'app', token: 'token-2' }
    const taken = { ...token, device_id: null, notifications_enabled: true, stampUs: parts.clock.stamp() }
    const merging = await other.transaction(async (tx) => {
      await upsertPushTokens(tx, [taken])
      const started = join(db, pair(merged, kept))
      await isWaiting(other)
      return { started }
    })
    await merging.started
    assert.equal(await ownerOf(db, 'push_token', value), bystander.profile_id)
    assert.deepEqual(await rowsOf(db, 'push_token', kept), [])
    assert.equal((await rowsOf(db, 'push_token', bystander)).length, 1)
  },
)

/** Resolves when a transaction waits for another one. */
async function isWaiting(db: Db): Promise<void> {
  for (;;) {
    const [row] = await db.query<{ waiting: boolean }>(
      sql`select exists (
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as waiting`,
    )
    if (row!.waiting) return
  }
}
