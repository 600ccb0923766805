import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { testPostgres } from '../servers/postgres.ts'
import { databases, startService } from '../support/harness.ts'
import { apps } from '../support/people.ts'

const skip = databases.includes('postgres') ? false : 'needs PostgreSQL: the test runs between two statements'
const device_id = 'device-of-both'
const token = 'token-of-both'

test('a push token that another person gets while its device changes its owner stays with that person', {
  skip,
}, async () => {
  const DATABASE_URL = await (await testPostgres())!.createDatabase(`tokens_${randomUUID()}`)
  const workspace = { apps: Object.values(apps) }
  await using service = await startService({ database: 'postgres', env: { DATABASE_URL }, workspace })
  const send = (external_id: string, more: object = {}) =>
    service.post('/sdk/data', { identifier: { external_id }, device: { device_id }, app_id: apps.phone.id, ...more })
  await service.post('/users/track', { attributes: ['second', 'other'].map((external_id) => ({ external_id, x: 1 })) })
  await send('first', { push_token: token })

  // Does the same as a flush that gives the token to `other`, with a pause between its first two statements.
  const client = new pg.Client(DATABASE_URL)
  await client.connect()
  await client.query('begin')
  await client.query(`select 1 from identifier where kind = 'push_token' for update`)
  const taking = send('second')
  await pause(50)
  await client.query('delete from push_token')
  await client.query(
    `insert into push_token (bucket, profile_id, app_id, token, device_id, notifications_enabled, created_at)
      select bucket, profile_id, $1, $2, $3, true, created_at from profile where external_id = 'other'`,
    [apps.phone.id, token, device_id],
  )
  await client.query(`update identifier i set owner_bucket = p.bucket, owner_id = p.profile_id from profile p
    where p.external_id = 'other' and i.kind = 'push_token'`)
  await client.query('commit')
  assert.equal((await taking).status, 201)

  const { rows } = await client.query('select external_id from push_token join profile using (bucket, profile_id)')
  await client.end()
  assert.deepEqual(rows, [{ external_id: 'other' }])
})
