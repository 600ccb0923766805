import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { applicationName } from '../../src/base/db/backends.ts'
import { testPostgres } from '../servers/postgres.ts'
import { databases, startService } from '../support/harness.ts'

const skip = databases.includes('postgres') ? false : 'needs PostgreSQL: the test runs between two statements'
const email = 'shared@example.com'

test('a person who gets an address while its state is set gets the state', { skip }, async () => {
  const DATABASE_URL = await (await testPostgres())!.createDatabase(`moved_${randomUUID()}`)
  await using service = await startService({ database: 'postgres', env: { DATABASE_URL } })
  await service.post('/users/track', {
    attributes: [
      { external_id: 'first', email },
      { external_id: 'second', x: 1 },
      { external_id: 'third', x: 1 },
    ],
  })
  // The setting waits for older transactions of Easel alone, so these sessions have its name.
  const session = { connectionString: DATABASE_URL, application_name: applicationName }
  const clients = [1, 2, 3].map(() => new pg.Client(session))
  await Promise.all(clients.map((client) => client.connect()))
  const [mover, nextMover, bystander] = clients as [pg.Client, pg.Client, pg.Client]

  // Moves the address like two merges. The second begins just before the status is written to people for the last time.
  await bystander.query('begin; select pg_current_xact_id()')
  await hold(mover, 'first')
  const setting = service.post('/email/status', { email, subscription_state: 'unsubscribed' })
  await untilBlocked(bystander)
  await give(mover, 'first', 'second')
  await untilWaitingForOlder(bystander)
  await hold(nextMover, 'second')
  await bystander.query('commit')
  await untilBlocked(bystander)
  await give(nextMover, 'second', 'third')
  assert.equal((await setting).status, 201)

  const body = { email_address: email, fields_to_export: ['external_id', 'email_subscribe'] }
  const { users } = (await service.post('/users/export/ids', body)).body
  await Promise.all(clients.map((client) => client.end()))
  assert.deepEqual(
    users.map((user: Record<string, string>) => [user.external_id, user.email_subscribe]),
    [['third', 'unsubscribed']],
  )
})

/** Resolves when a transaction of this database waits for another one. */
function untilBlocked(client: pg.Client): Promise<void> {
  return untilFound(client, `wait_event_type = 'Lock'`)
}

/** Resolves when a session has begun to ask which transactions are open. */
function untilWaitingForOlder(client: pg.Client): Promise<void> {
  return untilFound(client, `pid <> pg_backend_pid() and query like '%l.virtualtransaction as id%'`)
}

async function untilFound(client: pg.Client, condition: string): Promise<void> {
  const session = `select 1 from pg_stat_activity where datname = current_database() and ${condition}`
  for (;;) {
    // Within a transaction the first answer is given again and again.
    await client.query('select pg_stat_clear_snapshot()')
    if ((await client.query(session)).rowCount) return
    await pause(5)
  }
}

async function hold(client: pg.Client, external_id: string): Promise<void> {
  await client.query('begin')
  await client.query('select 1 from profile where external_id = $1 for update', [external_id])
}

async function give(client: pg.Client, from: string, into: string): Promise<void> {
  await client.query('update profile set email = null where external_id = $1', [from])
  await client.query('update profile set email = $2 where external_id = $1', [into, email])
  await client.query(
    `update contact c set owner_bucket = p.bucket, owner_id = p.profile_id from profile p where p.external_id = $1`,
    [into],
  )
  await client.query('commit')
}
