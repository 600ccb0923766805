import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test, { after, before } from 'node:test'
import pg from 'pg'
import { Random } from '../../bench/random.ts'
import { Ledger, type Send } from '../fault/ledger.ts'
import { pause, summaryOf, underLoad } from '../fault/load.ts'
import { testPostgres } from '../servers/postgres.ts'
import { long, seed, sizes } from '../sizes.ts'
import { type Answer, databases, type Service, type Spawned, spawnService, startService } from '../support/harness.ts'
import { ago, apps, type Exported, groups, hourMs, type Item, many } from '../support/people.ts'

const senders = 12
const roundMs = long ? 3_000 : 1_000
const contenders = 8
const workspace = {
  settings: { rate_limits: { export_ids: 'unlimited' } },
  apps: Object.values(apps),
  subscription_groups: Object.values(groups),
}
const everything = ['external_id', 'email', 'custom_attributes', 'custom_events', 'user_aliases', 'push_tokens']

type Both = {
  /** The two processes. */
  readonly processes: readonly [Service, Spawned]
  readonly databaseUrl: string
  /** Sends to one process, then to the other, in turn. */
  readonly send: Send
}

const skip = databases.includes('postgres') ? false : 'PostgreSQL is not here: two processes cannot share a database'
let both: Both

before(async () => {
  if (skip === false) both = await startBoth()
})

after(async () => {
  if (skip === false) await Promise.all(both.processes.map((each) => each[Symbol.asyncDispose]()))
})

test('two processes that start on a new database at the same time serve it together', { skip }, async () => {
  for (const { post } of both.processes) {
    const answer = await post('/users/track', { attributes: [{ external_id: 'anna', total: { inc: 1 } }] })
    assert.equal(answer.status, 201, answer.text)
  }
  assert.deepEqual((await find(both.send, { external_ids: ['anna'] }))[0]?.custom_attributes, { total: 2 })
})

test('two processes under load on the same people lose, double and refuse no request', {
  skip,
}, async (t) => {
  t.diagnostic(`seed ${seed}`)
  const chance = new Random(seed)
  for (let round = 0; round < sizes.twoProcessesRounds; round++) {
    const ledger = new Ledger(`two${round}`, chance)
    await ledger.prepare(both.send)
    await underLoad(ledger, both.send, senders, () => pause(roundMs))
    const present = await ledger.check(both.send)
    t.diagnostic(`${summaryOf(ledger, present)}; ${await deadlocks(both.databaseUrl)} deadlocks so far`)
    assert.deepEqual([ledger.count('refused'), ledger.count('unsaid')], [0, 0])
  }
})

/** Returns a new identifier of each kind that can create a profile, and how to export by it. */
const newcomers: { [how: string]: (nth: number) => { who: Item; query: Item } } = {
  external_id: (nth) => ({ who: { external_id: `new-${nth}` }, query: { external_ids: [`new-${nth}`] } }),
  email: (nth) => ({ who: { email: `new-${nth}@example.com` }, query: { email_address: `new-${nth}@example.com` } }),
  phone: (nth) => ({ who: { phone: `+1555${1_000_000 + nth}` }, query: { phone: `+1555${1_000_000 + nth}` } }),
  user_alias: (nth) => {
    const user_alias = { alias_name: `new-${nth}`, alias_label: 'shop' }
    return { who: { user_alias, _update_existing_only: false }, query: { user_aliases: [user_alias] } }
  },
}

for (const [how, name] of Object.entries(newcomers)) {
  test(`two processes that get the same new ${how} at once create one profile`, { skip }, async () => {
    for (let nth = 0; nth < sizes.contests; nth++) {
      const { who, query } = name(nth)
      const requests: Promise<Answer>[] = many(contenders, (i) =>
        both.send('/users/track', {
          attributes: [{ ...who, total: { inc: 1 }, seen: { add: [i] } }],
          events: [{ ...who, name: 'visited', time: ago(hourMs) }],
        }),
      )
      for (const { status, text } of await Promise.all(requests)) assert.equal(status, 201, text)
      const people = await find(both.send, query)
      assert.equal(people.length, 1, `${how} ${nth}: ${JSON.stringify(people)}`)
      assert.equal(people[0]!.custom_attributes?.total, contenders)
      assert.deepEqual(new Set(people[0]!.custom_attributes?.seen as number[]), new Set(many(contenders, (i) => i)))
      assert.equal(people[0]!.custom_events?.[0]?.count, contenders)
    }
  })
}

