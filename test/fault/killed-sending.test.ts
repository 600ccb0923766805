import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { Random } from '../../bench/random.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import {
  type ChannelTransport,
  channelsWorkspace,
  channelTransports,
  type FarEnd,
  type SeenMessage,
} from '../support/channel-transports.ts'
import { segmentOf } from '../support/exports.ts'
import { type Database, drawDatabases, type Spawned, spawnService, startService } from '../support/harness.ts'
import { many } from '../support/people.ts'
import { temporaryFolder } from './folders.ts'
import { pause } from './load.ts'

const kills = sizes.killsAtSending
const crowd = sizes.recipientsAtSending / 2
/** The server takes some time for a message, so that some kills happen in the middle of one. */
const serverMs = 5
const patienceMs = 240_000
/**
 * The messages at the server between two kills, at least. A message is set aside after three kills while it is prepared, and a process
 * that has just started prepares such a message first.
 */
const apart = 20

for (const database of drawDatabases('kills in a send')) {
  for (const channel of channelTransports) {
    const where = `${channel.name}, ${database}`
    const again = channel.repeats ? 'again only with the same key' : 'no marketing one twice'
    test(`all ${2 * crowd} messages are sent, ${again}, when the service is killed ${kills} times (${where})`, (t) =>
      killRepeatedly(t, database, channel))
  }
}

async function killRepeatedly(t: TestContext, database: Database, channel: ChannelTransport): Promise<void> {
  t.diagnostic(`seed ${seed}`)
  const chance = new Random(seed)
  await using stack = new AsyncDisposableStack()
  const { path: dataDir } = stack.use(temporaryFolder())
  const far = await channel.startFarEnd()
  stack.defer(() => far.close())
  far.beforeAnswers(() => pause(serverMs))
  const databaseUrl = database === 'postgres' ? await newDatabase('killed_sending') : undefined
  const env = {
    ...{ ...far.env, ...channel.few.env },
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  }
  const start = async () => stack.use(await spawnService({ dataDir, env }))
  let service = await start()
  await prepare(service, channel, far)
  const asked = { segment_id: 'everybody', broadcast: true }
  const contents = far.contents ?? channel
  const marketing = await send(service, { ...asked, messages: { [channel.name]: contents.marketing } })
  const transactional = await send(service, {
    ...{ ...asked, messages: { [channel.name]: contents.content } },
    recipient_subscription_state: 'all',
  })
  // The number of messages at the server at which the process is killed.
  const first = many(kills, () => 1 + chance.below(2 * crowd - 1 - kills * apart)).sort((a, b) => a - b)
  const moments = first.map((moment, kill) => moment + kill * apart)
  const openedAtKills: number[] = []
  for (const [kill, moment] of moments.entries()) {
    if (kill > 0) service = await start()
    for (let ms = 0; far.seen().length < moment && ms < patienceMs; ms += 2) await pause(2)
    await service.kill('SIGKILL')
    openedAtKills.push(far.opened())
  }
  let db: Db | undefined
  const opened = (own: Db) => {
    db = own
  }
  // The last service is not killed, so it needs no separate process.
  await using last = await startService({ env: { EASEL_DATA: dataDir, ...env }, opened })
  await allEnded(last, [marketing, transactional])

  const rows = await rowsOf(db!)
  const seen = far.seen()
  const copies = new Set(seen.map(({ to }) => to))
  const of = (dispatch_id: string) => rows.filter(({ cause }) => cause.replaceAll('-', '') === dispatch_id)
  for (const row of rows) {
    const { message_id, state, reason, decided } = row
    assert.deepEqual(decided, [reason], `message ${message_id} has one outcome`)
    // Where no message may be uncertain, all must arrive, and addresses can be those of servers.
    if (channel.repeats || state !== 'accepted') continue
    assert.ok(copies.has(row.address), `${row.address} was accepted and arrived`)
  }
  assert.equal(of(transactional).length, crowd)
  assert.equal(of(marketing).length, crowd)
  const ends = channel.repeats ? ['accepted'] : ['accepted', 'uncertain']
  assert.deepEqual(othersThan(['accepted'], of(transactional)), [])
  assert.deepEqual(othersThan(ends, of(marketing)), [])
  const uncertain = of(marketing).filter(({ state }) => state === 'uncertain')
  t.diagnostic(`killed at ${moments.join(', ')}`)
  checkCopies(t, channel, seen, uncertain, openedAtKills)
}

