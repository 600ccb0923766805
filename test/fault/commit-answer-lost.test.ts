import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test, { describe, type TestContext } from 'node:test'
import { Chance } from '../../bench/chance.ts'
import { type Service, startService } from '../harness.ts'
import { ago, hourMs, many } from '../people.ts'
import { startChaosProxy } from '../servers/chaos-proxy.ts'
import { testPostgres } from '../servers/postgres.ts'
import { seed, sizes } from '../sizes.ts'
import { trapEngine } from './engine-trap.ts'
import { temporaryFolder } from './folders.ts'
import { Ledger, type Send } from './ledger.ts'
import { pause, summaryOf, underLoad } from './load.ts'

const senders = 8
const neighbours = 5
const pauseMsMax = 100
const timesPerLedger = 30

const remarks = {
  'request lost': 'a COMMIT that never reached the database is done again',
  'answer lost': 'a COMMIT that was done, but whose answer is lost, is not done again',
}

for (const [fate, remark] of Object.entries(remarks) as [keyof typeof remarks, string][]) {
  test(`${remark} (embedded)`, async () => {
    using folder = temporaryFolder()
    using engine = trapEngine()
    await using service = await startService({ env: { EASEL_DATA: folder.path } })
    await showOnce(service, () => engine.onCommit(fate))
    assert.equal(engine.commitsMet, 1)
  })

  test(`${remark} (PostgreSQL)`, async (t) => {
    const postgres = await testPostgres(t)
    if (!postgres) return
    const direct = await postgres.createDatabase(`commit_${randomUUID()}`)
    const proxy = await startChaosProxy(direct)
    t.after(() => proxy.close())
    await using service = await startService({ env: { DATABASE_URL: proxy.url } })
    await proxy.calm()
    await showOnce(service, () => (fate === 'request lost' ? proxy.cutBeforeCommit() : proxy.cutAfterCommit()))
    assert.equal(proxy.commitsCut, 1)
  })
}

test(`${sizes.enginesEnded} crashes of the embedded engine under load lose and double nothing`, async (t) => {
  using folder = temporaryFolder()
  using engine = trapEngine()
  await using service = await startService({ env: { EASEL_DATA: folder.path }, workspace: withoutExportLimit })
  await showLoad(t, service, sizes.enginesEnded, async (nth) => {
    if (nth % 3 === 0) engine.onCommit('answer lost')
    else if (nth % 3 === 1) engine.onCommit('request lost')
    else await engine.end()
  })
})

// The first of them is mostly waiting.
describe('a server whose connections break', { concurrency: 3 }, () => {
  test('a COMMIT whose outcome stays in doubt is answered 503, and nothing is done a second time', async (t) => {
    const postgres = await testPostgres(t)
    if (!postgres) return
    const proxy = await startChaosProxy(await postgres.createDatabase(`doubt_${randomUUID()}`))
    t.after(() => proxy.close())
    await using service = await startService({ env: { DATABASE_URL: proxy.url } })
    await proxy.calm()
    proxy.cutAfterCommit()
    const answer = service.post('/users/track', { attributes: [{ external_id: 'anna', total: { inc: 1 } }] })
    while (proxy.commitsCut === 0) await pause(1)
    proxy.refuse()
    const { status, headers, body } = await answer
    assert.deepEqual({ status, body }, { status: 503, body: { message: 'The outcome of this request is not known' } })
    assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
    proxy.pass()
    assert.deepEqual((await exported(service, { external_ids: ['anna'] })).custom_attributes, { total: 1 })
  })

  test('a request whose COMMIT nobody looks up afterwards is refused with 503', async (t) => {
    const postgres = await testPostgres(t)
    if (!postgres) return
    const proxy = await startChaosProxy(await postgres.createDatabase(`reads_${randomUUID()}`))
    t.after(() => proxy.close())
    await using service = await startService({ env: { DATABASE_URL: proxy.url } })
    await proxy.calm()
    for (const cut of [proxy.cutBeforeCommit, proxy.cutAfterCommit]) {
      cut()
      const exporting = { external_ids: ['anna'], fields_to_export: ['external_id'] }
      const { status, text, headers } = await service.post('/users/export/ids', exporting)
      assert.equal(status, 503, text)
      assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
    }
    assert.equal(proxy.commitsCut, 2)
  })

  test(`${sizes.connectionsCut} cuts of every connection under load lose and double nothing`, async (t) => {
    const postgres = await testPostgres(t)
    if (!postgres) return
    const proxy = await startChaosProxy(await postgres.createDatabase(`cuts_${randomUUID()}`))
    t.after(() => proxy.close())
    await using service = await startService({ env: { DATABASE_URL: proxy.url }, workspace: withoutExportLimit })
    await showLoad(t, service, sizes.connectionsCut, async (nth) => {
      if (nth % 3 === 0) proxy.cutAfterCommit()
      else if (nth % 3 === 1) proxy.cutBeforeCommit()
      else proxy.cut()
    })
  })
})

