import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import { Chance } from '../../bench/chance.ts'
import { type Service, startService } from '../harness.ts'
import { many } from '../people.ts'
import { startChaosProxy } from '../servers/chaos-proxy.ts'
import { testPostgres } from '../servers/postgres.ts'
import { seed, sizes } from '../sizes.ts'
import { trapEngine } from './engine-trap.ts'
import { temporaryFolder } from './folders.ts'
import { Ledger, type Send } from './ledger.ts'

const senders = 8
const neighbours = 5
const pauseMsMax = 100

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
    await showOnce(service, () => (fate === 'request lost' ? proxy.cutBeforeCommit() : proxy.cutAfterCommit()))
    assert.equal(proxy.commitsCut, 1)
  })
}

test('a COMMIT whose outcome stays in doubt is answered 503, and nothing is done a second time', async (t) => {
  const postgres = await testPostgres(t)
  if (!postgres) return
  const proxy = await startChaosProxy(await postgres.createDatabase(`doubt_${randomUUID()}`))
  t.after(() => proxy.close())
  await using service = await startService({ env: { DATABASE_URL: proxy.url } })
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
  const ledger = new Ledger('load', chance)
  const send: Send = (path, body) => service.post(path, body)
  await ledger.prepare(send)
  const stop = new AbortController()
  const loading = ledger.load(send, senders, stop.signal)
  for (let nth = 0; nth < times; nth++) {
    await pause(chance.below(pauseMsMax))
    await spoil(nth)
    const takenBefore = ledger.count('taken')
    while (ledger.count('taken') < takenBefore + senders) await pause(5)
  }
  stop.abort()
  await loading
  const present = await ledger.check(send)
  const told = `${ledger.count('taken')} acknowledged, ${ledger.count('refused')} refused, ${present} there`
  t.diagnostic(`${ledger.size} requests, ${told}`)
}

/** Requests that share a flush whose COMMIT goes wrong are all answered 201, and each has taken effect once. */
async function showOnce(service: Service, spoil: () => void): Promise<void> {
  const person = { external_id: 'anna', email: 'anna@example.com' }
  assert.equal((await service.post('/users/track', { attributes: [{ ...person, total: 0 }] })).status, 201)
  spoil()
  const answers = await Promise.all(
    many(neighbours, (i) =>
      service.post('/users/track', {
        attributes: [
          { email: person.email, total: { inc: 1 }, seen: { add: [i] } },
          { email: `new-${i}@example.com`, total: { inc: 1 } },
        ],
        events: [{ external_id: person.external_id, name: 'visited', time: '2026-01-01T00:00:00Z' }],
      }),
    ),
  )
  for (const { status, text } of answers) assert.equal(status, 201, text)
  const anna = await exported(service, { external_ids: [person.external_id] })
  assert.equal(anna.custom_attributes.total, neighbours)
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

function pause(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms))
}
