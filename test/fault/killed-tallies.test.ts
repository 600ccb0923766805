import assert from 'node:assert/strict'
import test from 'node:test'
import { Random } from '../../bench/random.ts'
import type { Db } from '../../src/base/db/db.ts'
import { readOnlySnapshot } from '../../src/base/db/transaction-settings.ts'
import { Graphs } from '../../src/messaging/flows/graphs.ts'
import { type StandingServices, standingReader } from '../../src/messaging/inspect/read-standing.ts'
import { type MailServer, startMailServer } from '../servers/smtp.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { canvas, message } from '../support/canvases.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases, type Service, type Spawned, spawnService, startService } from '../support/harness.ts'
import { apps, type Item, many } from '../support/people.ts'
import { countStepRows, countsOfStanding, deletedRows, readStepRows, type StepRows } from '../support/step-counts.ts'
import { temporaryFolder } from './folders.ts'
import { pause } from './load.ts'

const kills = sizes.killsAtTallies
const crowd = sizes.peopleAtTallies
/** People who are merged while they walk, and those who are merged and deleted once they rest: parts of the crowd. */
const part = Math.floor(crowd / 8)
/** A kill in the middle of merges and deletions comes within this time after the first answer. */
const killMsMax = 150
const isOdd = { custom_attribute: { custom_attribute_name: 'odd', comparison: 'equals', value: true } }
const rest = 'rest'

/** Everybody gets two mails, then rests or ends. Some people have no address. Transactional: an uncertain mail is sent again. */
const walk = canvas(
  'walk',
  [
    message('hello', 'wait'),
    { id: 'wait', type: 'delay', for: 'PT1S', next: 'odd' },
    { id: 'odd', type: 'decision', audience: isOdd, yes: 'one', no: 'two' },
    message('one', rest),
    message('two', 'half'),
    {
      ...{ id: 'half', type: 'experiment' },
      paths: [
        { name: 'Stay', percent: 80, next: rest },
        { name: 'Go', percent: 20, next: 'bye' },
      ],
    },
    { id: 'bye', type: 'update_user', attributes: { left: true } },
    { id: rest, type: 'delay', for: 'P1D' },
  ],
  { entry: { by: ['api'], again: 'never' } },
)
const nameOf = (i: number) => `p${i}`

