import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { Random } from '../../bench/random.ts'
import { pause } from '../fault/load.ts'
import { startMailServer } from '../servers/smtp.ts'
import { newDatabase } from '../servers/template.ts'
import { long, seed, sizes } from '../sizes.ts'
import { eventually } from '../support/eventually.ts'
import { databases } from '../support/harness.ts'
import { apps, groups, many } from '../support/people.ts'
import { Fleet, type Position } from './fleet.ts'
import { MailedCrowd, walk } from './mailed-crowd.ts'
import { MarkedCrowd } from './marked-crowd.ts'
import { checkInvariants } from './people-invariants.ts'

const minuteMs = 60_000
/** Three roles, on machines whose clocks are minutes apart. */
const positions: readonly Position[] = [
  { role: 'all', aheadMs: 3 * minuteMs },
  { role: 'http', aheadMs: -4 * minuteMs },
  { role: 'worker', aheadMs: 0 },
]
const clients = 6
const connections = 3
/** The mail server takes some time for a mail, so that some processes end in the middle of one. */
const serverMs = 5
const markedCount = 40
const mailedCount = long ? 600 : 120
const betweenKillsMs = 1_500
const calmMs = 2_000
const skip = databases.includes('postgres') ? false : 'PostgreSQL is not here: processes cannot share a database'
const workspace = {
  settings: { rate_limits: { export_ids: 'unlimited' } },
  apps: Object.values(apps),
  subscription_groups: Object.values(groups),
  canvases: [walk],
}

test('three processes of different roles and clocks lose and double nothing while they are killed and replaced', {
  skip,
}, async (t) => {
  t.diagnostic(`seed ${seed}`)
  await using stack = new AsyncDisposableStack()
  const server = await startMailServer()
  stack.defer(() => server.close())
  server.at('data', () => pause(serverMs).then(() => undefined))
  const DATABASE_URL = await newDatabase('three')
  const env = { DATABASE_URL, SMTP_URL: server.url, SMTP_CONNECTIONS: String(connections) }
  const fleet = stack.use(await Fleet.start(positions, env))
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  stack.defer(() => client.end())
  const [first] = fleet.answering
  await first!.admin('POST', '/admin/apply', workspace)
  // The others read it within a second.
  await pause(calmMs)

  const marked = new MarkedCrowd(markedCount, new Random(seed))
  const mailed = new MailedCrowd(mailedCount, new Random(seed + 1), server, (...asked) => fleet.send(...asked))
  await mailed.prepare()
  const stop = new AbortController()
  const chance = new Random(seed + 2)
  const loading = Promise.all([
    ...many(clients, () => marked.load((path, body) => fleet.send(path, body), stop.signal)),
    mailed.load(stop.signal),
  ])
  loading.catch(() => stop.abort())
  for (let kill = 0; kill < sizes.killsOfThree && !stop.signal.aborted; kill++) {
    await pause(betweenKillsMs + chance.below(betweenKillsMs))
    await fleet.kill(kill % fleet.size)
  }
  // Nobody sees an upgrade: each process is replaced when the next one is ready.
  await pause(calmMs)
  const before = [marked.count('unsaid'), marked.count('refused')]
  const takenBefore = marked.count('taken')
  for (let nth = 0; nth < fleet.size && !stop.signal.aborted; nth++) await fleet.replace(nth)
  await pause(calmMs)
  stop.abort()
  await loading
  assert.deepEqual([marked.count('unsaid'), marked.count('refused')], before, 'every request was served meanwhile')
  t.diagnostic(`${marked.count('taken') - takenBefore} requests while processes were replaced`)

  await mailed.over(client)
  const waiting = "select 1 from work where state <> 'done' limit 1"
  await eventually('all work is done', async () => (await client.query(waiting)).rows.length === 0, 100)
  t.diagnostic(await marked.check((path, body) => fleet.send(path, body)))
  t.diagnostic(await mailed.check(client, connections * sizes.killsOfThree))
  await checkInvariants(client, new Set())
  for (const metric of ['easel_work_bisects_total', 'easel_intake_bisects_total'])
    assert.equal(await fleet.sumOf(metric), 0, metric)
})
