import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { registrationOf } from '../../src/base/db/registration.ts'
import { testPostgres } from '../servers/postgres.ts'
import { databases, type Service, startService } from '../support/harness.ts'
import { newEmail, newId } from '../support/people.ts'

const skip = databases.includes('postgres') ? false : 'needs PostgreSQL: the test runs between two statements'

test('a person who gets an address while its state is set gets the state', { skip }, async () => {
  const DATABASE_URL = await (await testPostgres())!.createDatabase(`moved_${randomUUID()}`)
  await using service = await startService({ database: 'postgres', env: { DATABASE_URL } })
  // The setting waits for registered transactions alone, so these sessions register as Easel does.
  const clients = [1, 2, 3].map(() => new pg.Client({ connectionString: DATABASE_URL }))
  await Promise.all(clients.map((client) => client.connect()))
  let moved: Moved
  // The service tries for five seconds, and waits for older transactions as long. On a busy machine the moves may take longer, and are
  // made again.
  let attempts = 0
  do {
    assert.ok(attempts++ < attemptsMax, 'the moves were never in time')
    moved = await moveWhileSet(service, clients as [pg.Client, pg.Client, pg.Client])
  } while (moved.status === 503 || moved.isLate || moved.waitedMs > waitedMsMax)
  assert.equal(moved.status, 201)
  const body = { email_address: moved.email, fields_to_export: ['external_id', 'email_subscribe'] }
  const { users } = (await service.post('/users/export/ids', body)).body
  await Promise.all(clients.map((client) => client.end()))
  assert.deepEqual(
    users.map((user: Record<string, string>) => [user.external_id, user.email_subscribe]),
    [[moved.owner, 'unsubscribed']],
  )
})

/** Well below the five seconds for which the service waits for older transactions. */
const waitedMsMax = 4_000

const attemptsMax = 20

type Moved = {
  readonly status: number
  readonly email: string
  readonly owner: string
  /** How long the service may have waited for the older transaction. */
  readonly waitedMs: number
  /** The setting was answered before the second move. Then it need not follow that move. */
  readonly isLate: boolean
}

/**
 * Sets the state of an address, and moves the address meanwhile like two merges. The second begins just before the state is written to
 * people for the last time.
 */
async function moveWhileSet(
  service: Service,
  [mover, nextMover, bystander]: readonly [pg.Client, pg.Client, pg.Client],
): Promise<Moved> {
  const [first, second, third, email] = [newId(), newId(), newId(), newEmail()]
  await service.post('/users/track', {
    attributes: [
      { external_id: first, email },
      { external_id: second, x: 1 },
      { external_id: third, x: 1 },
    ],
  })
  await bystander.query(begin)
  await hold(mover, first)
  let isAnswered = false
  const sentMs = performance.now()
  const setting = service.post('/email/status', { email, subscription_state: 'unsubscribed' }).finally(() => {
    isAnswered = true
  })
  /** Resolves when a session of this database is so, or when the setting is answered. */
  const until = async (condition: string) => {
    const session = `select 1 from pg_stat_activity where datname = current_database() and ${condition}`
    while (!isAnswered) {
      // Within a transaction the first answer is given again and again.
      await bystander.query('select pg_stat_clear_snapshot()')
      if ((await bystander.query(session)).rowCount) return
      await pause(5)
    }
  }
  await until(await isBlockedBy(mover))
  await give(mover, email, first, second)
  await until(isWaitingForOlder)
  await hold(nextMover, second)
  await bystander.query('commit')
  const waitedMs = performance.now() - sentMs
  await until(await isBlockedBy(nextMover))
  const isLate = isAnswered
  await give(nextMover, email, second, third)
  return { status: (await setting).status, email, owner: third, waitedMs, isLate }
}

/** A transaction that waits for the one of `client`. */
async function isBlockedBy(client: pg.Client): Promise<string> {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  return `${rows[0].pid} = any(pg_blocking_pids(pid))`
}

const begin = `begin; ${registrationOf('people')}`

/** A session that has asked which transactions are open. */
const isWaitingForOlder = `pid <> pg_backend_pid() and query like '%virtualtransaction as id%'`

async function hold(client: pg.Client, external_id: string): Promise<void> {
  await client.query(begin)
  await client.query('select 1 from profile where external_id = $1 for update', [external_id])
}

async function give(client: pg.Client, email: string, from: string, into: string): Promise<void> {
  await client.query('update profile set email = null where external_id = $1', [from])
  await client.query('update profile set email = $2 where external_id = $1', [into, email])
  const { rowCount } = await client.query(
    `update contact c set owner_bucket = p.bucket, owner_id = p.profile_id from profile p
     where p.external_id = $1 and c.value = $2`,
    [into, email],
  )
  assert.equal(rowCount, 1)
  await client.query('commit')
}
