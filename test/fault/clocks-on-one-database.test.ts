import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { ConfigError } from '../../src/base/config.ts'
import { lockClass } from '../../src/base/db/held-lock.ts'
import { clockLock } from '../../src/workspace/clock/register-process.ts'
import { newDatabase } from '../servers/template.ts'
import { eventually } from '../support/eventually.ts'
import { databases, type Service, spawnService, startService } from '../support/harness.ts'

const skip = databases.includes('postgres') ? false : 'no PostgreSQL: only one process can open the embedded database'

type Kind = 'system' | 'virtual'

async function start(DATABASE_URL: string, kind: Kind): Promise<Service> {
  return startService({ env: { DATABASE_URL, EASEL_CLOCK: kind } })
}

/** Starts a service that must be refused because of the process `pid` with another clock. */
async function assertRefused(DATABASE_URL: string, kind: Kind, pid: number, other: Kind): Promise<void> {
  await assert.rejects(start(DATABASE_URL, kind), (error) => {
    assert.ok(error instanceof ConfigError)
    const text = `^EASEL_CLOCK: "${kind}" was given, but the process ${pid} on .+ uses this database with the ${other} clock; `
    assert.match(error.message, new RegExp(text))
    return true
  })
}

test('no process runs beside a virtual clock, and system clocks run beside each other', { skip }, async () => {
  const [one, other] = await Promise.all([newDatabase('clocks'), newDatabase('clocks')])
  await using system = await start(one, 'system')
  await using virtual = await start(other, 'virtual')
  await using beside = await start(one, 'system')
  assert.equal((await beside.get('/health')).status, 200)
  await Promise.all([
    assertRefused(one, 'virtual', process.pid, 'system'),
    assertRefused(other, 'system', process.pid, 'virtual'),
    assertRefused(other, 'virtual', process.pid, 'virtual'),
  ])
  for (const running of [system, virtual]) {
    const answer = await running.post('/users/track', { attributes: [{ external_id: 'somebody' }] })
    assert.equal(answer.status, 201, answer.text)
  }
})

test('a virtual clock starts at once after a process that has ended in order', { skip }, async () => {
  const DATABASE_URL = await newDatabase('clocks')
  for (const kind of ['system', 'virtual', 'virtual', 'system'] as const) {
    await using service = await start(DATABASE_URL, kind)
    assert.equal((await service.admin('GET', '/admin/clock')).body.clock, kind)
  }
})

test('a process that stands still excludes others, and one that was killed does not', { skip }, async () => {
  const DATABASE_URL = await newDatabase('clocks')
  await using first = await spawnService({ env: { DATABASE_URL, EASEL_CLOCK: 'virtual' } })
  first.signal('SIGSTOP')
  await assertRefused(DATABASE_URL, 'virtual', first.pid, 'virtual')
  first.signal('SIGCONT')
  assert.equal((await first.get('/health')).status, 200)
  await first.kill('SIGKILL')
  await using service = await start(DATABASE_URL, 'virtual')
  assert.equal((await service.admin('GET', '/admin/clock')).body.clock, 'virtual')
})

type Lock = { readonly pid: number; readonly classid: number; readonly objid: number; readonly granted: boolean }

/** The locks of clocks. Transactions register with another class. */
const locksOf = async (client: pg.Client): Promise<Lock[]> => {
  const { rows } = await client.query<Lock>(
    `select pid, classid::int, objid::int, granted from pg_locks
    where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
      and classid = $1 and objid = $2`,
    [lockClass, clockLock],
  )
  return rows
}

test('a process that loses its lock takes it again, and ends when another process has it', { skip }, async (t) => {
  const DATABASE_URL = await newDatabase('clocks')
  await using first = await spawnService({ env: { DATABASE_URL, EASEL_CLOCK: 'virtual' } })
  const connect = async () => {
    const client = new pg.Client({ connectionString: DATABASE_URL })
    await client.connect()
    t.after(() => client.end())
    return client
  }
  const [watcher, rival] = [await connect(), await connect()]
  const end = ({ pid }: Lock) => watcher.query('select pg_terminate_backend($1)', [pid])

  const [held] = await locksOf(watcher)
  await end(held!)
  const isHeldAgain = async () => (await locksOf(watcher)).some(({ pid }) => pid !== held!.pid)
  await eventually('it takes the lock again', isHeldAgain)
  assert.equal((await first.get('/health')).status, 200)

  // The rival waits for the lock, so it has the lock before the process can take it again.
  const taken = rival.query('select pg_advisory_lock($1, $2)', [held!.classid, held!.objid])
  await eventually('it waits', async () => (await locksOf(watcher)).some(({ granted }) => !granted))
  await end((await locksOf(watcher)).find(({ granted }) => granted)!)
  await taken
  assert.deepEqual(await first.ended, { code: 2, signal: null })
  const text = 'EASEL_CLOCK: "virtual" was given, but another process uses this database with the virtual clock; '
  assert.ok(first.lines.some((line) => line.startsWith(text)))
})
