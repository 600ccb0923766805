import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../src/base/clock.ts'
import { openDb } from '../../src/base/db/open.ts'
import { openSmtp } from '../../src/messaging/mail/smtp.ts'
import { startChaosProxy } from '../servers/chaos-proxy.ts'
import { startMailServer } from '../servers/smtp.ts'
import { newDatabase } from '../servers/template.ts'
import { quiet } from '../support/databases.ts'
import { decisions, deliverer, keepSecret, messages, order } from '../support/delivery.ts'
import { databases } from '../support/harness.ts'
import { many } from '../support/people.ts'

const skip = databases.includes('postgres') ? false : 'PostgreSQL is not here: the embedded database does not go away'
const crowd = 60
const awayMs = 1_500

test('mail that was sent during an outage of the database, or during a lost COMMIT, is recorded once and not sent again', {
  skip,
}, async (t) => {
  const clock = systemClock()
  const proxy = await startChaosProxy(await newDatabase('sending'))
  t.after(() => proxy.close())
  const db = await openDb({ dataDir: 'memory', databaseUrl: proxy.url, log: quiet, clock })
  t.after(() => db.close())
  await keepSecret(db)
  const server = await startMailServer()
  t.after(() => server.close())
  const fates: Readonly<Record<number, () => void>> = {
    5: () => proxy.cutAfterCommit(),
    20: () => proxy.cutBeforeCommit(),
    35: () => {
      proxy.refuse()
      setTimeout(() => proxy.pass(), awayMs)
    },
  }
  server.at('data', async () => {
    fates[server.seen.length]?.()
    await pause(5)
    return undefined
  })
  const { dispatch_id } = await order(
    db,
    clock,
    many(crowd, (i) => `p${i}@example.com`),
  )
  const transport = openSmtp({ url: server.url, connections: 4 })
  // Leases expire during the outage. No worker claims these messages before the live workers have renewed their leases.
  const loop = deliverer(db, clock, transport, { leaseMs: 900 })
  for (let tries = 0; tries < 1_000; tries++) {
    await loop.nextTurn()
    const [rows] = await Promise.allSettled([messages(db, dispatch_id)])
    if (rows.status === 'fulfilled' && rows.value.every(({ state }) => state === 'accepted')) break
    await pause(50)
  }
  await loop.close()
  await transport.close()
  const rows = await messages(db, dispatch_id)
  assert.deepEqual([...new Set(rows.map(({ state }) => state))], ['accepted'])
  assert.equal(server.seen.length, crowd)
  assert.equal((await decisions(db, dispatch_id)).length, crowd)
  assert.equal(proxy.commitsCut, 2)
})
