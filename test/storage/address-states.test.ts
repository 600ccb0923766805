import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import pg from 'pg'
import { type Call, noRequest } from '../../src/base/call.ts'
import { systemClock } from '../../src/base/clock.ts'
import { timestampArray } from '../../src/base/db/arrays.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { setEmailStatus } from '../../src/people/addresses/email-status.ts'
import { addressHasher, bucketsOf } from '../../src/people/identity/person.ts'
import { testPostgres } from '../servers/postgres.ts'
import { onBothDatabases, quiet } from '../support/databases.ts'
import { startService } from '../support/harness.ts'
import { groups, only } from '../support/people.ts'

const workspace_id = 1
const secret = randomBytes(32)
const hashAddress = addressHasher(secret)
const hourUs = 3_600_000_000

test('the hash of an address depends on the secret, the workspace, the kind and the address', () => {
  const hashes = [
    hashAddress(1, 'email', 'a@b.c'),
    hashAddress(2, 'email', 'a@b.c'),
    hashAddress(1, 'phone', 'a@b.c'),
    hashAddress(1, 'email', 'a@b.d'),
    addressHasher(randomBytes(32))(1, 'email', 'a@b.c'),
  ]
  assert.equal(new Set(hashes).size, hashes.length)
  for (const each of hashes) assert.match(each, /^[0-9a-f]{64}$/)
  assert.equal(hashAddress(1, 'email', 'a@b.c'), hashes[0])
})

/** Inserts a person with an address, whose own state has this stamp. */
async function insertOwner(db: Db, profile_id: number, email: string, stateUs: number): Promise<void> {
  const { bucket } = bucketsOf(workspace_id, 'email', email)
  const stateAt = sql`(${timestampArray([stateUs])}::timestamptz[])[1]`
  await db.query(sql`
    insert into profile (bucket, profile_id, workspace_id, random_bucket, email, email_subscribe, email_subscribe_at, created_at,
      updated_at)
    values (${bucket}, ${profile_id}, ${workspace_id}, 0, ${email}, 'opted_in', ${stateAt}, ${stateAt}, ${stateAt})`)
  await db.query(sql`
    insert into contact (bucket, workspace_id, kind, value, owner_bucket, owner_id)
    values (${bucket}, ${workspace_id}, 'email', ${email}, ${bucket}, ${profile_id})`)
}

onBothDatabases(
  'a state of an address is later than states that a process with a clock ahead has answered',
  async (open) => {
    const db = await open()
    const clock = systemClock()
    const nowUs = clock.stamp()
    await insertOwner(db, 1, 'ahead@example.com', nowUs + hourUs)
    await insertOwner(db, 2, 'ahead@example.com', nowUs + 2 * hourUs)
    await insertOwner(db, 3, 'behind@example.com', nowUs - hourUs)
    const call: Call = {
      db,
      clock,
      workspace_id,
      actor: { kind: 'key', id: '', name: '', from: noRequest },
      strict: false,
      log: quiet,
      signal: new AbortController().signal,
    }
    const email = ['ahead@example.com', 'behind@example.com']
    for (const state of ['unsubscribed', 'subscribed']) {
      await setEmailStatus(call, { email, subscription_state: state }, { hashAddress })
      const people = await db.query<{ email_subscribe: string }>(sql`select email_subscribe from profile`)
      assert.deepEqual(new Set(people.map((each) => each.email_subscribe)), new Set([state]))
      const kept = await db.query<{ state: string; late: boolean }>(sql`
      select a.state, a.stamp >= (select max(p.email_subscribe_at) from profile p where p.bucket = a.bucket) as late
      from address_state a`)
      assert.deepEqual(kept, [
        { state, late: true },
        { state, late: true },
      ])
    }
  },
)

async function connect(t: TestContext): Promise<{ url: string; client: pg.Client } | undefined> {
  const postgres = await testPostgres(t)
  if (!postgres) return undefined
  const url = await postgres.createDatabase(`states_${randomUUID()}`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.after(() => client.end())
  return { url, client }
}

test('the states of addresses contain no address', async (t) => {
  const connected = await connect(t)
  if (!connected) return
  const { url, client } = connected
  const workspace = { subscription_groups: Object.values(groups) }
  await using service = await startService({ env: { DATABASE_URL: url }, workspace })
  const item = (group: { id: string }, who: object) => ({
    subscription_group_id: group.id,
    subscription_state: 'subscribed',
    ...who,
  })
  const subscription_groups = [
    item(groups.news, { emails: ['a@b.c'] }),
    item(groups.alerts, { phones: ['+15551234567'] }),
  ]
  const bodies = {
    '/v2/subscription/status/set': { subscription_groups },
    '/email/status': { email: ['d@e.f'], subscription_state: 'unsubscribed' },
    '/users/track': {
      attributes: [{ external_id: 'ann', email: 'g@h.i', subscription_groups: [item(groups.news, {})] }],
    },
  }
  for (const [path, body] of Object.entries(bodies)) assert.equal((await service.post(path, body)).status, 201)
  const { rows } = await client.query('select value from address_state')
  assert.equal(rows.length, 4)
  for (const { value } of rows) assert.match(value, /^[0-9a-f]{64}$/)
})

test('only a change of the e-mail state or address updates the index of unsubscribed people', async (t) => {
  const connected = await connect(t)
  if (!connected) return
  const { url, client } = connected
  await using service = await startService({ env: { DATABASE_URL: url } })
  const set = async (item: object) => {
    const { status, text } = await service.post('/users/track', { attributes: [{ external_id: 'ann', ...item }] })
    assert.equal(status, 201, text)
  }
  /** Counts updates of profiles from now on, and those of them that changed no index. */
  const counting = async (act: () => Promise<void>, updates: number) => {
    await client.query(`select pg_stat_reset_single_table_counters('profile'::regclass)`)
    await act()
    for (;;) {
      const { rows } = await client.query(
        `select n_tup_upd::int as updated, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'profile'`,
      )
      const { updated, hot } = only(rows as { updated: number; hot: number }[])
      if (updated >= updates) return [updated, hot]
      await new Promise((resume) => setTimeout(resume, 100))
    }
  }
  await set({ email: 'ann@example.com', email_subscribe: 'unsubscribed' })
  const ordinary = async () => {
    await set({ plan: 'free' })
    await set({ total: { inc: 1 } })
    await set({ first_name: 'Ann' })
    await set({ email: 'ann@example.com', push_subscribe: 'opted_in' })
  }
  assert.deepEqual(await counting(ordinary, 4), [4, 4])
  assert.deepEqual(await counting(() => set({ email_subscribe: 'opted_in' }), 1), [1, 0])
  assert.deepEqual(await counting(ordinary, 4), [4, 4])
})
