import assert from 'node:assert/strict'
import test from 'node:test'
import { Random } from '../../bench/random.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { type MailServer, startMailServer, type Taken } from '../servers/smtp.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { segmentOf } from '../support/exports.ts'
import { drawDatabases, type Spawned, spawnService, startService } from '../support/harness.ts'
import { apps, many } from '../support/people.ts'
import { temporaryFolder } from './folders.ts'
import { pause } from './load.ts'

const connections = 5
const kills = sizes.killsAtSending
const crowd = sizes.recipientsAtSending / 2
/** The server takes some time for a mail, so that some kills happen in the middle of a mail. */
const serverMs = 5
const patienceMs = 240_000
const email = { app_id: apps.phone.id, from: 'Shop <shop@example.com>', subject: 'Hello', body: '<p>Hello</p>' }

for (const database of drawDatabases('kills in a send')) {
  test(`all ${2 * crowd} mails are sent, no marketing mail twice, when the service is killed ${kills} times (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    await using stack = new AsyncDisposableStack()
    const { path: dataDir } = stack.use(temporaryFolder())
    const server = await startMailServer()
    stack.defer(() => server.close())
    server.at('data', () => pause(serverMs).then(() => undefined))
    const databaseUrl = database === 'postgres' ? await newDatabase('killed_sending') : undefined
    const env = {
      SMTP_URL: server.url,
      SMTP_CONNECTIONS: String(connections),
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    }
    const start = async () => stack.use(await spawnService({ dataDir, env }))
    let service = await start()
    await prepare(service)
    const asked = { segment_id: 'everybody', broadcast: true, messages: { email } }
    const marketing = await send(service, asked)
    const transactional = await send(service, { ...asked, recipient_subscription_state: 'all' })
    // The number of mails at the server at which the process is killed.
    const moments = many(kills, () => 1 + chance.below(2 * crowd - 1)).sort((a, b) => a - b)
    const openedAtKills: number[] = []
    for (const [kill, moment] of moments.entries()) {
      if (kill > 0) service = await start()
      for (let ms = 0; server.seen.length < moment && ms < patienceMs; ms += 2) await pause(2)
      await service.kill('SIGKILL')
      openedAtKills.push(server.opened)
    }
    let db: Db | undefined
    const opened = (own: Db) => {
      db = own
    }
    // The last service is not killed, so it needs no separate process.
    await using last = await startService({ env: { EASEL_DATA: dataDir, ...env }, opened })
    await allEnded(last, [marketing, transactional])

    const rows = await rowsOf(db!)
    const copies = copiesOf(server)
    const of = (dispatch_id: string) => rows.filter(({ cause }) => cause.replaceAll('-', '') === dispatch_id)
    for (const row of rows) {
      const { message_id, state, reason, decided } = row
      assert.deepEqual(decided, [reason], `message ${message_id} has one outcome`)
      if (state === 'accepted') assert.ok(copies.has(row.email), `${row.email} was accepted and arrived`)
    }
    assert.equal(of(transactional).length, crowd)
    assert.equal(of(marketing).length, crowd)
    assert.ok(of(transactional).every(({ state }) => state === 'accepted'))
    assert.ok(of(marketing).every(({ state }) => state === 'accepted' || state === 'uncertain'))
    const uncertain = of(marketing).filter(({ state }) => state === 'uncertain')
    assert.ok(uncertain.length <= connections * kills, `${uncertain.length} are uncertain`)
    // Transactional mail can arrive twice, with the same Message-ID; marketing mail never does.
    const byId = Map.groupBy(server.seen, ({ content }) => /^Message-ID:\s*(<[^>]+>)/im.exec(content)![1]!)
    const twice = [...byId.values()].filter((same) => same.length > 1)
    const more = twice.reduce((sum, same) => sum + same.length - 1, 0)
    t.diagnostic(`killed at ${moments.join(', ')}: ${uncertain.length} uncertain, ${more} copies more`)
    const maybe_sent = new Set(uncertain.map(({ email: address }) => address))
    const doubtful = server.seen.filter(({ to, content }) => isMarketing(content) && maybe_sent.has(to[0]!))
    checkKills(openedAtKills, twice, doubtful)
    assert.ok(more + uncertain.length <= connections * kills, `${more} copies more and ${uncertain.length} uncertain`)
    assert.ok(
      twice.flat().every(({ content }) => !isMarketing(content)),
      'only transactional mail',
    )
    assert.equal(byId.size + missingOf(uncertain.length, byId.size), 2 * crowd)
  })
}

/** Checks that each uncertain mail comes from a killed process, at most one for each connection. */
function checkKills(openedAtKills: readonly number[], twice: readonly Taken[][], doubtful: readonly Taken[]): void {
  const again = twice.flatMap((same) => same.slice(0, -1))
  const killOf = ({ connection }: Taken) => openedAtKills.findIndex((opened) => connection <= opened)
  for (const [kill, mails] of Map.groupBy([...again, ...doubtful], killOf)) {
    assert.notEqual(kill, -1, `${mails.length} mails are sent again or uncertain without a kill`)
    assert.ok(mails.length <= connections, `${mails.length} mails are sent again or uncertain after one kill`)
  }
  for (const same of twice) {
    assert.equal(new Set(same.map(killOf)).size, same.length, 'no process sends a mail twice')
  }
}

/** Counts uncertain mails that never arrived. */
function missingOf(uncertain: number, arrived: number): number {
  const missing = 2 * crowd - arrived
  assert.ok(missing <= uncertain, `${missing} did not arrive, ${uncertain} are uncertain`)
  return missing
}

function isMarketing(content: string): boolean {
  return /^List-Unsubscribe:/im.test(content)
}

function copiesOf(server: MailServer): Set<string> {
  return new Set(server.seen.flatMap(({ to }) => to))
}

async function prepare(service: Spawned): Promise<void> {
  const segments = [segmentOf('everybody', 'place', -1, 'greater_than')]
  const applied = await service.post(
    '/admin/apply',
    { apps: Object.values(apps), segments },
    { key: service.adminToken },
  )
  assert.equal(applied.status, 200, applied.text)
  for (let from = 0; from < crowd; from += 1_000) {
    const attributes = many(Math.min(1_000, crowd - from), (i) => {
      return { external_id: `p${from + i}`, place: from + i, email: `p${from + i}@example.com` }
    })
    const { status, text } = await service.post('/users/track/bulk', { attributes })
    assert.equal(status, 201, text)
  }
}

async function send(service: Spawned, asked: object): Promise<string> {
  const { status, text, body } = await service.post('/messages/send', asked)
  assert.equal(status, 201, text)
  return body.dispatch_id
}

async function allEnded(service: Pick<Spawned, 'get' | 'adminToken'>, dispatchIds: readonly string[]): Promise<void> {
  for (const dispatch_id of dispatchIds) {
    for (let ms = 0; ; ms += 500) {
      const { body } = await service.get(`/admin/dispatches/${dispatch_id}`, { key: service.adminToken })
      if (body.dispatch.state === 'done') break
      assert.ok(ms < patienceMs, `the order is done: ${JSON.stringify(body.dispatch.messages)}`)
      await pause(500)
    }
  }
}

type Row = { message_id: string; cause: string; state: string; reason: string; email: string; decided: string[] }

function rowsOf(db: Db): Promise<Row[]> {
  return db.query<Row>(sql`
    select m.message_id, m.cause, m.state, m.reason, p.email,
      (select array_agg(d.reason) from decision d where d.bucket = m.bucket and d.profile_id = m.profile_id
        and d.message_id = m.message_id) as decided
    from message m join profile p on p.bucket = m.bucket and p.profile_id = m.profile_id`)
}
