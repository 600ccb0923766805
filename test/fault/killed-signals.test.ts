import assert from 'node:assert/strict'
import test from 'node:test'
import { Random } from '../../bench/random.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { newDatabase } from '../servers/template.ts'
import { long, seed, sizes } from '../sizes.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases, type Service, type Spawned, spawnService, startService } from '../support/harness.ts'
import { many } from '../support/people.ts'
import { temporaryFolder } from './folders.ts'
import { pause } from './load.ts'

const kills = sizes.killsAtSignals
const crowd = sizes.peopleAtSignals
const senders = long ? 4 : 2
const eventsEach = crowd / 5
/** A person with more signals than the workers can process would delay others. */
const betweenSendsMs = 40
const betweenKillsMs = long ? 1_000 : 500
/** Requests that are answered before each kill, however slow the machine is. */
const acceptedBetweenKills = 6
const patienceMs = 240_000

/** People enter this canvas at one event and leave it at another. */
const canvas = {
  ...{ id: 'heard', name: 'Heard', state: 'active', first: 'wait' },
  entry: { by: ['event'], event: { name: 'begun' }, again: 'always' },
  exit: { events: ['over'] },
  steps: [{ id: 'wait', type: 'delay', for: 'P3D' }],
}

for (const database of drawDatabases('kills at signals')) {
  test(`each accepted event is processed once and in order when processes are killed ${kills} times (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    await using stack = new AsyncDisposableStack()
    const { path: dataDir } = stack.use(temporaryFolder())
    const databaseUrl = database === 'postgres' ? await newDatabase('killed_signals') : undefined
    const env = { EASEL_DATA: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
    let db: Db | undefined
    const opened = (own: Db) => {
      db ??= own
    }
    // Services are killed in the order of their start. The last one is not killed and needs no separate process.
    let started = 0
    const start = async (): Promise<Running> =>
      stack.use(await (started++ < kills ? spawnService({ dataDir, env }) : startService({ env, opened })))
    const services = [await start(), ...(databaseUrl ? [await start()] : [])]
    const applied = await services[0]!.post('/admin/apply', { canvases: [canvas] }, { key: services[0]!.adminToken })
    assert.equal(applied.status, 200, applied.text)

    const stop = new AbortController()
    let accepted = 0
    const onAccepted = () => accepted++
    const sending = many(senders, (i) => send(() => services[i % services.length]!, chance, stop.signal, onAccepted))
    const untilAccepted = (wanted = accepted + acceptedBetweenKills) =>
      eventually('events are accepted', () => accepted >= wanted)
    for (let kill = 0; kill < kills; kill++) {
      await untilAccepted()
      await pause(betweenKillsMs + chance.below(betweenKillsMs))
      const which = kill % services.length
      const killed = services[which]!
      assert.ok('kill' in killed)
      await killed.kill('SIGKILL')
      services[which] = await start()
    }
    await untilAccepted()
    stop.abort()
    await Promise.all(sending)
    const last = await services[0]!.post('/users/track', { events: many(crowd, (i) => event(i, 'over')) })
    assert.equal(last.status, 201, last.text)
    await allHeard(services[0]!)

    const people = await listPeople(db!)
    assert.equal(people.length, crowd)
    const begun = people.reduce((sum, each) => sum + each.begun, 0)
    t.diagnostic(`${begun} entries`)
    assert.ok(begun > crowd)
    for (const each of people) assert.deepEqual([each.entered, each.left, each.counted], Array(3).fill(each.begun))
  })
}

type Running = Spawned | Service

function event(number: number, name: string): object {
  return { external_id: `p${number}`, name, time: '2026-01-01T00:00:00Z' }
}

/** Sends events until it is stopped. A killed process may have accepted the last one or not. */
async function send(service: () => Running, chance: Random, stop: AbortSignal, onAccepted: () => void): Promise<void> {
  while (!stop.aborted) {
    const events = many(eventsEach, () => event(chance.below(crowd), chance.below(3) === 0 ? 'over' : 'begun'))
    const [answer] = await Promise.allSettled([service().post('/users/track', { events })])
    if (answer.status === 'fulfilled' && answer.value.status === 201) onAccepted()
    await pause(betweenSendsMs)
  }
}

async function allHeard(service: Running): Promise<void> {
  for (let ms = 0; ; ms += 100) {
    const { text } = await service.get('/metrics', { key: service.adminToken })
    if (/^easel_signals_waiting 0$/m.test(text)) return
    assert.ok(ms < patienceMs, 'everything is processed')
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
      -- a person who never began has no row
      coalesce((select r.entries from received r where r.bucket = p.bucket and r.profile_id = p.profile_id), 0) as counted
    from profile p`)
}
