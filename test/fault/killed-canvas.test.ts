import assert from 'node:assert/strict'
import test from 'node:test'
import { Random } from '../../bench/random.ts'
import type { Db } from '../../src/base/db/db.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { parseStepPart } from '../../src/messaging/entries/step-tally.ts'
import { type MailServer, startMailServer } from '../servers/smtp.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { drawDatabases, type Spawned, spawnService, startService } from '../support/harness.ts'
import { apps, many } from '../support/people.ts'
import { listTallies } from '../support/tallies.ts'
import { temporaryFolder } from './folders.ts'
import { pause } from './load.ts'

const connections = 5
const kills = sizes.killsAtCanvas
const crowd = sizes.peopleAtCanvas
const patienceMs = 240_000 + crowd * 20

const mail = (subject: string) => ({
  app_id: apps.phone.id,
  from: 'Shop <shop@example.com>',
  subject,
  body: '<p>Hello</p>',
})
const isOdd = { custom_attribute: { custom_attribute_name: 'odd', comparison: 'equals', value: true } }
/** Two mails with a wait, an attribute change and a decision between them. Transactional: an uncertain mail is sent again. */
const canvas = {
  id: 'walk',
  name: 'Walk',
  state: 'active',
  class: 'transactional',
  entry: { by: ['api'], again: 'never' },
  first: 'hello',
  steps: [
    { id: 'hello', type: 'message', message: mail('hello'), next: 'wait' },
    { id: 'wait', type: 'delay', for: 'PT2S', next: 'note' },
    { id: 'note', type: 'update_user', attributes: { walked: { inc: 1 } }, next: 'odd' },
    { id: 'odd', type: 'decision', audience: isOdd, yes: 'one', no: 'two' },
    { id: 'one', type: 'message', message: mail('one') },
    { id: 'two', type: 'message', message: mail('two') },
  ],
}

