import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { virtualClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import type { MessageTransport } from '../../src/messaging/channels/channel.ts'
import { grantRates } from '../../src/messaging/delivery/rate-store.ts'
import { burstMs } from '../../src/messaging/delivery/rates.ts'
import type { PreparedMail } from '../../src/messaging/mail/prepared-mail.ts'
import { openSmtp } from '../../src/messaging/mail/smtp.ts'
import { type MailServer, startMailServer } from '../servers/smtp.ts'
import { onBothDatabases } from '../support/databases.ts'
import { type DelivererOptions, deliverer, keepSecret, messages, order } from '../support/delivery.ts'
import { many } from '../support/people.ts'

type Bed = {
  db: Db
  clock: ReturnType<typeof virtualClock>
  server: MailServer
  /** Delivers what may be sent now, and stops. */
  deliver(options: DelivererOptions): Promise<void>
}

const rates = { domains: { 'slow.example': 10 } }
const addresses = (count: number, word: string) => many(count, (i) => `${word}${i}@slow.example`)

onBothDatabases('the order in which messages are delivered', async (openDb, t) => {
  for (const [title, body] of Object.entries(tests)) {
    await t.test(title, async () => {
      const db = await openDb()
      await keepSecret(db)
      const clock = virtualClock()
      const server = await startMailServer()
      const deliver = async (options: DelivererOptions) => {
        const transport = openSmtp({ url: server.url, connections: 5 })
        const loop = deliverer(db, clock, transport, options)
        await loop.nextTurn()
        await loop.close()
        await transport.close()
      }
      await body({ db, clock, server, deliver })
      await server.close()
    })
  }
})

const tests: Readonly<Record<string, (bed: Bed) => Promise<void>>> = {
  'in any interval no more mail is sent than its rate and the burst allow': async ({ db, clock }) => {
    const perSecond = 20
    const wish = { transport: 't', domain: 'a', count: 40, cap: perSecond }
    const sentMs: number[] = []
    for (let ms = 0; ms < 10_000; ms += 70) {
      const granted = await grantRates(db, [wish], clock.now() + ms)
      const { count } = granted.get('t a')!
      sentMs.push(...many(count, () => ms))
    }
    assert.ok(sentMs.length >= 10 * perSecond, `${sentMs.length} went`)
    for (const [i, fromMs] of sentMs.entries()) {
      for (let j = i; j < sentMs.length; j += 7) {
        const spanMs = sentMs[j]! - fromMs
        assert.ok(j - i + 1 <= ((spanMs + burstMs) / 1_000) * perSecond + 1, `${j - i + 1} mails in ${spanMs} ms`)
      }
    }
  },

  'transactional mail does not wait behind a large send that has reached its rate': async ({
    db,
    clock,
    server,
    deliver,
  }) => {
    await order(db, clock, addresses(300, 'many'))
    await deliver({ rates })
    assert.equal(server.taken.length, 11)
    const urgent = await order(db, clock, addresses(5, 'urgent'), { class: 'transactional' })
    await deliver({ rates })
    clock.moveTo(clock.now() + 2_000)
    await deliver({ rates })
    assert.deepEqual([...new Set((await messages(db, urgent.dispatch_id)).map(({ state }) => state))], ['accepted'])
  },

  'transactional mail does not wait for a server that is slow to accept other mail': async ({ db, clock, server }) => {
    const isSlow = (about: string) => about.startsWith('slow')
    server.at('data', (about) => (isSlow(about) ? pause(2_000).then(() => undefined) : undefined))
    const transport = openSmtp({ url: server.url, connections: 3 })
    await order(db, clock, addresses(10, 'slow'))
    const loop = deliverer(db, clock, transport)
    while (server.seen.length < 2) await pause(10)
    await order(db, clock, addresses(3, 'urgent'), { class: 'transactional' })
    loop.wake()
    while (server.taken.length < 3) await pause(10)
    await loop.close()
    await transport.close()
    const [first, second, third] = server.taken.flatMap(({ to }) => to)
    assert.deepEqual(
      [first, second, third].filter((to) => isSlow(to!)),
      [],
    )
  },

  'a workspace whose messages take long leaves connections to others, where a transport says so': async ({
    db,
    clock,
  }) => {
    const workspaceMax = 3
    const got: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const transport: MessageTransport<PreparedMail> = {
      ...{ server: 'slow', connections: 8, workspaceMax, close: async () => {} },
      async send({ envelope }) {
        got.push(envelope.to[0]!)
        await promise
        return { kind: 'accepted', response: 'ok' }
      },
    }
    await order(db, clock, addresses(20, 'many'), { workspace_id: 1 })
    await order(db, clock, addresses(2, 'few'), { workspace_id: 2 })
    const loop = deliverer(db, clock, transport, { workspaceIds: [1, 2] })
    const startingWith = (word: string) => got.filter((to) => to.startsWith(word)).length
    while (startingWith('few') < 2) await pause(10)
    assert.ok(startingWith('many') <= workspaceMax, `${startingWith('many')}`)
    resolve()
    await loop.nextTurn()
    await loop.close()
    assert.equal(got.length, 22)
  },

  'a cancelled large send leaves no reserved rate that delays others': async ({ db, clock, server, deliver }) => {
    const large = await order(db, clock, addresses(300, 'many'))
    await deliver({ rates })
    await db.query(
      sql`update message set state = 'cancelled' where cause = ${large.dispatch_id}::uuid and state = 'queued'`,
    )
    clock.moveTo(clock.now() + 2_000)
    const small = await order(db, clock, addresses(5, 'few'))
    await deliver({ rates })
    assert.deepEqual([...new Set((await messages(db, small.dispatch_id)).map(({ state }) => state))], ['accepted'])
    assert.equal(server.taken.length, 16)
  },
}