/** Returns the messages that are in another state than these. */
function othersThan(states: readonly string[], rows: readonly Row[]): Row[] {
  return rows.filter(({ state }) => !states.includes(state))
}

/** Checks what arrived twice or not at all. Transactional messages can arrive twice; marketing ones only where the server knows the key. */
function checkCopies(
  t: TestContext,
  { repeats, few: { connections } }: ChannelTransport,
  seen: readonly SeenMessage[],
  uncertain: readonly Row[],
  openedAtKills: readonly number[],
): void {
  const byKey = groupByKey(seen)
  const twice = byKey.filter((same) => same.length > 1)
  const more = seen.length - byKey.length
  t.diagnostic(`${uncertain.length} uncertain, ${more} copies more`)
  const maybe_sent = new Set(uncertain.map(({ address }) => address))
  const doubtful = seen.filter(({ to, isMarketing }) => isMarketing && maybe_sent.has(to))
  checkKills(openedAtKills, twice, doubtful, connections)
  assert.ok(more + uncertain.length <= connections * kills, `${more} copies more and ${uncertain.length} uncertain`)
  assert.ok(
    twice.flat().every(({ isMarketing }) => repeats || !isMarketing),
    'only transactional messages',
  )
  const missing = 2 * crowd - byKey.length
  assert.ok(missing >= 0 && missing <= uncertain.length, `${missing} did not arrive, ${uncertain.length} are uncertain`)
}

/** Groups the copies of each message. Checks that they have one key, which no other message has. */
function groupByKey(seen: readonly SeenMessage[]): SeenMessage[][] {
  const byKey = [...Map.groupBy(seen, ({ key }) => key).values()]
  const nameOf = ({ to, isMarketing }: SeenMessage) => `${to} ${isMarketing ? 'marketing' : 'transactional'}`
  for (const same of byKey)
    assert.deepEqual([...new Set(same.map(nameOf))], [nameOf(same[0]!)], 'one message has the key')
  assert.equal(new Set(seen.map(nameOf)).size, byKey.length, 'all copies of a message have the same key')
  return byKey
}

/** Checks that each uncertain message comes from a killed process, at most one for each connection. */
function checkKills(
  openedAtKills: readonly number[],
  twice: readonly SeenMessage[][],
  doubtful: readonly SeenMessage[],
  connections: number,
): void {
  const again = twice.flatMap((same) => same.slice(0, -1))
  const killOf = ({ connection }: SeenMessage) => openedAtKills.findIndex((opened) => connection <= opened)
  for (const [kill, messages] of Map.groupBy([...again, ...doubtful], killOf)) {
    assert.notEqual(kill, -1, `${messages.length} messages are sent again or uncertain without a kill`)
    assert.ok(messages.length <= connections, `${messages.length} messages are sent again or uncertain after one kill`)
  }
  for (const same of twice) {
    assert.equal(new Set(same.map(killOf)).size, same.length, 'no process sends a message twice')
  }
}

async function prepare(service: Spawned, channel: ChannelTransport, far: FarEnd): Promise<void> {
  const { apps, subscription_groups, settings: all } = channelsWorkspace
  const { bcc: _, ...settings } = all
  const segments = [segmentOf('everybody', 'place', -1, 'greater_than')]
  const applied = await service.post(
    '/admin/apply',
    { settings, subscription_groups, apps, segments },
    { key: service.adminToken },
  )
  assert.equal(applied.status, 200, applied.text)
  for (let from = 0; from < crowd; from += 1_000) {
    const attributes = many(Math.min(1_000, crowd - from), (i) => {
      return { external_id: `p${from + i}`, place: from + i, ...channel.reachable(far).attributes }
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

type Row = { message_id: string; cause: string; state: string; reason: string; address: string; decided: string[] }

function rowsOf(db: Db): Promise<Row[]> {
  return db.query<Row>(sql`
    select m.message_id, m.cause, m.state, m.reason, m.address,
      (select array_agg(d.reason) from decision d where d.bucket = m.bucket and d.profile_id = m.profile_id
        and d.message_id = m.message_id) as decided
    from message m`)
}
