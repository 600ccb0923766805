import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { statfsSync } from 'node:fs'
import test from 'node:test'
import { virtualClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { findPostgres, startCluster } from '../servers/postgres.ts'
import { startMailServer } from '../servers/smtp.ts'
import { channelsWorkspace, channelTransports } from '../support/channel-transports.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { letter } from '../support/messages.ts'
import { apps, many } from '../support/people.ts'
import { startSmsProvider } from '../support/sms-provider.ts'
import { Watcher } from '../support/watching.ts'
import { temporaryFolder } from './folders.ts'
import { smallDiskMissing } from './small-disk.ts'

const minuteMs = 60_000
const roundsMax = 5
const neighbours = 40
/** Mails to so many people open the breaker, and some of them wait. */
const mailed = many(7, (i) => `p${i}`)
const workspace = { apps: Object.values(apps) }
/** The name of each operand of the `or` of an alert, in its order. */
const causes = {
  EaselLate: ['late', 'failing', 'nobody works'],
  EaselMailServerAway: ['away'],
  EaselSmsProviderAway: ['away'],
  EaselDiskNearlyFull: ['absolute', 'relative'],
  EaselDefect: ['refused', 'answered 500'],
  EaselRefusing: ['5xx', 'database', 'nobody answers'],
} as const

type AlertName = keyof typeof causes

/** Returns why an alert fires now. */
function whyOf(watcher: Watcher, alert: AlertName): string[] {
  const found = watcher.causesOf(alert)
  assert.equal(found.length, causes[alert].length, alert)
  return causes[alert].filter((_, i) => found[i]!.length > 0)
}

/** Reads metrics until the alert fires for this cause, or no longer. */
async function until(watcher: Watcher, service: Service, [alert, cause]: readonly [AlertName, string], fires = true) {
  await eventually(
    () => `${alert} ${fires ? 'fires' : 'ends'} (${cause}): ${JSON.stringify(watcher.causesOf(alert))}`,
    async () => {
      await watcher.scrape(service)
      return whyOf(watcher, alert).includes(cause) === fires
    },
  )
}

/** Waits until no alert fires: on a busy machine a check of `/ready` may take too long now and then. */
async function untilQuiet(watcher: Watcher, service: Service): Promise<void> {
  await watcher.scrape(service)
  await eventually(
    () => `no alert fires: ${watcher.firing()}`,
    async () => {
      await watcher.scrape(service)
      return watcher.firing().length === 0
    },
  )
}

function assertFires(watcher: Watcher, alert: AlertName): void {
  assert.ok(watcher.firing().includes(alert), `${watcher.firing()}`)
}

async function sendTo(service: Service, ids: readonly string[]): Promise<void> {
  const attributes = ids.map((external_id) => ({ external_id, email: `${external_id}@example.com` }))
  assert.equal((await service.post('/users/track', { attributes })).status, 201)
  const body = letter({ external_user_ids: ids, recipient_subscription_state: 'all' })
  const sent = await service.post('/messages/send', body)
  assert.equal(sent.status, 201, sent.text)
}

// The embedded database has a single process, which has workers.
test('EaselLate fires when only processes without workers are running, and EaselRefusing when none is', async () => {
  await using service = await startService({ database: 'postgres', env: { EASEL_ROLE: 'http' } })
  const watcher = new Watcher()
  await watcher.scrape(service)
  assertFires(watcher, 'EaselLate')
  assert.ok(whyOf(watcher, 'EaselLate').includes('nobody works'))
  watcher.miss()
  assert.deepEqual(watcher.firing(), ['EaselLate', 'EaselRefusing'])
  assert.deepEqual(whyOf(watcher, 'EaselRefusing'), ['nobody answers'])
})

for (const database of drawDatabases('alerts')) {
  test(`EaselLate fires while orders wait because their worker fails, and ends after they were carried out (${database})`, async () => {
    let db: Db
    const clock = virtualClock()
    const env = { EASEL_CLOCK: 'virtual' }
    const opened = (own: Db) => {
      db = own
    }
    await using service = await startService({ database, env, clock, workspace, opened })
    const watcher = new Watcher()
    await sendTo(service, ['before'])
    await eventually(
      'its mail is sent',
      async () => (await service.admin('GET', '/admin/inbox')).body.messages.length > 0,
    )
    await untilQuiet(watcher, service)

    await db!.execute('alter table dispatch_slot add constraint no_claims check (lease is null) not valid')
    await sendTo(service, ['held'])
    await until(watcher, service, ['EaselLate', 'failing'])
    assert.ok(!whyOf(watcher, 'EaselLate').includes('late'))
    clock.moveTo(clock.now() + 6 * minuteMs)
    await until(watcher, service, ['EaselLate', 'late'])
    const [late] = watcher.causesOf('EaselLate')
    assert.deepEqual(
      late!.map(({ labels }) => labels),
      [{ job: 'easel', work: 'orders' }],
    )
    assert.ok(late![0]!.value > 300 && late![0]!.value < 3_600, `${late![0]!.value}`)

    await db!.execute('alter table dispatch_slot drop constraint no_claims')
    await until(watcher, service, ['EaselLate', 'late'], false)
    await until(watcher, service, ['EaselLate', 'failing'], false)
    assert.equal((await service.admin('GET', '/admin/inbox')).body.messages.length, 2)
    await untilQuiet(watcher, service)
  })

  test(`EaselMailServerAway fires until a mail is accepted again, also while a single mail tests the server (${database})`, async () => {
    const away = await startMailServer()
    await away.close()
    const env = { SMTP_URL: away.url, EASEL_CLOCK: 'virtual' }
    await using service = await startService({ database, env, workspace })
    const watcher = new Watcher()
    await untilQuiet(watcher, service)

    await sendTo(service, mailed)
    await until(watcher, service, ['EaselMailServerAway', 'away'])
    assertFires(watcher, 'EaselMailServerAway')

    await using stack = new AsyncDisposableStack()
    const back = await startMailServer({ port: away.port })
    stack.defer(() => back.close())
    const letIn = Promise.withResolvers<undefined>()
    const tested = Promise.withResolvers<boolean>()
    back.at('connect', () => {
      tested.resolve(true)
      return letIn.promise
    })
    const moves: Promise<unknown>[] = []
    // The service is disposed after everything that was asked of it.
    stack.defer(async () => {
      letIn.resolve(undefined)
      await Promise.all(moves)
    })
    await eventually('a mail tests the server', async () => {
      // The move does not end before the mail that it makes due.
      const move = service.send('POST', '/admin/clock', { advance: 'PT2M' }, { key: service.adminToken })
      moves.push(move)
      return Promise.race([move.then(() => false), tested.promise])
    })
    await watcher.scrape(service)
    assertFires(watcher, 'EaselMailServerAway')
    letIn.resolve(undefined)
    await Promise.all(moves)
    await until(watcher, service, ['EaselMailServerAway', 'away'], false)
    await untilQuiet(watcher, service)
  })

  test(`EaselSmsProviderAway fires while the provider of text messages refuses the account (${database})`, async () => {
    await using stack = new AsyncDisposableStack()
    const provider = await startSmsProvider()
    stack.defer(() => provider.close())
    provider.acceptsAccount = false
    const env = { SMS_URL: provider.url, EASEL_CLOCK: 'virtual' }
    await using service = await startService({ database, env, workspace: channelsWorkspace })
    const watcher = new Watcher()
    await untilQuiet(watcher, service)

    const { reachable, content } = channelTransports.find(({ name }) => name === 'sms')!
    const attributes = mailed.map((external_id) => ({ external_id, ...reachable().attributes }))
    assert.equal((await service.post('/users/track', { attributes })).status, 201)
    const order = { external_user_ids: mailed, messages: { sms: content }, recipient_subscription_state: 'all' }
    assert.equal((await service.post('/messages/send', order)).status, 201)
    await until(watcher, service, ['EaselSmsProviderAway', 'away'])
    const { body } = await service.get('/ready', { key: null })
    assert.match(body.sms, /^degraded: http:\/\/127\.0\.0\.1:\d+ was not reached: 401 20003 Authenticate$/)
    assert.equal(body.mail, 'ok')

    provider.acceptsAccount = true
    await eventually('each is sent', async () => {
      await service.advance('PT2M')
      return provider.taken.length === mailed.length
    })
    await until(watcher, service, ['EaselSmsProviderAway', 'away'], false)
    await untilQuiet(watcher, service)
  })

  test(`EaselDefect fires after a flush that the database refuses, and after answers of 500 (${database})`, async () => {
    let db: Db
    const opened = (own: Db) => {
      db = own
    }
    await using service = await startService({ database, opened })
    await db!.execute(`alter table profile add constraint no_poison check (not custom ? 'poison')`)
    const watcher = new Watcher()
    await service.post('/users/track', { attributes: [{ external_id: 'anna', total: 0 }] })
    await untilQuiet(watcher, service)
    // Sometimes the poisoned request is the only one of its flush, which is then not split.
    for (let round = 1; !whyOf(watcher, 'EaselDefect').includes('refused'); round++) {
      assert.ok(round <= roundsMax, 'a flush is split')
      const good = many(neighbours, () => ({ attributes: [{ external_id: 'anna', total: { inc: 1 } }] }))
      const poisoned = { attributes: [{ external_id: 'anna', poison: true }] }
      const bodies = [...good.slice(0, neighbours / 2), poisoned, ...good.slice(neighbours / 2)]
      const answers = await Promise.all(bodies.map((body) => service.post('/users/track', body)))
      assert.equal(answers.filter(({ status }) => status === 500).length, 1)
      await watcher.scrape(service)
    }
    await service.post('/users/track', { attributes: [{ external_id: 'anna', poison: true }] })
    await watcher.scrape(service)
    assert.deepEqual(whyOf(watcher, 'EaselDefect'), ['refused', 'answered 500'])
    const [, answered] = watcher.causesOf('EaselDefect')
    assert.equal(answered![0]!.labels.route, '/users/track')
    // They end with the hour: a later Prometheus has read the same figures all the time.
    const later = new Watcher()
    await later.scrape(service)
    await later.scrape(service)
    assert.deepEqual(whyOf(later, 'EaselDefect'), [])
  })
}

const noServer = findPostgres() === undefined && process.env.CI !== 'true' ? 'needs the binaries of PostgreSQL' : false

test('EaselRefusing fires while the database is away, with and without requests, and ends when it is back', {
  skip: noServer,
}, async () => {
  await using cluster = await startCluster({ durable: false })
  await using service = await startService({
    env: { DATABASE_URL: cluster.url('postgres') },
    statementDeadlineMs: 3_000,
  })
  const watcher = new Watcher()
  const ask = () => service.post('/users/track', { attributes: [{ external_id: 'anna' }] })
  await watcher.scrape(service)
  assert.equal((await ask()).status, 201)
  await untilQuiet(watcher, service)

  await cluster.stopNow()
  await until(watcher, service, ['EaselRefusing', 'database'])
  assert.deepEqual(whyOf(watcher, 'EaselRefusing'), ['database'])
  for (let i = 0; i < 2; i++) {
    assert.equal((await ask()).status, 503)
    await watcher.scrape(service)
  }
  assert.deepEqual(whyOf(watcher, 'EaselRefusing'), ['5xx', 'database'])

  await cluster.start()
  await until(watcher, service, ['EaselRefusing', 'database'], false)
  const after = new Watcher()
  await after.scrape(service)
  assert.equal((await ask()).status, 201)
  await until(after, service, ['EaselLate', 'failing'], false)
  await untilQuiet(after, service)
})

const mib = 1_048_576

test('EaselDiskNearlyFull fires below 1 GB, and below twice the size of an embedded database', async (t) => {
  const missing = smallDiskMissing()
  if (missing && process.env.CI === 'true' && process.getuid?.() === 0) assert.fail(missing)
  if (missing) return t.skip(missing)
  await using stack = new AsyncDisposableStack()
  const { path: dataDir } = stack.use(temporaryFolder())
  // A tmpfs takes memory for its files only, so a large one costs nothing.
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4G,mode=0700', 'tmpfs', dataDir])
  stack.defer(() => void execFileSync('umount', ['--lazy', dataDir]))
  const resize = (bytes: number) => execFileSync('mount', ['-o', `remount,size=${bytes}`, dataDir])
  const service = stack.use(await startService({ env: { EASEL_DATA: dataDir } }))
  const watcher = new Watcher()
  await untilQuiet(watcher, service)

  resize(900 * mib)
  await until(watcher, service, ['EaselDiskNearlyFull', 'absolute'])
  assert.deepEqual(whyOf(watcher, 'EaselDiskNearlyFull'), ['absolute'])
  const { blocks, bfree, bsize } = statfsSync(dataDir)
  resize((blocks - bfree) * bsize + watcher.valueOf('easel_database_bytes'))
  await until(watcher, service, ['EaselDiskNearlyFull', 'relative'])
  assertFires(watcher, 'EaselDiskNearlyFull')

  resize(4_096 * mib)
  await until(watcher, service, ['EaselDiskNearlyFull', 'absolute'], false)
  await untilQuiet(watcher, service)
})
