import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { databases, type Service, startService } from '../support/harness.ts'
import { ago, dayMs } from '../support/people.ts'
import { countTalliedEvents } from '../support/tallies.ts'
import { checkInvariants } from './people-invariants.ts'
import { type Call, inWorld, names, programs, type World, workspace } from './people-programs.ts'
import { untilIdle } from './people-work.ts'

const clients = 8
const callsMax = 24
const skip = databases.includes('postgres') ? false : 'needs PostgreSQL: the test reads the tables'
let services: readonly Service[] = []
let client: pg.Client

before(async () => {
  if (skip) return
  const url = await newDatabase('together')
  const options = { database: 'postgres', env: { DATABASE_URL: url } } as const
  services = [await startService({ ...options, workspace }), await startService(options)]
  client = new pg.Client(url)
  await client.connect()
})

after(async () => {
  await client?.end()
  for (const service of services) await service[Symbol.asyncDispose]()
})

test('the data of people stays consistent while clients of two processes send all kinds of requests at once', {
  skip,
}, async (t) => {
  t.diagnostic(`seed ${seed}`)
  const reported = new Set<string>()
  for (let round = 0; round < sizes.peopleTogetherRounds; round++) {
    const world = { number: round, service_ids: [], startMs: Date.now() }
    const withDeletions = round % 2 === 1
    const all = fc
      .sample(programs(callsMax), { seed: seed + round, numRuns: clients })
      .map((program) => program.filter(({ path }) => withDeletions || path !== '/users/delete'))
    const ends = await Promise.allSettled(all.map((program, i) => run(services[i % 2]!, program, world)))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    for (const service of services) await untilIdle(service)
    const tracked = all.reduce((sum, program) => sum + program.length, 0)
    assert.equal(
      await countTallies(world),
      tracked,
      'each accepted event belongs to a person, or is counted as deleted',
    )
    await checkInvariants(client, reported)
    if (!withDeletions)
      assert.deepEqual(await outdated(world), [], 'a person has an older e-mail state than their address')
  }
})

/** Sends the requests of a client, none of which may fail, each with an event that creates its person if necessary. */
async function run(service: Service, program: readonly Call[], world: World): Promise<void> {
  for (const [i, { path, body }] of program.entries()) {
    const { status, text } = await service.post(path, inWorld(body, world))
    assert.ok(status < 300, `${path} ${text}`)
    const external_id = names.external_ids[i % names.external_ids.length]
    const event = { external_id, name: 'tally~', time: ago(dayMs) }
    const tally = await service.post('/users/track', inWorld({ events: [event] }, world))
    assert.equal(tally.status, 201, tally.text)
  }
}

function countTallies(world: World): Promise<number> {
  return countTalliedEvents(async (text) => (await client.query(text)).rows, inWorld('tally~', world))
}

/**
 * Returns people whose e-mail state is older than that of their address. Only without deletions: the state that a deletion leaves at
 * an address is for later people, not for present ones.
 */
async function outdated(world: World): Promise<unknown[]> {
  const { rows } = await client.query(
    `select p.email, p.email_subscribe, p.email_subscribe_at, a.state, a.stamp from profile p join address_state a
      on a.kind = 'email' and a.group_id = 0 and a.value = encode(sha256((select secret from installation) ||
        convert_to(p.workspace_id::text || chr(31) || 'email' || chr(31) || p.email, 'UTF8')), 'hex')
    where p.email = any($1) and (p.email_subscribe_at is null or p.email_subscribe_at < a.stamp)`,
    [inWorld(names.emails, world)],
  )
  return rows
}