const withoutExportLimit = { settings: { rate_limits: { export_ids: 'unlimited' } } }

/** Under load, again and again: something goes wrong, then requests are taken again. */
async function showLoad(
  t: TestContext,
  service: Service,
  times: number,
  spoil: (nth: number) => Promise<void>,
): Promise<void> {
  t.diagnostic(`seed ${seed}`)
  const chance = new Chance(seed)
  const send: Send = (path, body) => service.post(path, body)
  for (let from = 0; from < times; from += timesPerLedger) {
    const ledger = new Ledger(`load${from}`, chance)
    await ledger.prepare(send)
    await underLoad(ledger, send, senders, async (until) => {
      for (let nth = from; nth < Math.min(times, from + timesPerLedger); nth++) {
        await pause(chance.below(pauseMsMax))
        await spoil(nth)
        const takenBefore = ledger.count('taken')
        await until('requests are taken again', () => ledger.count('taken') > takenBefore + senders)
      }
    })
    t.diagnostic(summaryOf(ledger, await ledger.check(send)))
  }
}

/** Requests that share a flush whose COMMIT goes wrong are all answered 201, and each has taken effect once. */
async function showOnce(service: Service, spoil: () => void): Promise<void> {
  const person = { external_id: 'anna', email: 'anna@example.com' }
  const visit = { external_id: person.external_id, name: 'visited', time: ago(hourMs) }
  // A name that nobody has used yet would ask the database before its request can wait for a flush.
  const first = await service.post('/users/track', { attributes: [{ ...person, total: 0 }], events: [visit] })
  assert.equal(first.status, 201)
  spoil()
  const answers = await Promise.all(
    many(neighbours, (i) =>
      service.post('/users/track', {
        attributes: [
          { email: person.email, total: { inc: 1 }, seen: { add: [i] } },
          { email: `new-${i}@example.com`, total: { inc: 1 } },
        ],
        events: [visit],
      }),
    ),
  )
  for (const { status, text } of answers) assert.equal(status, 201, text)
  const anna = await exported(service, { external_ids: [person.external_id] })
  assert.equal(anna.custom_attributes.total, neighbours)
  assert.equal(anna.custom_events[0].count, 1 + neighbours)
  assert.deepEqual(
    anna.custom_attributes.seen.toSorted(),
    many(neighbours, (i) => i),
  )
  for (let i = 0; i < neighbours; i++) {
    const newcomer = await exported(service, { email_address: `new-${i}@example.com` })
    assert.equal(newcomer.custom_attributes.total, 1)
  }
}

async function exported(service: Service, who: object) {
  const fields_to_export = ['custom_attributes', 'custom_events']
  const { text, body } = await service.post('/users/export/ids', { ...who, fields_to_export })
  assert.equal(body?.users?.length, 1, text)
  return body.users[0]
}
