import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { Random } from '../../bench/random.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { findPostgres, startCluster } from '../servers/postgres.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { databases, type Spawned, spawnService, startService } from '../support/harness.ts'
import { wrongClock } from '../support/wrong-clock.ts'
import { becomesReady, pause } from './load.ts'
import { apartMs, openWalk } from './walk.ts'

const crowd = sizes.peopleInTrouble
const mailsPerWalk = 4 * crowd
const connections = 5
const hangMs = sizes.hangSeconds * 1_000
const offMs = 5_000
const awayMsMax = 3_000
const skip = databases.includes('postgres') ? false : 'PostgreSQL is not here: processes cannot share a database'

// Each test mostly waits, so they run together.
describe('canvases during faults', { concurrency: 3 }, () => {
  test('people in a canvas continue from their step after an outage of the database', {
    skip: skip || !findPostgres(),
  }, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    await using stack = new AsyncDisposableStack()
    const cluster = stack.use(await startCluster({ durable: true }))
    const walk = stack.use(await openWalk(crowd, connections))
    const env = { ...walk.env, DATABASE_URL: await cluster.createDatabase('away') }
    const { opened, db } = holder()
    const first = stack.use(await startService({ env, opened }))
    const second = stack.use(await startService({ env: { ...env, EASEL_ROLE: 'worker' } }))
    await walk.prepare(first)
    await walk.begin(first)
    for (let outage = 0; outage < sizes.outagesOfCanvas; outage++) {
      await walk.seen(1 + Math.floor(((outage + chance.below(100) / 100) * mailsPerWalk) / sizes.outagesOfCanvas))
      await (outage % 2 === 0 ? cluster.stopNow() : cluster.stop())
      await pause(chance.below(awayMsMax))
      await cluster.start()
    }
    for (const service of [first, second]) await becomesReady(service)
    await walk.over(db())
    t.diagnostic(await walk.check(db(), 1, 2 * connections * sizes.outagesOfCanvas))
  })

  test('a worker that hangs past its leases repeats no work of other workers', { skip }, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    await using stack = new AsyncDisposableStack()
    const walk = stack.use(await openWalk(crowd, connections))
    const env = { ...walk.env, DATABASE_URL: await newDatabase('hangs') }
    const { opened, db } = holder()
    const first = stack.use(await startService({ env, opened }))
    await walk.prepare(first)
    for (let hang = 0; hang < sizes.hangsInCanvas; hang++) {
      await using hanging = await spawnService({ env: { ...env, EASEL_ROLE: 'worker' } })
      await walk.begin(first)
      await walk.seen(hang * mailsPerWalk + 1 + chance.below(mailsPerWalk - 1))
      await pause(chance.below(200))
      hanging.signal('SIGSTOP')
      await pause(hangMs)
      hanging.signal('SIGCONT')
      await walk.over(db())
      await hanging.stop()
    }
    t.diagnostic(await walk.check(db(), sizes.hangsInCanvas, 2 * connections * sizes.hangsInCanvas))
  })

  test('workers whose clocks are wrong by five seconds do everything once, and nothing early while they follow the database', {
    skip,
  }, async (t) => {
    await using stack = new AsyncDisposableStack()
    const walk = stack.use(await openWalk(crowd, connections))
    const env = { ...walk.env, DATABASE_URL: await newDatabase('clocks') }
    const { opened, db } = holder()
    const first = stack.use(await startService({ env: { ...env, EASEL_ROLE: 'http' }, opened }))
    await walk.prepare(first)
    const start = async (aheadMs: number, setMs: number): Promise<Spawned> => {
      const NODE_OPTIONS = `--import=${wrongClock(aheadMs, setMs)}`
      return stack.use(await spawnService({ env: { ...env, EASEL_ROLE: 'worker', NODE_OPTIONS } }))
    }
    const workers = await Promise.all([start(offMs, offMs), start(-offMs, -offMs)])
    const fromMs = Date.now()
    await walk.begin(first)
    await walk.over(db())
    t.diagnostic(await walk.check(db(), 1, 0))
    const times = await db().query<{ time: Date }>(sql`
      select planned_at as time from message union all select ended_at from message
      union all select entered_at from entry union all select ended_at from entry`)
    const untilMs = Date.now()
    const wrong = times
      .map(({ time }) => time.getTime())
      .filter((ms) => ms < fromMs - apartMs || ms > untilMs + apartMs)
    assert.deepEqual(wrong, [], 'every process uses the time of the database')
    // Now the clocks of the machines are set, which the workers notice within a minute. Until then one is early and the other late.
    await walk.begin(first)
    await walk.seen(mailsPerWalk + crowd)
    for (const worker of workers) worker.signal('SIGUSR2')
    await walk.over(db())
    t.diagnostic(await walk.check(db(), 2, 0, 2 * offMs + apartMs))
    for (const worker of workers) await worker.stop()
  })
})

function holder() {
  let held: Db | undefined
  return {
    opened: (db: Db) => {
      held ??= db
    },
    db: () => held!,
  }
}
