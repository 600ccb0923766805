import assert from 'node:assert/strict'
import test from 'node:test'
import { Random } from '../../bench/random.ts'
import { long, seed, sizes } from '../sizes.ts'
import { drawDatabases, type Spawned } from '../support/harness.ts'
import { Ledger, type Send } from './ledger.ts'
import { placeFor } from './restarts.ts'

const senders = 16
/** The kill comes within this time after the first acknowledgement. */
const loadMsMax = long ? 1_500 : 500

for (const database of drawDatabases('killed-under-load')) {
  test(`each acknowledged update takes effect once and completely through ${sizes.kills} kills under load (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    await using place = await placeFor(database)
    const ledgers: Ledger[] = []
    const check = async (ledger: Ledger, service: Pick<Spawned, 'post'>) => {
      const present = await ledger.check(sendTo(service))
      const counts = `${ledger.size} requests, ${ledger.count('taken')} acknowledged, ${present} there`
      t.diagnostic(`kill ${ledgers.indexOf(ledger)}: ${counts}`)
    }
    for (let kill = 0; kill < sizes.kills; kill++) {
      const service = await place.start()
      if (kill === 0) await withoutExportLimit(service)
      else await check(ledgers.at(-1)!, service)
      const ledger = new Ledger(`k${kill}`, chance)
      ledgers.push(ledger)
      await ledger.prepare(sendTo(service))
      await loadUntilKilled(ledger, service, chance.below(loadMsMax))
      await place.settled()
    }
    await using service = await place.look()
    for (const ledger of ledgers) await check(ledger, service)
  })
}

async function withoutExportLimit(service: Spawned): Promise<void> {
  const workspace = { settings: { rate_limits: { export_ids: 'unlimited' } } }
  const { status, text } = await service.post('/admin/apply', workspace, { key: service.adminToken })
  assert.ok(status < 300, text)
}

function sendTo(service: Pick<Spawned, 'post'>): Send {
  return (path, body) => service.post(path, body)
}

async function loadUntilKilled(ledger: Ledger, service: Spawned, afterMs: number): Promise<void> {
  const stop = new AbortController()
  const untilItDies: typeof service.post = (path, body) => service.post(path, body).catch(() => undefined as never)
  const loading = ledger.load(untilItDies, senders, stop.signal)
  while (ledger.count('taken') === 0) await new Promise((resume) => setTimeout(resume, 1))
  await new Promise((resume) => setTimeout(resume, afterMs))
  const { signal } = await service.kill('SIGKILL')
  stop.abort()
  await loading
  assert.equal(signal, 'SIGKILL')
}
