import assert from 'node:assert/strict'
import test, { after, before, describe, type TestContext } from 'node:test'
import { Random } from '../../bench/random.ts'
import { type ChaosProxy, startChaosProxy } from '../servers/chaos-proxy.ts'
import { testPostgres } from '../servers/postgres.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { type Service, startService } from '../support/harness.ts'
import { ago, hourMs, many } from '../support/people.ts'
import { type EngineTrap, trapEngine } from './engine-trap.ts'
import { temporaryFolder } from './folders.ts'
import { Ledger, outcomeUnknown, type Send } from './ledger.ts'
import { becomesReady, pause, summaryOf, underLoad } from './load.ts'

const senders = 8
const neighbours = 5
const pauseMsMax = 100
const timesPerLedger = 30
const attemptsMax = 5

const remarks = {
  'request lost': 'a COMMIT that never reached the database is repeated',
  'answer lost': 'a COMMIT whose answer is lost is not repeated',
}

const fates = Object.entries(remarks) as [keyof typeof remarks, string][]

// The first test mostly waits.
describe('a database that disconnects at a COMMIT', { concurrency: 2 }, () => {
  test('a request whose COMMIT has an unknown outcome is answered 503, and is not applied twice', async (t) => {
    if (!(await testPostgres(t))) return
    await using place = await behindProxy()
    const { proxy, service } = place
    await proxy.calm()
    proxy.cutAfterCommit('anna')
    const answer = service.post('/users/track', { attributes: [{ external_id: 'anna', total: { inc: 1 } }] })
    while (proxy.commitsCut === 0) await pause(1)
    proxy.refuse()
    const { status, headers, body } = await answer
    assert.deepEqual({ status, body }, { status: 503, body: { message: outcomeUnknown } })
    assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
    proxy.pass()
    assert.deepEqual((await exported(service, { external_ids: ['anna'] })).custom_attributes, { total: 1 })
  })

  describe('and recovers at once', { concurrency: 1 }, () => {
    describe('embedded', { concurrency: 1 }, onEngine)
    describe('a server', { concurrency: 1 }, onServer)
  })
})

function onEngine(): void {
  const stack = new AsyncDisposableStack()
  let engine: EngineTrap
  let service: Service
  before(async () => {
    const folder = stack.use(temporaryFolder())
    engine = stack.use(trapEngine())
    service = stack.use(await startService({ env: { EASEL_DATA: folder.path }, workspace: withoutExportLimit }))
  })
  after(() => stack.disposeAsync())

  for (const [fate, remark] of fates) {
    test(`${remark} (embedded)`, async () => {
      const metBefore = engine.commitsMet
      const attempts = await showOnce(service, fate, () => engine.onCommit(fate))
      assert.equal(engine.commitsMet, metBefore + attempts)
    })
  }

  test(`${sizes.enginesEnded} crashes of the embedded engine under load lose and double nothing`, async (t) => {
    await showLoad(t, service, sizes.enginesEnded, async (nth) => {
      if (nth % 3 === 0) engine.onCommit('answer lost')
      else if (nth % 3 === 1) engine.onCommit('request lost')
      else await engine.end()
    })
  })
}

function onServer(): void {
  let place: Behind | undefined
  before(async () => {
    if (await testPostgres()) place = await behindProxy()
  })
  after(() => place?.[Symbol.asyncDispose]())

  const testBehind = (title: string, body: (own: Behind, t: TestContext) => Promise<void>) =>
    test(title, async (t) => {
      if (!(await testPostgres(t))) return
      await place!.proxy.calm()
      await body(place!, t)
    })

  for (const [fate, remark] of fates) {
    testBehind(`${remark} (PostgreSQL)`, async ({ proxy, service }) => {
      const cutBefore = proxy.commitsCut
      const cut = fate === 'request lost' ? proxy.cutBeforeCommit : proxy.cutAfterCommit
      const attempts = await showOnce(service, fate, cut)
      assert.equal(proxy.commitsCut, cutBefore + attempts)
    })
  }

  testBehind(
    'a request is refused with 503 when the service does not look up the outcome of its COMMIT',
    async ({ proxy, service }) => {
      const cutBefore = proxy.commitsCut
      for (const cut of [proxy.cutBeforeCommit, proxy.cutAfterCommit]) {
        cut('anna')
        const exporting = { external_ids: ['anna'], fields_to_export: ['external_id'] }
        const { status, text, headers } = await service.post('/users/export/ids', exporting)
        assert.equal(status, 503, text)
        assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
      }
      assert.equal(proxy.commitsCut, cutBefore + 2)
    },
  )

  const title = `${sizes.connectionsCut} cuts of every connection under load lose and double nothing`
  testBehind(title, async ({ proxy, service }, t) => {
    await showLoad(t, service, sizes.connectionsCut, async (nth) => {
      if (nth % 3 === 0) proxy.cutAfterCommit()
      else if (nth % 3 === 1) proxy.cutBeforeCommit()
      else proxy.cut()
    })
  })
}

