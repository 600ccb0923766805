import assert from 'node:assert/strict'
import test from 'node:test'
import { Random } from '../../bench/random.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { newDatabase } from '../servers/template.ts'
import { seed } from '../sizes.ts'
import { eventually } from '../support/eventually.ts'
import { segmentOf } from '../support/exports.ts'
import { drawDatabases, spawnService, startService } from '../support/harness.ts'
import { apps, many } from '../support/people.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { temporaryFolder } from './folders.ts'
import { pause } from './load.ts'

const kills = 3
const crowd = 60
/** The receiver takes some time for a call, so that kills happen in the middle of one. */
const answerMs = 5

for (const database of drawDatabases('kills in webhooks')) {
  test(`each person has a call, repeated with the same key, when the service is killed ${kills} times (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    await using stack = new AsyncDisposableStack()
    const { path: dataDir } = stack.use(temporaryFolder())
    const receiver = await startWebhookReceiver()
    stack.defer(() => receiver.close())
    const databaseUrl = database === 'postgres' ? await newDatabase('killed_webhook_messages') : undefined
    const env = {
      EASEL_FETCH_ALLOW: `127.0.0.1:${receiver.port}`,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    }
    const start = async () => stack.use(await spawnService({ dataDir, env }))
    let service = await start()
    const segments = [segmentOf('everybody', 'place', -1, 'greater_than')]
    const file = { apps: Object.values(apps), segments }
    const applied = await service.post('/admin/apply', file, { key: service.adminToken })
    assert.equal(applied.status, 200, applied.text)
    const attributes = many(crowd, (i) => ({ external_id: `p${i}`, place: i }))
    for (const some of [attributes.slice(0, 50), attributes.slice(50)]) {
      assert.equal((await service.post('/users/track', { attributes: some })).status, 201)
    }
    receiver.next.push(...many(10 * crowd, () => ({ waitFor: pause(answerMs) })))
    const webhook = { url: `${receiver.url}/{{\${user_id}}}` }
    const sent = await service.post('/messages/send', {
      segment_id: 'everybody',
      broadcast: true,
      messages: { webhook },
    })
    assert.equal(sent.status, 201, sent.text)
    // The number of calls at which the process is killed.
    const moments = many(kills, () => 1 + chance.below(crowd - 1)).sort((a, b) => a - b)
    for (const [kill, moment] of moments.entries()) {
      if (kill > 0) service = await start()
      await eventually(`the receiver has ${moment} calls`, () => receiver.calls.length >= moment)
      await service.kill('SIGKILL')
    }
    let db: Db | undefined
    const opened = (own: Db) => {
      db = own
    }
    // The last service is not killed, so it needs no separate process.
    await using last = await startService({ env: { EASEL_DATA: dataDir, ...env }, opened })
    const ended = () =>
      db!.query<{ reason: string; count: number }>(sql`
      select reason, count(*)::int4 as count from message where channel = 'webhook' group by reason`)
    await eventually('all messages have ended', async () => {
      const rows = await ended()
      return rows.length === 1 && rows[0]!.count === crowd
    })
    assert.deepEqual(await ended(), [{ reason: 'sent', count: crowd }])
    const byPerson = Map.groupBy(receiver.calls, ({ url }) => url)
    assert.equal(byPerson.size, crowd)
    const keys = [...byPerson.values()].map((calls) => new Set(calls.map(({ headers }) => headers['idempotency-key'])))
    assert.ok(keys.every(({ size }) => size === 1))
    assert.equal(new Set(keys.flatMap((each) => [...each])).size, crowd)
    t.diagnostic(`${receiver.calls.length - crowd} calls again`)
    const { body } = await last.admin('GET', `/admin/dispatches/${sent.body.dispatch_id}`)
    assert.equal(body.dispatch.state, 'done')
  })
}