for (const database of drawDatabases('kills in a canvas')) {
  test(`each of ${crowd} people goes through a canvas once when the service is killed ${kills} times (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    await using stack = new AsyncDisposableStack()
    const { path: dataDir } = stack.use(temporaryFolder())
    const server = await startMailServer()
    stack.defer(() => server.close())
    const databaseUrl = database === 'postgres' ? await newDatabase('killed_canvas') : undefined
    const env = {
      SMTP_URL: server.url,
      SMTP_CONNECTIONS: String(connections),
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    }
    const start = async () => stack.use(await spawnService({ dataDir, env }))
    let service = await start()
    await prepare(service)
    await trigger(service)
    // The number of mails at the server at which the process is killed.
    const moments = many(kills, () => 1 + chance.below(2 * crowd - 1)).sort((a, b) => a - b)
    for (const [kill, moment] of moments.entries()) {
      if (kill > 0) service = await start()
      for (let ms = 0; server.seen.length < moment && ms < patienceMs; ms += 2) await pause(2)
      await service.kill('SIGKILL')
    }
    let db: Db | undefined
    const opened = (own: Db) => {
      db = own
    }
    // The last service is not killed, so it needs no separate process.
    await using last = await startService({ env: { EASEL_DATA: dataDir, ...env }, opened })
    // A second order: people who were in the canvas do not enter again.
    await trigger(last)
    await allThrough(last)

    const rows = await rowsOf(db!)
    assert.equal(rows.length, crowd)
    for (const { external_id, odd, entries, counted, walked, messages, decided, trail } of rows) {
      assert.deepEqual(entries, ['already_entered', 'completed'], external_id)
      assert.deepEqual([counted, walked], [1, 1], external_id)
      assert.deepEqual(messages, ['hello 1 accepted', `${odd ? 'one' : 'two'} 1 accepted`], external_id)
      assert.deepEqual(decided, ['already_entered', 'sent', 'sent'], external_id)
      assert.deepEqual(
        trail,
        odd ? ['hello ', 'wait ', 'note ', 'odd ', 'one yes'] : ['hello ', 'wait ', 'note ', 'odd ', 'two no'],
      )
    }
    assert.deepEqual(await countsOf(db!), expectedCounts(rows))
    const more = copiesIn(server)
    t.diagnostic(`killed at ${moments.join(', ')}: ${more} copies more`)
    assert.ok(more <= connections * kills, `${more} copies more`)
  })
}

type Asked = Pick<Spawned, 'post' | 'get' | 'adminToken'>

/** Returns how many copies of mails came, each with the Message-ID of its original. */
function copiesIn(server: MailServer): number {
  const idOf = (content: string) => /^Message-ID:\s*(<[^>]+>)/im.exec(content)![1]!
  const mails = new Set(server.seen.map(({ content }) => idOf(content)))
  assert.equal(mails.size, 2 * crowd)
  return server.seen.length - mails.size
}

async function trigger(service: Asked): Promise<void> {
  const { status, text } = await service.post('/canvas/trigger/send', { canvas_id: canvas.id, broadcast: true })
  assert.equal(status, 201, text)
}

async function prepare(service: Spawned): Promise<void> {
  const file = { apps: Object.values(apps), canvases: [canvas] }
  const applied = await service.post('/admin/apply', file, { key: service.adminToken })
  assert.equal(applied.status, 200, applied.text)
  for (let from = 0; from < crowd; from += 1_000) {
    const attributes = many(Math.min(1_000, crowd - from), (i) => {
      return { external_id: `p${from + i}`, odd: i % 2 === 1, email: `p${from + i}@example.com` }
    })
    const { status, text } = await service.post('/users/track/bulk', { attributes })
    assert.equal(status, 201, text)
  }
}

/** Waits until no person is in the canvas and both orders are done. */
async function allThrough(service: Asked): Promise<void> {
  for (let ms = 0; ; ms += 500) {
    const { body } = await service.get('/admin/dispatches', { key: service.adminToken })
    const states = body.dispatches.map(({ state }: { state: string }) => state)
    if (states.length === 2 && states.every((state: string) => state === 'done')) return
    assert.ok(ms < patienceMs, `both orders are done: ${JSON.stringify(body.dispatches)}`)
    await pause(500)
  }
}

/** Returns what was counted of the steps, as `hello -> wait` and `hello sent`. */
async function countsOf(db: Db): Promise<Record<string, number>> {
  const all = await listTallies((text) => db.query(raw(text)))
  const rows = all.filter(({ subject }) => /^daily .* steps /.test(subject)).sort((a, b) => (a.part < b.part ? -1 : 1))
  return Object.fromEntries(
    rows.map(({ part, count }) => {
      const counted = parseStepPart(part)
      if (!('from' in counted)) return [`${counted.step} ${counted.reason}`, count]
      return [`${counted.from} -${counted.path}> ${counted.to}${counted.ended}`, count]
    }),
  )
}

/** Counts what the rows say. */
function expectedCounts(rows: readonly Row[]): Record<string, number> {
  const counts: Record<string, number> = {}
  const add = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1
  }
  for (const { trail, messages } of rows) {
    const steps = trail.map((each) => each.split(' ') as [step: string, path: string])
    for (const [i, [step, path]] of steps.entries()) add(`${steps[i - 1]?.[0] ?? ''} -${path}> ${step}`)
    add(`${steps.at(-1)![0]} -> completed`)
    for (const message of messages) add(`${message.split(' ')[0]} sent`)
  }
  return counts
}

type Row = {
  external_id: string
  odd: boolean
  entries: string[]
  counted: number
  walked: number
  messages: string[]
  decided: string[]
  trail: string[]
}

function rowsOf(db: Db): Promise<Row[]> {
  return db.query<Row>(sql`
    select p.external_id, (p.custom ->> 'odd')::bool as odd, (p.custom ->> 'walked')::int as walked,
      (select array_agg(e.ended order by e.ended) from entry e
        where e.bucket = p.bucket and e.profile_id = p.profile_id) as entries,
      (select r.entries from received r where r.bucket = p.bucket and r.profile_id = p.profile_id) as counted,
      (select array_agg(concat_ws(' ', m.step, m.visit, m.state) order by m.step) from message m
        where m.bucket = p.bucket and m.profile_id = p.profile_id) as messages,
      (select array_agg(d.reason order by d.reason) from decision d
        where d.bucket = p.bucket and d.profile_id = p.profile_id) as decided,
      (select array_agg((t.hop ->> 0) || ' ' || (t.hop ->> 2) order by t.n)
        from entry e cross join jsonb_array_elements(e.trail) with ordinality t(hop, n)
        where e.bucket = p.bucket and e.profile_id = p.profile_id) as trail
    from profile p order by p.external_id`)
}