for (const database of drawDatabases('kills at tallies')) {
  test(`counts of a canvas are those of its rows when the service is killed ${2 * kills} times (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    await using stack = new AsyncDisposableStack()
    const { path: dataDir } = stack.use(temporaryFolder())
    const server = await startMailServer()
    stack.defer(() => server.close())
    const databaseUrl = database === 'postgres' ? await newDatabase('killed_tallies') : undefined
    const env = { SMTP_URL: server.url, ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
    const start = async () => stack.use(await spawnService({ dataDir, env }))
    const look = (work: (place: Looking) => Promise<void>) => lookAt(dataDir, env, work)

    let service = await start()
    await prepare(service)
    await mergePeople(service, 0, part)
    // Mails at the server at which the process is killed: those who are merged or have no address get fewer than two.
    const moments = many(kills, () => 1 + chance.below(crowd)).sort((a, b) => a - b)
    for (const [kill, moment] of moments.entries()) {
      if (kill > 0) service = await start()
      await until(server, moment)
      await service.kill('SIGKILL')
      await look(async ({ db }) => compare(db, []))
    }
    let rested: StepRows = { entries: [], decisions: [] }
    await look(async ({ db, service: last }) => {
      await eventually(
        'everybody rests or has left',
        async () => {
          await compare(db, [])
          return (await hasAsked(last)) && (await allRest(db))
        },
        200,
      )
      rested = await readStepRows(db, walk.id as string)
    })
    assert.ok(rested.entries.some(({ step, state }) => step === rest && state !== 'ended'))

    const deleted = new Set(many(part, (i) => nameOf(crowd - 1 - i)))
    for (let kill = 0; kill < kills; kill++) {
      service = await start()
      const asked = [mergePeople(service, part, 2 * part), deletePeople(service, [...deleted])]
      await Promise.any(asked)
      await pause(chance.below(killMsMax))
      await service.kill('SIGKILL')
      await Promise.allSettled(asked)
    }
    await look(async ({ db, service: last }) => {
      // The answer to some request may be lost, and with it the work: all of it is asked for again.
      await Promise.all([mergePeople(last, part, 2 * part), deletePeople(last, [...deleted])])
      await eventually(
        'all work is done',
        async () => {
          const found = await Promise.all(
            ['waiting', 'moving'].map((state) => ask(last, `/admin/work?state=${state}&limit=1`)),
          )
          return found.every(({ work }) => work.length === 0)
        },
        100,
      )
      await compare(db, [deletedRows(rested, deleted)])
      const { steps: found } = await ask(last, `/admin/canvases/${walk.id}/standing`)
      t.diagnostic(`killed at ${moments.join(', ')}; left at rest: ${JSON.stringify(found[rest].left)}`)
      assert.ok(found[rest].left.merged > 0, 'people were merged where they rested')
    })
  })
}

type Looking = { readonly db: Db; readonly service: Service }

/** Starts the service in this process, which costs less than a separate one that can be killed. */
async function lookAt(
  dataDir: string,
  env: Record<string, string>,
  work: (place: Looking) => Promise<void>,
): Promise<void> {
  let db: Db | undefined
  const opened = (own: Db) => {
    db = own
  }
  await using service = await startService({ env: { EASEL_DATA: dataDir, ...env }, opened })
  await work({ db: db!, service })
}

type Asked = Pick<Spawned, 'post' | 'get' | 'adminToken'>

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
async function ask(service: Asked, path: string): Promise<any> {
  const { status, text, body } = await service.get(path, { key: service.adminToken })
  assert.equal(status, 200, text)
  return body
}

async function prepare(service: Spawned): Promise<void> {
  const applied = await service.post(
    '/admin/apply',
    { apps: Object.values(apps), canvases: [walk] },
    { key: service.adminToken },
  )
  assert.equal(applied.status, 200, applied.text)
  const attributes = many(crowd, (i) => {
    const external_id = nameOf(i)
    return { external_id, odd: i % 2 === 1, ...(i % 10 !== 9 && { email: `${external_id}@example.com` }) }
  })
  for (let i = 0; i < crowd; i += 1_000) {
    const tracked = await service.post('/users/track/bulk', { attributes: attributes.slice(i, i + 1_000) })
    assert.equal(tracked.status, 201, tracked.text)
  }
  const asked = await service.post('/canvas/trigger/send', { canvas_id: walk.id, broadcast: true })
  assert.equal(asked.status, 201, asked.text)
}

/** Merges each of the people from one to another with the one so many later. */
async function mergePeople(service: Asked, from: number, until: number): Promise<void> {
  const merge_updates = many(until - from, (i) => ({
    identifier_to_merge: { external_id: nameOf(2 * (from + i)) },
    identifier_to_keep: { external_id: nameOf(2 * (from + i) + 1) },
  }))
  for (let i = 0; i < merge_updates.length; i += 50) {
    const { status, text } = await service.post('/users/merge', { merge_updates: merge_updates.slice(i, i + 50) })
    assert.ok(status === 202 || status === 400, text)
  }
}

async function deletePeople(service: Asked, external_ids: readonly string[]): Promise<void> {
  for (let i = 0; i < external_ids.length; i += 50) {
    const { status, text } = await service.post('/users/delete', { external_ids: external_ids.slice(i, i + 50) })
    assert.ok(status === 201 || status === 202, text)
  }
}

async function until(server: MailServer, mails: number): Promise<void> {
  await eventually(
    () => `${server.seen.length} of ${mails} mails`,
    () => server.seen.length >= mails,
    2,
  )
}

/** Whether the order has made all its people enter. */
async function hasAsked(service: Asked): Promise<boolean> {
  const [{ dispatch_id }] = (await ask(service, '/admin/dispatches')).dispatches
  const { dispatch } = await ask(service, `/admin/dispatches/${dispatch_id}`)
  return dispatch.slots.every(({ state }: { state: string }) => state === 'done')
}

async function allRest(db: Db): Promise<boolean> {
  const { entries } = await readStepRows(db, walk.id as string)
  return entries.every(({ state, step }) => state === 'ended' || step === rest)
}

/** Compares what `standing` counts with what the rows say, both read in one snapshot, while the service goes on. */
async function compare(db: Db, more: readonly StepRows[]): Promise<void> {
  const [standing, rows] = await db.transaction(
    async (tx) => {
      const parts = {
        graphs: new Graphs(),
        workspaces: { get: () => ({ settings: { time_zone: 'UTC' } }) },
        clock: { now: () => Date.now(), elapsed: () => performance.now() },
      } as unknown as StandingServices
      const snapshot = { transaction: (work: (its: typeof tx) => unknown) => work(tx) } as unknown as Db
      const of = {
        workspace_id: 1,
        kind: 'canvas',
        id: walk.id as string,
        version: undefined,
        hours: undefined,
      } as const
      return [await standingReader(parts)({ db: snapshot }, of), await readStepRows(tx, walk.id as string)] as const
    },
    { settings: readOnlySnapshot },
  )
  const all = [rows, ...more]
  const expected = countStepRows(
    { entries: all.flatMap(({ entries }) => entries), decisions: all.flatMap(({ decisions }) => decisions) },
    walk.steps as Item[],
  )
  const found = countsOfStanding(standing)
  assert.deepEqual(found, expected)
}
