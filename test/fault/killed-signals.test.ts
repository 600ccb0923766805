import assert from 'node:assert/strict'
import test from 'node:test'
import { Chance } from '../../bench/chance.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { openDb } from '../../src/base/db/open.ts'
import { sql } from '../../src/base/db/sql.ts'
import { quiet } from '../databases.ts'
import { databases, type Spawned, spawnService } from '../harness.ts'
import { many } from '../people.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { temporaryFolder } from './folders.ts'
import { pause } from './load.ts'

const kills = sizes.killsAtSignals
const crowd = 40
const senders = 4
const eventsEach = 8
/** Somebody to whom more happens than can be acted upon keeps others waiting. */
const betweenSendsMs = 40
const betweenKillsMs = 1_000
const patienceMs = 60_000

/** Entered whenever something begins, and left when it is over. */
const canvas = {
  ...{ id: 'heard', name: 'Heard', state: 'active', first: 'wait' },
  entry: { by: ['event'], event: { name: 'begun' }, again: 'always' },
  exit: { events: ['over'] },
  steps: [{ id: 'wait', type: 'delay', for: 'P3D' }],
}

for (const database of databases) {
  test(`what was accepted is acted upon once, in order, through ${kills} kills (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Chance(seed)
    await using stack = new AsyncDisposableStack()
    const { path: dataDir } = stack.use(temporaryFolder())
    const databaseUrl = database === 'postgres' ? await newDatabase('killed_signals') : undefined
    const env = { ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
    const start = async () => stack.use(await spawnService({ dataDir, env }))
    const services = [await start(), ...(databaseUrl ? [await start()] : [])]
    const applied = await services[0]!.post('/admin/apply', { canvases: [canvas] }, { key: services[0]!.adminToken })
    assert.equal(applied.status, 200, applied.text)

    const stop = new AbortController()
    const sending = many(senders, (i) => send(() => services[i % services.length]!, chance, stop.signal))
    for (let kill = 0; kill < kills; kill++) {
      await pause(betweenKillsMs + chance.below(betweenKillsMs))
      const which = kill % services.length
      await services[which]!.kill('SIGKILL')
      services[which] = await start()
    }
    await pause(betweenKillsMs)
    stop.abort()
    await Promise.all(sending)
    const last = await services[0]!.post('/users/track', { events: many(crowd, (i) => event(i, 'over')) })
    assert.equal(last.status, 201, last.text)
    await allHeard(services[0]!)
    for (const service of services) await service.stop()

    const db = await openDb({ dataDir, ...(databaseUrl && { databaseUrl }), log: quiet, clock: systemClock() })
    stack.defer(() => db.close())
    const people = await listPeople(db)
    assert.equal(people.length, crowd)
    const begun = people.reduce((sum, each) => sum + each.begun, 0)
    t.diagnostic(`${begun} times somebody entered`)
    assert.ok(begun > crowd)
    for (const each of people) assert.deepEqual([each.entered, each.left, each.counted], Array(3).fill(each.begun))
  })
}

function event(number: number, name: string): object {
  return { external_id: `p${number}`, name, time: '2026-01-01T00:00:00Z' }
}

/** Tells what happens until it is stopped; who is killed may have accepted it or not. */
async function send(service: () => Spawned, chance: Chance, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const events = many(eventsEach, () => event(chance.below(crowd), chance.below(3) === 0 ? 'over' : 'begun'))
    await Promise.allSettled([service().post('/users/track', { events })])
    await pause(betweenSendsMs)
  }
}

async function allHeard(service: Spawned): Promise<void> {
  for (let ms = 0; ; ms += 100) {
    const { text } = await service.get('/metrics', { key: service.adminToken })
    if (/^easel_signals_waiting 0$/m.test(text)) return
    assert.ok(ms < patienceMs, 'everything is acted upon')
    await pause(100)
  }
}

type Person = { begun: number; entered: number; left: number; counted: number }

function listPeople(db: Db): Promise<Person[]> {
  return db.query<Person>(sql`
    select
      (select count(*)::int from event v join name n on n.name_id = v.name_id and n.name = 'begun'
        where v.bucket = p.bucket and v.profile_id = p.profile_id) as begun,
      (select count(*)::int from entry e where e.bucket = p.bucket and e.profile_id = p.profile_id) as entered,
      (select count(*)::int from entry e
        where e.bucket = p.bucket and e.profile_id = p.profile_id and e.ended = 'exited') as left,
      (select r.entries from received r where r.bucket = p.bucket and r.profile_id = p.profile_id) as counted
    from profile p`)
}
