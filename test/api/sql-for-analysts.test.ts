import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { queryAsAnalyst } from '../../cli/analyst-query.ts'
import type { Db } from '../../src/base/db/db.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { databases, drawDatabases, type Service } from '../support/harness.ts'
import { event, groups, newEmail, newId, People, purchase } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const page = readFileSync(join(import.meta.dirname, '../../docs/sql.md'), 'utf8')
const examples = [...page.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, text]) => text!)

async function started(database: (typeof databases)[number]): Promise<{ people: People; db: Db }> {
  let db: Db | undefined
  const people = new People()
  await people.start({
    database,
    opened(opened) {
      db = opened
    },
  })
  return { people, db: db! }
}

async function post(service: Service, path: string, body: object, status = 201): Promise<Any> {
  const answer = await service.post(path, body)
  assert.equal(answer.status, status, answer.text)
  return answer.body
}

async function checkMerged(people: People, db: Db): Promise<void> {
  const { service } = people
  const [kept, gone, dropped] = [newId(), newId(), newId()]
  const [email, other] = [newEmail(), newEmail()]
  await post(service, '/users/track', {
    attributes: [
      { external_id: kept, email, country: 'FR', plan: { n: 12 }, big: 9007199254740992 },
      { external_id: gone, email: other },
      { external_id: dropped },
    ],
    events: [kept, gone, dropped].map((external_id) =>
      event({ external_id }, { name: 'seen', properties: { by: external_id } }),
    ),
    purchases: [purchase({ external_id: gone }, { product_id: 'easel', price: 9.5, quantity: 2, currency: 'EUR' })],
  })
  await post(
    service,
    '/users/merge',
    {
      merge_updates: [{ identifier_to_merge: { external_id: gone }, identifier_to_keep: { external_id: kept } }],
    },
    202,
  )
  await post(service, '/users/delete', { external_ids: [dropped] })
  await people.settled()
  const exported = await post(service, '/users/export/ids', {
    external_ids: [kept],
    fields_to_export: ['service_id', 'external_id'],
  })
  const { service_id } = exported.users[0]
  const found = await db.query<Any>(sql`select * from easel_people where external_id = any(${[kept, gone, dropped]})`)
  assert.deepEqual(
    found.map((row) => [row.external_id, row.email, row.country, row.custom_attributes.plan, row.service_id]),
    [[kept, email, 'FR', { n: 12 }, service_id]],
  )
  const events = await db.query<Any>(sql`
    select external_id, service_id, properties ->> 'by' as by from easel_events where properties ->> 'by' = any(${[kept, gone, dropped]})`)
  assert.deepEqual(
    events.map((row) => [row.external_id, row.service_id, row.by]).sort(),
    [kept, gone].map((by) => [kept, service_id, by]).sort(),
  )
  const [bought] = await db.query<Any>(
    sql`select external_id, product_id, quantity, revenue from easel_purchases where service_id = ${service_id}`,
  )
  assert.deepEqual({ ...bought }, { external_id: kept, product_id: 'easel', quantity: 2, revenue: 19 })
}

