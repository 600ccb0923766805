import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import test from 'node:test'
import { pino } from 'pino'
import { systemClock } from '../../src/base/clock.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import { openDb } from '../../src/base/db/open.ts'
import { testPostgres } from '../servers/postgres.ts'
import { quiet } from '../support/databases.ts'
import { type Database, drawDatabases, type Service, startService } from '../support/harness.ts'
import { ago, hourMs, type Item, many } from '../support/people.ts'
import { temporaryFolder } from './folders.ts'

const roundsMax = 5
const neighbours = 40

/** Constraints that refuse values which the validation accepts. */
const constraints = `
  alter table profile add constraint no_poison check (not custom ? 'poison');
  alter table event add constraint no_poison check (properties is null or properties not like '%poison%');`

const poisons: { [place: string]: Item } = {
  'an attribute': { attributes: [{ external_id: 'anna', total: { inc: 100 }, poison: true }] },
  'a new person': { attributes: [{ external_id: 'victim', poison: true }] },
  'an event': {
    attributes: [{ external_id: 'anna', total: { inc: 100 } }],
    events: [
      { external_id: 'victim', name: 'visited', time: ago(hourMs) },
      { external_id: 'anna', name: 'visited', time: ago(hourMs), properties: { poison: true } },
    ],
  },
}

for (const database of drawDatabases('poisoned-request')) {
  test(`a request that the database refuses fails completely, and the others of its flush succeed (${database})`, async () => {
    using folder = temporaryFolder()
    const env = await prepared(database, folder.path)
    const { log, lines } = capture()
    await using service = await startService({ env, log })
    const visit = { external_id: 'anna', name: 'visited', time: ago(hourMs) }
    // A new identifier would delay its request until it has an id.
    await service.post('/users/track', { events: [visit] })
    let visits = 1
    /** Sends the refused request with others. Returns whether it shared its flush with them. */
    const sendAmong = async (place: string, poison: Item): Promise<boolean> => {
      await service.post('/users/track', { attributes: [{ external_id: 'anna', total: 0, seen: null }] })
      const bisectsBefore = await bisects(service)
      lines.length = 0
      const mates = many(neighbours, (i) => ({
        attributes: [{ external_id: 'anna', total: { inc: 1 }, seen: { add: [i] } }],
        events: [visit],
      }))
      visits += neighbours
      const bodies = [...mates.slice(0, neighbours / 2), poison, ...mates.slice(neighbours / 2)]
      const answers = await Promise.all(bodies.map((body) => service.post('/users/track', body)))

      const refused = answers.filter(({ status }) => status !== 201)
      const refusals = refused.map(({ status, body }) => ({ status, body }))
      assert.deepEqual(refusals, [{ status: 500, body: { message: 'Internal error' } }], place)
      assert.equal(answers.indexOf(refused[0]!), neighbours / 2, place)
      const isSplit = (await bisects(service)) > bisectsBefore
      const isTold = lines.some(({ msg }) => msg.startsWith('the database refused a flush'))
      assert.equal(isTold, isSplit, `${place}: a split flush is counted and logged`)
      assert.equal(lines.filter(({ status, err }) => status === 500 && err?.code === '23514').length, 1, place)

      const fields_to_export = ['external_id', 'custom_attributes', 'custom_events']
      const { body } = await service.post('/users/export/ids', { external_ids: ['anna', 'victim'], fields_to_export })
      assert.equal(body.users.length, 1, `${place}: the refused request created nobody`)
      const [{ custom_attributes, custom_events }] = body.users
      assert.equal(custom_attributes.total, neighbours, place)
      assert.deepEqual(
        custom_attributes.seen.toSorted(order),
        many(neighbours, (i) => i),
        place,
      )
      assert.equal(custom_events[0].count, visits, place)
      return isSplit
    }
    for (const [place, poison] of Object.entries(poisons)) {
      // Sometimes it is the only request of its flush, which proves less.
      for (let round = 1; !(await sendAmong(place, poison)); round++) {
        assert.ok(round < roundsMax, `${place}: the flush was split and counted`)
      }
    }
  })
}

/** Creates a migrated database with the constraints. Returns the environment for its service. */
async function prepared(database: Database, dataDir: string): Promise<{ [name: string]: string }> {
  const server = database === 'postgres' ? await testPostgres() : undefined
  const databaseUrl = await server?.createDatabase(`poisoned_${randomUUID()}`)
  const clock = systemClock()
  const db = await openDb({ dataDir, ...(databaseUrl && { databaseUrl }), log: quiet, clock })
  await migrate(db, clock)
  await db.execute(constraints)
  await db.close()
  return { EASEL_DATA: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
}

type Line = { msg: string; status?: number; err?: { code?: string } }

function capture() {
  const lines: Line[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  return { log: pino({ level: 'error' }, stream), lines }
}

async function bisects({ get }: Service): Promise<number> {
  return Number(/^easel_intake_bisects_total (\d+)$/m.exec((await get('/metrics')).text)?.[1])
}

function order(a: number, b: number): number {
  return a - b
}
