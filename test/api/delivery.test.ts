import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { virtualClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import type { Deliverer } from '../../src/messaging/delivery/deliverer.ts'
import { retriedForMs } from '../../src/messaging/delivery/retry.ts'
import { openSmtp } from '../../src/messaging/mail/smtp.ts'
import type { SmtpTransport } from '../../src/messaging/mail/transport.ts'
import { type MailServer, startMailServer } from '../servers/smtp.ts'
import { onBothDatabases } from '../support/databases.ts'
import {
  type DelivererOptions,
  decisions,
  deliverer,
  keepSecret,
  type MessageRow,
  messages,
  order,
  prepareBriefly,
} from '../support/delivery.ts'
import { eventually } from '../support/eventually.ts'

const minuteMs = 60_000

type Bed = {
  db: Db
  clock: ReturnType<typeof virtualClock>
  server: MailServer
  /** Delivers due messages and stops. Several runs with one loop simulate several moments of the clock. */
  deliver(options?: DelivererOptions & { connections?: number; url?: string }): Promise<void>
  open(options?: DelivererOptions & { connections?: number; url?: string }): {
    loop: Deliverer
    transport: SmtpTransport
  }
}

let made = 0
const addresses = (count: number, domain = 'example.com') => Array.from({ length: count }, () => `p${++made}@${domain}`)
const statesOf = (rows: readonly MessageRow[]) =>
  [...new Set(rows.map(({ state, reason }) => `${state} ${reason}`))].sort().join(', ')

onBothDatabases('delivery', async (openDb, t) => {
  const db = await openDb()
  await keepSecret(db)
  const clock = virtualClock()
  const server = await startMailServer()
  t.after(() => server.close())
  const open: Bed['open'] = ({ connections = 5, url = server.url, ...options } = {}) => {
    const transport = openSmtp({ url, connections })
    return { loop: deliverer(db, clock, transport, options), transport }
  }
  const bed: Bed = {
    db,
    clock,
    server,
    open,
    async deliver(options) {
      const { loop, transport } = open(options)
      await loop.nextTurn()
      await loop.close()
      await transport.close()
    },
  }
  for (const [title, body] of Object.entries(tests)) {
    await t.test(title, async (context) => {
      server.calm()
      server.forget()
      await body(bed, context)
    })
  }
})

const tests: Readonly<Record<string, (bed: Bed, t: TestContext) => Promise<void>>> = {
  'every message is sent once, and recorded as sent in the ledger and its row': async ({
    db,
    clock,
    server,
    deliver,
  }) => {
    const { dispatch_id, people } = await order(db, clock, addresses(40))
    await deliver()
    assert.equal(server.taken.length, 40)
    assert.ok(server.openMax <= 5)
    assert.deepEqual(server.taken.flatMap(({ to }) => to).sort(), people.map(({ address }) => address!).sort())
    const rows = await messages(db, dispatch_id)
    assert.equal(statesOf(rows), 'accepted sent')
    assert.deepEqual(rows[0]!.links, ['https://example.com/a'])
    assert.match(rows[0]!.response!, /^250 /)
    const decided = await decisions(db, dispatch_id)
    assert.deepEqual([decided.length, new Set(decided.map(({ message_id }) => message_id)).size], [40, 40])
    assert.equal(decided[0]!.reason, 'sent')
    assert.equal(decided[0]!.inputs?.domain, 'example.com')
    const received = await db.query<{ at: Date }>(sql`
      select l.at from last_received l join message m using (bucket, profile_id) where m.cause = ${dispatch_id}::uuid`)
    assert.equal(received.length, 40)
  },

  'mail that a recipient does not want or cannot get ends with the reason that decided': async ({
    db,
    clock,
    server,
    deliver,
  }) => {
    const { dispatch_id, people } = await order(db, clock, [null, ...addresses(2)])
    const [, refusing] = people
    await db.query(
      sql`update profile set email_subscribe = 'unsubscribed' where profile_id = ${refusing!.profile_id}::int8`,
    )
    const all = await order(db, clock, [refusing!.address], { wanted: 'all', class: 'transactional' })
    await deliver()
    const decided = await decisions(db, dispatch_id)
    assert.deepEqual(decided.map(({ reason }) => reason).sort(), ['no_address', 'sent', 'unsubscribed'])
    assert.equal(decided.find(({ reason }) => reason === 'unsubscribed')!.inputs?.email_subscribe, 'unsubscribed')
    assert.equal(statesOf(await messages(db, all.dispatch_id)), 'accepted sent')
    assert.equal(server.taken.length, 2)
  },

  'replies of 454 halve the rate of the domain, count no attempt, and lose no message': async (bed) => {
    const { db, clock, server, deliver } = bed
    const { dispatch_id } = await order(db, clock, addresses(20, 'storm.example'))
    server.at('data', () => ({ code: 454, text: '4.7.0 slow down' }))
    await deliver()
    const rate = async () =>
      (await db.query<{ per_second: number }>(sql`select per_second from send_rate where domain = 'storm.example'`))[0]!
        .per_second
    assert.equal(await rate(), 50)
    const put = await messages(db, dispatch_id)
    assert.equal(statesOf(put), 'queued null')
    assert.deepEqual([...new Set(put.map(({ attempts }) => attempts))], [0])
    assert.ok(put.every(({ due_at }) => due_at.getTime() >= clock.now() + 5 * minuteMs))
    clock.moveTo(clock.now() + 8 * minuteMs)
    await deliver()
    // The rate had grown to about 87, and is half of that now.
    assert.ok((await rate()) > 40 && (await rate()) < 50, `${await rate()}`)
    server.calm()
    server.forget()
    clock.moveTo(clock.now() + 8 * minuteMs)
    await deliver()
    assert.equal(statesOf(await messages(db, dispatch_id)), 'accepted sent')
    assert.equal(server.taken.length, 20)
  },

  'an address without a mailbox is suppressed at once': async ({ db, clock, server, deliver }) => {
    const [address] = addresses(1)
    const { dispatch_id } = await order(db, clock, [address!])
    server.at('rcpt', () => ({ code: 550, text: '5.1.1 no such user' }))
    await deliver()
    const [row] = await messages(db, dispatch_id)
    assert.deepEqual([row!.state, row!.reason, row!.bounced_at !== null], ['bounced', 'refused_by_server', true])
    server.calm()
    const again = await order(db, clock, [address!], { wanted: 'all', class: 'transactional' })
    await deliver()
    const [decision] = await decisions(db, again.dispatch_id)
    assert.deepEqual(
      [decision!.reason, decision!.inputs?.suppressed, server.seen.length],
      ['suppressed', 'hard_bounce', 0],
    )
  },

  'a mail refused as spam fails, and its address is not suppressed': async ({ db, clock, server, deliver }) => {
    const [address] = addresses(1)
    const { dispatch_id } = await order(db, clock, [address!])
    server.at('data', () => ({ code: 554, text: '5.7.1 spam' }))
    await deliver()
    assert.equal(statesOf(await messages(db, dispatch_id)), 'failed refused_by_server')
    server.calm()
    const again = await order(db, clock, [address!])
    await deliver()
    assert.equal(statesOf(await messages(db, again.dispatch_id)), 'accepted sent')
  },

  'a connection that drops before the content delays the mail and leaves none uncertain': async (bed) => {
    const { db, clock, server, deliver } = bed
    const { dispatch_id } = await order(db, clock, addresses(3))
    server.at('rcpt', () => 'drop')
    await deliver()
    assert.equal(statesOf(await messages(db, dispatch_id)), 'queued null')
    server.calm()
    clock.moveTo(clock.now() + 2 * minuteMs)
    await deliver()
    assert.equal(statesOf(await messages(db, dispatch_id)), 'accepted sent')
    assert.equal(server.seen.length, 3)
  },

  'a connection that drops after the content leaves marketing mail uncertain and sends transactional mail again':
    async (bed) => {
      const { db, clock, server, deliver } = bed
      const marketing = await order(db, clock, addresses(2))
      const transactional = await order(db, clock, addresses(2), { class: 'transactional' })
      server.at('data', () => 'drop')
      await deliver()
      assert.equal(statesOf(await messages(db, marketing.dispatch_id)), 'uncertain uncertain')
      assert.equal(statesOf(await messages(db, transactional.dispatch_id)), 'queued null')
      server.calm()
      clock.moveTo(clock.now() + 2 * minuteMs)
      await deliver()
      assert.equal(statesOf(await messages(db, transactional.dispatch_id)), 'accepted sent')
      const ids = server.seen.map(({ content }) => /^Message-ID: (.*)$/m.exec(content)![1])
      assert.deepEqual([ids.length, new Set(ids).size], [6, 4])
      assert.equal(server.taken.length, 2)
    },

  'a server that takes longer than a lease gets every mail once, also with two workers': async ({
    db,
    clock,
    server,
    open,
  }) => {
    const { dispatch_id } = await order(db, clock, addresses(4))
    // A lease is renewed three times before it ends, and a busy machine may stop this process for a second.
    const leaseMs = 4_000
    let arrived = 0
    server.at('data', () => {
      arrived++
      return pause(leaseMs * 1.5, undefined)
    })
    const one = open({ leaseMs })
    const sent = one.loop.nextTurn()
    await eventually('all mails have arrived', () => arrived === 4)
    const other = db.backend === 'postgres' ? open({ leaseMs }) : undefined
    await sent
    for (const { loop, transport } of [one, ...(other ? [other] : [])]) {
      await loop.close()
      await transport.close()
    }
    assert.equal(statesOf(await messages(db, dispatch_id)), 'accepted sent')
    assert.equal(server.seen.length, 4)
  },

  'a mail server without an address is tried for a few messages, then for one at a time, and the others wait': async ({
    db,
    clock,
    open,
    deliver,
  }) => {
    const { dispatch_id } = await order(db, clock, addresses(30))
    const { loop, transport } = open({ url: 'smtp://mail.invalid:2525' })
    await loop.nextTurn()
    assert.equal(loop.isSparing(), true)
    await loop.close()
    await transport.close()
    const rows = await messages(db, dispatch_id)
    assert.equal(statesOf(rows), 'queued null')
    const tried = rows.filter(({ attempts }) => attempts > 0)
    assert.ok(tried.length >= 5 && tried.length <= 10, `${tried.length} were tried`)
    assert.match(tried[0]!.response!, /mail\.invalid/)
    clock.moveTo(clock.now() + 2 * minuteMs)
    await deliver()
    assert.equal(statesOf(await messages(db, dispatch_id)), 'accepted sent')
  },

  'a deferred mail is tried for 72 hours of business time, and then fails': async ({ db, clock, server, deliver }) => {
    const { dispatch_id } = await order(db, clock, addresses(1))
    const fromMs = clock.now()
    server.at('rcpt', () => ({ code: 452, text: '4.2.2 full' }))
    let tries = 0
    for (;;) {
      await deliver()
      tries++
      const [row] = await messages(db, dispatch_id)
      if (row!.state !== 'queued') break
      assert.equal(row!.attempts, tries)
      clock.moveTo(row!.due_at.getTime())
    }
    assert.equal(clock.now(), fromMs + retriedForMs)
    assert.ok(tries > 8 && tries < 20, `${tries} tries`)
    const [row] = await messages(db, dispatch_id)
    assert.deepEqual([row!.state, row!.reason, row!.bounced_at !== null], ['failed', 'expired', true])
    assert.equal((await db.query(sql`select 1 from soft_bounce where count = 1`)).length, 1)
  },

  'transactional mail is sent before marketing mail, and a small workspace does not wait for a large one': async ({
    db,
    clock,
    server,
    deliver,
  }) => {
    await order(db, clock, addresses(80, 'large.example'))
    await order(db, clock, addresses(5, 'small.example'), { workspace_id: 2 })
    await order(db, clock, addresses(5, 'urgent.example'), { class: 'transactional' })
    await deliver({ connections: 1, workspaceIds: [1, 2] })
    const at = (domain: string) => server.taken.flatMap(({ to }, i) => (to[0]!.endsWith(domain) ? [i] : []))
    assert.deepEqual(at('urgent.example'), [0, 1, 2, 3, 4])
    assert.ok(at('small.example').at(-1)! < 30, `${at('small.example')}`)
    assert.equal(server.taken.length, 90)
  },

  'a person who unsubscribes or moves between claim and hand-over is evaluated again': async ({
    db,
    clock,
    server,
    deliver,
  }) => {
    const { dispatch_id, people } = await order(db, clock, addresses(3))
    const [leaves, moves, stays] = people
    let changed = false
    const prepare: typeof prepareBriefly = async (batch) => {
      assert.ok(
        batch.every(({ contentKey }) => contentKey !== undefined),
        'messages with equal content can be prepared together',
      )
      if (!changed) {
        changed = true
        await db.query(
          sql`update profile set email_subscribe = 'unsubscribed' where profile_id = ${leaves!.profile_id}::int8`,
        )
        await db.query(
          sql`update profile set email = 'elsewhere@example.com' where profile_id = ${moves!.profile_id}::int8`,
        )
      }
      return prepareBriefly(batch)
    }
    await deliver({ prepare })
    assert.deepEqual(server.taken.flatMap(({ to }) => to).sort(), ['elsewhere@example.com', stays!.address].sort())
    assert.equal(statesOf(await messages(db, dispatch_id)), 'accepted sent, suppressed unsubscribed')
  },

  'messages of a paused order are held, those of a cancelled one end': async ({ db, clock, server, deliver }) => {
    const paused = await order(db, clock, addresses(2), { state: 'paused' })
    const cancelled = await order(db, clock, addresses(2), { state: 'cancelled' })
    await deliver()
    assert.equal(statesOf(await messages(db, paused.dispatch_id)), 'held null')
    assert.equal(statesOf(await messages(db, cancelled.dispatch_id)), 'cancelled cancelled')
    assert.equal((await decisions(db, cancelled.dispatch_id)).length, 2)
    assert.equal(server.seen.length, 0)
  },

  'the outcome of a mail moves with its message, and nothing is recorded for a deleted message': async ({
    db,
    clock,
    server,
    deliver,
  }) => {
    const { dispatch_id, people } = await order(db, clock, addresses(3))
    const [merged, deleted, kept] = people
    server.at('data', async (about) => {
      if (about === merged!.address) {
        await db.query(sql`update profile set merged_bucket = ${kept!.bucket}, merged_into = ${kept!.profile_id}::int8
          where profile_id = ${merged!.profile_id}::int8`)
        await db.query(sql`update message set bucket = ${kept!.bucket}, profile_id = ${kept!.profile_id}::int8, step = 'merged'
          where message_id = ${merged!.message_id}::int8`)
      }
      if (about === deleted!.address)
        await db.query(sql`delete from message where message_id = ${deleted!.message_id}::int8`)
      return undefined
    })
    await deliver()
    assert.equal(statesOf(await messages(db, dispatch_id)), 'accepted sent')
    const decided = await decisions(db, dispatch_id)
    assert.deepEqual(decided.map(({ message_id }) => message_id).sort(), [merged!.message_id, kept!.message_id].sort())
  },

  'mail above the configured rate waits and is sent at that rate': async ({ db, clock, server, deliver }) => {
    const { dispatch_id } = await order(db, clock, addresses(25, 'slow.example'))
    const fromMs = clock.now()
    const rates = { domains: { 'slow.example': 10 } }
    const sentAt: number[] = []
    for (;;) {
      const before = server.taken.length
      await deliver({ rates })
      for (let i = before; i < server.taken.length; i++) sentAt.push(clock.now() - fromMs)
      const waiting = (await messages(db, dispatch_id)).filter(({ state }) => state === 'queued')
      if (waiting.length === 0) break
      clock.moveTo(Math.min(...waiting.map(({ due_at }) => Math.ceil(due_at.getTime()))))
    }
    assert.equal(sentAt.length, 25)
    // Eleven mails are sent at once, then one every tenth of a second.
    assert.deepEqual([sentAt.filter((ms) => ms === 0).length, sentAt.at(-1)], [11, 2_400])
  },

  'a stop completes messages in flight and releases the others': async ({ db, clock, server, open }) => {
    const { dispatch_id } = await order(db, clock, addresses(30))
    server.at('data', async () => {
      await pause(300)
      return undefined
    })
    const { loop, transport } = open({ connections: 2 })
    while (server.seen.length === 0) await pause(20)
    await loop.close()
    await transport.close()
    const rows = await messages(db, dispatch_id)
    assert.equal(statesOf(rows), 'accepted sent, queued null')
    assert.equal(rows.filter(({ state }) => state === 'accepted').length, server.taken.length)
    assert.ok(rows.every(({ state, attempts }) => attempts === (state === 'queued' ? 0 : 1)))
    await db.query(sql`update message set state = 'cancelled' where cause = ${dispatch_id}::uuid and state = 'queued'`)
  },

  'without a mail server each mail is in the inbox once it is accepted': async ({ db, clock }) => {
    const { dispatch_id } = await order(db, clock, addresses(60))
    const loop = deliverer(db, clock, undefined)
    await loop.nextTurn()
    await loop.close()
    assert.equal(statesOf(await messages(db, dispatch_id)), 'accepted sent')
    const kept = await db.query(sql`
      select 1 from inbox i join message m on m.bucket = i.bucket and m.message_id = i.message_id where m.cause = ${dispatch_id}::uuid`)
    assert.equal(kept.length, 60)
  },
}