/** The states of groups are those that the interface says. */
async function checkSubscriptions(people: People, db: Db): Promise<void> {
  const { service } = people
  const [who, second] = [newId(), newId()]
  const email = newEmail()
  const attributes = [who, second].map((external_id) => ({ external_id, email, phone: '+49 30 1234-567' }))
  await post(service, '/users/track', { attributes })
  const [mails, texts] = [groups.news, groups.alerts]
  const set = (group: { id: string }, state: string, who: object) =>
    post(service, '/v2/subscription/status/set', {
      subscription_groups: [{ subscription_group_id: group.id, subscription_state: state, ...who }],
    })
  await set(mails, 'subscribed', { external_ids: [who] })
  await set(mails, 'unsubscribed', { emails: [email] })
  await set(texts, 'subscribed', { phones: ['+49301234567'] })
  await set(mails, 'subscribed', { external_ids: [second] })
  for (const external_id of [who, second]) {
    const query = `/subscription/user/status?external_id=${external_id}`
    const { users } = (await service.get(query)).body as Any
    const said = users[0].subscription_groups.map((group: Any) => [group.name, group.status.toLowerCase()])
    const rows = await db.query<Any>(sql`
      select subscription_group, state from easel_subscriptions where external_id = ${external_id}`)
    const read = rows.map((row) => [row.subscription_group, row.state])
    const inEffect = said.filter(([, status]: string[]) => ['subscribed', 'unsubscribed'].includes(status!))
    assert.deepEqual(read.sort(), inEffect.sort())
    assert.ok(read.length >= 2, JSON.stringify({ said, read }))
  }
  const addresses = await db.query<Any>(sql`
    select kind, address, state from easel_addresses where external_id = ${who} order by kind`)
  assert.deepEqual(
    addresses.map((row) => [row.kind, row.address, row.state]),
    [
      ['email', email, 'subscribed'],
      ['phone', '+49301234567', null],
    ],
  )
  await post(service, '/email/blocklist', { email: [email] })
  const [blocked] = await db.query<Any>(
    sql`select suppression_reason from easel_addresses where external_id = ${second} and kind = 'email'`,
  )
  assert.equal(blocked.suppression_reason, 'blocklist')
}

for (const database of databases) {
  describe(`the views for analysts (${database})`, () => {
    test('people, history and states are those of the interface, also after a merge and a deletion', async () => {
      const { people, db } = await started(database)
      await using _ = people.service
      await checkMerged(people, db)
      await checkSubscriptions(people, db)
    })
  })
}

for (const database of drawDatabases('the views of the demo')) {
  describe(`the views of the demo (${database})`, () => {
    test('each view has the rows of the demo, and every example of the page finds some', async () => {
      const { people, db } = await started(database)
      const { service } = people
      await using _ = service
      assert.equal((await service.send('POST', '/admin/demo', undefined, { key: service.adminToken })).status, 201)
      const views = await db.query<{ name: string }>(sql`
        select relname::text as name from pg_class where relkind = 'v' and relname like 'easel\\_%'`)
      for (const { name } of views) {
        const [row] = await db.query<{ count: number }>(raw(`select count(*)::int as count from ${name}`))
        // The demo has no cohorts, and sizes of segments are counted at the end of a day.
        const mayBeEmpty = ['easel_cohort_members', 'easel_segment_sizes'].includes(name)
        assert.ok(row!.count > 0 || mayBeEmpty, `${name} is empty`)
        await db.query(raw(`select * from ${name} limit 20`))
      }
      assert.equal(examples.length, 5)
      for (const [i, example] of examples.entries()) {
        let rows = 0
        const query = { text: example, timeoutMs: 300_000, limit: 1_000 }
        await queryAsAnalyst(db, query, {
          columns: () => {},
          rows: (found) => {
            rows += found.length
          },
        })
        assert.ok(rows > 0, `example ${i + 1}: ${example}`)
      }
      await checkCounts(db)
    })
  })
}

/** No row of a person who is there is missing, and none is there twice. */
async function checkCounts(db: Db): Promise<void> {
  const pairs = [
    ['profile where merged_into is null', 'easel_people'],
    ['message', 'easel_messages'],
    ['entry', 'easel_entries'],
    ['decision', 'easel_decisions'],
    ['event', 'easel_events'],
    ['purchase', 'easel_purchases'],
    ['dispatch', 'easel_dispatches'],
    ['flow', 'easel_flows'],
    ['received', 'easel_received'],
    ['segment', 'easel_segments'],
    ['catalog_item', 'easel_catalog_items'],
  ] as const
  // Work of the demo may still go on, so both are counted in one statement.
  for (const [table, view] of pairs) {
    const [row] = await db.query<{ rows: number; seen: number }>(
      raw(`select (select count(*)::int from ${table}) as rows, (select count(*)::int from ${view}) as seen`),
    )
    assert.equal(row!.seen, row!.rows, view)
  }
}
