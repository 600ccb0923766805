import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { virtualClock } from '../../src/base/clock.ts'
import { sql } from '../../src/base/db/sql.ts'
import { mailBytesMax } from '../../src/messaging/delivery/memory-allowance.ts'
import { retriedForMs } from '../../src/messaging/delivery/retry.ts'
import { followOrderStates } from '../../src/messaging/expansion/follow-order-state.ts'
import { encodedBytesMax } from '../../src/messaging/mail/fetch-attachments.ts'
import { openSmtp } from '../../src/messaging/mail/smtp.ts'
import type { SmtpTransport } from '../../src/messaging/mail/transport.ts'
import { settingDefaults } from '../../src/workspace/settings/settings.ts'
import { startMailServer } from '../servers/smtp.ts'
import { onBothDatabases } from '../support/databases.ts'
import { decisions, deliverer, keepSecret, messages, order, prepareBriefly } from '../support/delivery.ts'

const minuteMs = 60_000

let made = 0
const addresses = (count: number) => Array.from({ length: count }, () => `q${++made}@example.com`)
const statesOf = (rows: readonly { state: string; reason: string | null }[]) =>
  [...new Set(rows.map(({ state, reason }) => `${state} ${reason}`))].sort().join(', ')

onBothDatabases(
  'transactional mail that a server may have accepted ends as sent or uncertain, whatever prevents another attempt',
  async (openDb, t) => {
    const db = await openDb()
    await keepSecret(db)
    const clock = virtualClock()
    const server = await startMailServer()
    t.after(() => server.close())
    const deliver = async () => {
      const transport = openSmtp({ url: server.url, connections: 5 })
      const loop = deliverer(db, clock, transport)
      await loop.nextTurn()
      await loop.close()
      await transport.close()
    }

    const wanted = { class: 'transactional', wanted: 'all' } as const
    const { dispatch_id, people } = await order(db, clock, [...addresses(2), 'refused@again.example'], wanted)
    const cancelled = await order(db, clock, addresses(1), wanted)
    const late = await order(db, clock, addresses(1), wanted)
    server.at('data', () => 'drop')
    await deliver()
    assert.equal(server.seen.length, 5)
    // A claim after which nothing is handed over keeps the message uncertain.
    server.calm()
    clock.moveTo(clock.now() + 2 * minuteMs)
    server.at('data', () => ({ code: 451, text: '4.7.1 later' }))
    await deliver()
    const [, gone] = people
    await db.query(sql`update profile set email = null where profile_id = ${gone!.profile_id}::int8`)
    await db.query(sql`
        update dispatch set state = 'cancelled', unsettled = true where dispatch_id = ${cancelled.dispatch_id}::uuid`)
    await followOrderStates(db, clock)
    server.at('rcpt', (to) => (to.endsWith('again.example') ? { code: 550, text: '5.1.1 nobody' } : undefined))
    server.at('data', (to) => (to === late.people[0]!.address ? 'drop' : undefined))
    for (const pauseMs of [60 * minuteMs, retriedForMs, minuteMs]) {
      clock.moveTo(clock.now() + pauseMs)
      await deliver()
    }
    const decided = [
      ...(await decisions(db, dispatch_id)),
      ...(await decisions(db, cancelled.dispatch_id)),
      ...(await decisions(db, late.dispatch_id)),
    ]
    const sentence = 'a server may have taken it earlier, so it was not sent again: '
    assert.deepEqual(decided.map(({ reason, rule, inputs }) => [reason, rule, inputs?.not_sent_again]).sort(), [
      ['sent', null, undefined],
      ['uncertain', `${sentence}a mail is tried for 72 hours`, 'expired'],
      ['uncertain', `${sentence}a mail needs an e-mail address`, 'no_address'],
      ['uncertain', `${sentence}it was cancelled`, 'cancelled'],
      ['uncertain', `${sentence}the server says that the mailbox does not exist`, 'refused_by_server'],
    ])
    const rows = [...(await messages(db, dispatch_id)), ...(await messages(db, cancelled.dispatch_id))]
    assert.equal(statesOf(rows), 'accepted sent, uncertain uncertain')
    assert.equal(statesOf(await messages(db, late.dispatch_id)), 'uncertain uncertain')
  },
)

onBothDatabases('at most a limited number of large mails is in memory, however many are due', async (openDb) => {
  const db = await openDb()
  await keepSecret(db)
  const clock = virtualClock()

  const attachments = Array.from({ length: 10 }, (_, i) => ({ file_name: 'a', url: `https://a.example/${i}.pdf` }))
  const email = { attachments }
  const orders = [
    await order(db, clock, addresses(30)),
    await order(db, clock, addresses(10), { class: 'transactional' }),
  ]
  await db.query(sql`update dispatch set sending = sending || ${JSON.stringify({ email })}::jsonb`)
  const bytes = encodedBytesMax(email, settingDefaults.attachments_bytes_max)
  const held = { marketing: 0, transactional: 0 }
  let most = 0
  let mostMarketing = 0
  const prepare: typeof prepareBriefly = async (batch) => {
    held[batch[0]!.class] += bytes * batch.length
    most = Math.max(most, held.marketing + held.transactional)
    mostMarketing = Math.max(mostMarketing, held.marketing)
    await pause(5)
    const mails = await prepareBriefly(batch)
    // Memory that is never written to does not count as used.
    return mails.map((mail) => ({ ...mail, bytes, raw: Buffer.allocUnsafeSlow(bytes) }))
  }
  const transport: SmtpTransport = {
    server: 'smtp://127.0.0.1:25',
    connections: 20,
    async send({ envelope }) {
      await pause(10)
      held[orders[1]!.people.some(({ address }) => address === envelope.to[0]) ? 'transactional' : 'marketing'] -= bytes
      return { kind: 'accepted', response: '250 yes' }
    },
    close: async () => {},
  }
  const loop = deliverer(db, clock, transport, { prepare })
  await loop.nextTurn()
  await loop.close()
  for (const { dispatch_id } of orders) assert.equal(statesOf(await messages(db, dispatch_id)), 'accepted sent')
  assert.ok(most <= mailBytesMax.transactional, `${most}`)
  assert.ok(mostMarketing <= mailBytesMax.marketing, `${mostMarketing}`)
})