type Behind = AsyncDisposable & { readonly service: Service; readonly proxy: ChaosProxy }

async function behindProxy(): Promise<Behind> {
  await using stack = new AsyncDisposableStack()
  const proxy = await startChaosProxy(await newDatabase('commit'))
  stack.defer(() => proxy.close())
  const env = { DATABASE_URL: proxy.url }
  const service = stack.use(await startService({ env, workspace: withoutExportLimit }))
  const kept = stack.move()
  return { service, proxy, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

const withoutExportLimit = { settings: { rate_limits: { export_ids: 'unlimited' } } }

/** Causes faults under load. Waits after each until requests are accepted again. */
async function showLoad(
  t: TestContext,
  service: Service,
  times: number,
  spoil: (nth: number) => Promise<void>,
): Promise<void> {
  t.diagnostic(`seed ${seed}`)
  const chance = new Random(seed)
  const send: Send = (path, body) => service.post(path, body)
  for (let from = 0; from < times; from += timesPerLedger) {
    const ledger = new Ledger(`load${from}`, chance)
    await becomesReady(service)
    await ledger.prepare(send)
    await underLoad(ledger, send, senders, async (until) => {
      for (let nth = from; nth < Math.min(times, from + timesPerLedger); nth++) {
        await pause(chance.below(pauseMsMax))
        await spoil(nth)
        const takenBefore = ledger.count('taken')
        await until('requests are accepted again', () => ledger.count('taken') > takenBefore + senders)
      }
    })
    t.diagnostic(summaryOf(ledger, await ledger.check(send)))
  }
}

/**
 * Sends requests that share a flush whose COMMIT fails. All must be answered 201, and each must have taken effect once. On a busy machine
 * the database may be away for longer than a request waits. Then the same is done with other people. Returns how often it was done.
 */
async function showOnce(service: Service, fate: string, spoil: () => void): Promise<number> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    await becomesReady(service)
    if (await isShownOnce(service, `${fate.replace(' ', '-')}-${attempt}`, spoil)) return attempt
  }
  assert.fail(`requests were answered 503 in each of ${attemptsMax} attempts`)
}

/** Returns false when a request was answered 503. */
async function isShownOnce(service: Service, name: string, spoil: () => void): Promise<boolean> {
  const domain = `${name}.example.com`
  const person = { external_id: `anna of ${name}`, email: `anna@${domain}` }
  const visit = { external_id: person.external_id, name: 'visited', time: ago(hourMs) }
  // A new identifier would need a query before its request can wait for a flush.
  const first = await service.post('/users/track', { attributes: [{ ...person, total: 0 }], events: [visit] })
  assert.equal(first.status, 201)
  spoil()
  const answers = await Promise.all(
    many(neighbours, (i) =>
      service.post('/users/track', {
        attributes: [
          { email: person.email, total: { inc: 1 }, seen: { add: [i] } },
          { email: `new-${i}@${domain}`, total: { inc: 1 } },
        ],
        events: [visit],
      }),
    ),
  )
  if (answers.some(({ status }) => status === 503)) return false
  for (const { status, text } of answers) assert.equal(status, 201, text)
  const anna = await exported(service, { external_ids: [person.external_id] })
  assert.equal(anna.custom_attributes.total, neighbours)
  assert.equal(anna.custom_events[0].count, 1 + neighbours)
  assert.deepEqual(
    anna.custom_attributes.seen.toSorted(),
    many(neighbours, (i) => i),
  )
  for (let i = 0; i < neighbours; i++) {
    const newcomer = await exported(service, { email_address: `new-${i}@${domain}` })
    assert.equal(newcomer.custom_attributes.total, 1)
  }
  return true
}

async function exported(service: Service, who: object) {
  const fields_to_export = ['custom_attributes', 'custom_events']
  const { text, body } = await service.post('/users/export/ids', { ...who, fields_to_export })
  assert.equal(body?.users?.length, 1, text)
  return body.users[0]
}