test('an address has one or two profiles when one process gives it to a new person and the other tracks by it at once', {
  skip,
}, async () => {
  for (let nth = 0; nth < sizes.contests; nth++) {
    const email = `shared-${nth}@example.com`
    const external_id = `owner-${nth}`
    const requests: Promise<Answer>[] = many(contenders, (i) => {
      const who = i < 2 ? { external_id, email } : { email }
      return both.send('/users/track', { attributes: [{ ...who, total: { inc: 1 } }] })
    })
    for (const { status, text } of await Promise.all(requests)) assert.equal(status, 201, text)
    const people = await find(both.send, { email_address: email })
    assert.equal(people.filter((one) => one.external_id === external_id).length, 1)
    assert.ok(people.length <= 2, JSON.stringify(people))
    const total = people.reduce((sum, one) => sum + Number(one.custom_attributes?.total), 0)
    assert.equal(total, contenders, JSON.stringify(people))
  }
})

test('a push token that two processes give to different people belongs to one of them in the end', {
  skip,
}, async () => {
  for (let nth = 0; nth < sizes.contests; nth++) {
    const ids = many(contenders, (i) => `token-${nth}-${i}`)
    const push_tokens = [{ app_id: apps.phone.id, token: `token-${nth}`, device_id: 'device-0001' }]
    const requests: Promise<Answer>[] = ids.map((external_id) =>
      both.send('/users/track', { attributes: [{ external_id, push_tokens }] }),
    )
    for (const { status, text } of await Promise.all(requests)) assert.equal(status, 201, text)
    const people = await find(both.send, { external_ids: ids })
    const owners = people.filter((one) => one.push_tokens !== undefined)
    assert.equal(owners.length, 1, `${nth}: ${JSON.stringify(owners)}`)
  }
})

test('a later change through one process replaces the earlier change through the other', { skip }, async () => {
  for (let nth = 0; nth < 4 * sizes.contests; nth++) {
    const subscription_state = nth % 2 === 0 ? 'unsubscribed' : 'subscribed'
    const person = { external_id: 'anna', email: 'anna@example.com', total: nth }
    const subscription_groups = [{ subscription_group_id: groups.news.id, subscription_state }]
    const { status, text } = await both.processes[nth % 3 === 0 ? 0 : 1].post('/users/track', {
      attributes: [{ ...person, subscription_groups }],
    })
    assert.equal(status, 201, text)
    const { body } = await both.processes[nth % 2 === 0 ? 0 : 1].get('/subscription/user/status?external_id=anna')
    assert.equal(body.users[0].subscription_groups[0].status.toLowerCase(), subscription_state, `${nth}`)
  }
})

async function startBoth(): Promise<Both> {
  const postgres = await testPostgres()
  assert.ok(postgres)
  const databaseUrl = await postgres.createDatabase(`both_${randomUUID()}`)
  const env = { DATABASE_URL: databaseUrl }
  const processes = await Promise.all([startService({ env }), spawnService({ env })])
  const applied = await processes[0].post('/admin/apply', workspace, { key: processes[0].adminToken })
  assert.ok(applied.status < 300, applied.text)
  // The other process reads it within a second.
  await pause(1_000)
  let sent = 0
  const send: Send = async (path, body) => {
    const process = processes[sent++ % 2]!
    return process.post(path, body).catch((error: unknown) => {
      const said = processes[1].lines.slice(-5).join('\n')
      throw new Error(`a process does not answer; the other one has said ${said}`, { cause: error })
    })
  }
  return { processes, databaseUrl, send }
}

async function find(send: Send, query: Item): Promise<Exported[]> {
  const { status, text, body } = await send('/users/export/ids', { ...query, fields_to_export: everything })
  assert.equal(status, 201, text)
  return body.users
}

async function deadlocks(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query('select deadlocks::int from pg_stat_database where datname = current_database()')
  await client.end()
  return rows[0].deadlocks
}
