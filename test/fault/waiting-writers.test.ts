import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { testPostgres } from '../servers/postgres.ts'
import { eventually } from '../support/eventually.ts'
import { newId } from '../support/people.ts'
import { Provisioning } from '../support/scim-service.ts'

/** More than the service has sessions of the database. */
const writers = 30

test('changes of accounts that wait for a lock take one session, so track requests are answered', async (t) => {
  if (!(await testPostgres(t))) return
  const scim = new Provisioning()
  await scim.start('postgres')
  await using service = scim.service
  const { path } = await scim.make()
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const holding = scim.db.transaction(async (tx) => {
    await tx.query(sql`select number from version where name = 'account' for update`)
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const changes = Array.from({ length: writers }, (_, i) =>
    scim.patch(path, [{ op: 'replace', path: 'displayName', value: `Name ${i}` }]),
  )
  const served = async () => {
    await eventually('a change waits for the lock', async () => {
      const waiting = await scim.db.query(sql`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
      return waiting.length > 0
    })
    return service.post('/users/track', { attributes: [{ external_id: newId() }] })
  }
  const tracked = await served().finally(() => released.resolve())
  await holding
  assert.equal(tracked.status, 201, tracked.text)
  for (const { status, text } of await Promise.all(changes)) assert.equal(status, 200, text)
})
