import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { newDatabase } from '../servers/template.ts'
import { long, seed, sizes } from '../sizes.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { groups } from '../support/people.ts'
import { checkInvariants } from './people-invariants.ts'
import { look } from './people-look.ts'
import { Model, type Outcome } from './people-model.ts'
import { type Call, inWorld, programs, workspace } from './people-programs.ts'
import { rules } from './people-rules.ts'
import { outcomesOf, untilIdle } from './people-work.ts'

const worlds = 8
const callsMax = 30
const callsPerLook = 4
/** The search for a smaller example ends early enough for its report. */
const runMsMax = long ? 2_000_000 : 60_000
const workPaths = ['/users/merge', '/users/delete', '/users/identify']
const channels = Object.fromEntries(
  Object.values(groups).map(({ id, channel }) => [id, channel === 'sms' ? 'phone' : 'email'] as const),
)
let made = 0

for (const database of drawDatabases('people-model')) {
  describe(`people of random programs (${database})`, () => {
    /** Two services where they can share a database: one must see at once what the other does. */
    let services: Service[] = []
    let client: pg.Client | undefined
    const reported = new Set<string>()

    before(async () => {
      if (database === 'pglite') services = [await startService({ workspace })]
      if (database === 'pglite') return
      const DATABASE_URL = await newDatabase('people')
      const options = { database, env: { DATABASE_URL } }
      services = [await startService({ ...options, workspace }), await startService(options)]
      client = new pg.Client(DATABASE_URL)
      await client.connect()
    })

    after(async () => {
      await client?.end()
      for (const service of services) await service[Symbol.asyncDispose]()
    })

    test('are equal to the people of a simple model after the same requests', async (t) => {
      t.diagnostic(`seed ${seed}`)
      const property = fc.asyncProperty(programs(callsMax), async (program) => {
        await run(services, program)
        await untilIdle(services[0]!)
        if (client) await checkInvariants(client, reported)
      })
      await fc.assert(property, { seed, numRuns: sizes.peopleModelRuns, interruptAfterTimeLimit: runMsMax })
    })

    test('do not change each other when many workspaces of people run at once', async (t) => {
      t.diagnostic(`seed ${seed}`)
      const all = fc.sample(programs(callsMax), { seed, numRuns: sizes.peopleCrowdRuns * worlds })
      while (all.length > 0) {
        const ends = await Promise.allSettled(all.splice(0, worlds).map((program) => run(services, program)))
        for (const end of ends) if (end.status === 'rejected') throw end.reason
      }
      await untilIdle(services[0]!)
      if (client) await checkInvariants(client, reported)
    })
  })
}

/** Sends the requests of a world one after the other, and compares every few of them. Waits for queued work only before other requests. */
async function run(services: readonly Service[], program: readonly Call[]): Promise<void> {
  const model = new Model(channels)
  const world = { number: made++, startMs: Date.now(), service_ids: model.service_ids }
  const accepted: { request_id: string; outcomes: readonly Outcome[] }[] = []
  const catchUp = async () => {
    for (const { request_id, outcomes } of accepted.splice(0)) {
      assert.deepEqual(await outcomesOf(services[0]!, request_id), outcomes, 'outcomes: the service, then the model')
    }
  }
  for (const [i, { path, body }] of program.entries()) {
    const service = services[i % services.length]!
    if (!workPaths.includes(path)) await catchUp()
    const real = inWorld(body, world)
    const { status, text, headers, body: answer } = await service.post(path, real)
    const { outcomes, ...expected } = rules[path]!(model, real)
    assert.equal(status, expected.status, `${path} ${text}`)
    for (const [member, value] of Object.entries(expected.answer)) assert.deepEqual(answer[member], value, text)
    assert.equal(answer.errors, undefined, text)
    if (outcomes) accepted.push({ request_id: String(headers['x-request-id']), outcomes })
    const isLast = i === program.length - 1
    if (!isLast && i % callsPerLook < callsPerLook - 1) continue
    await catchUp()
    await look(service, model, world, isLast)
  }
}
