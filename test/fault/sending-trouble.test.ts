import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../bench/random.ts'
import { startChaosProxy } from '../servers/chaos-proxy.ts'
import { type MailServer, startMailServer } from '../servers/smtp.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { databases, drawDatabases, type ServiceOptions } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { many, People } from '../support/people.ts'

const patienceMs = 240_000
const troubles = 6
const serverMsMax = 30
const skip = databases.includes('postgres') ? false : 'PostgreSQL is not here: the embedded database does not go away'
const gold = { segment_id: 'gold', broadcast: true }

for (const database of drawDatabases('mail in trouble')) {
  test(`mail to a domain that defers everything waits, and other mail is sent (${database})`, async (t) => {
    const { people, server } = await start(t, { database, env: { EASEL_CLOCK: 'virtual' } })
    await track(people, (i) => (i % 2 === 0 ? 'storm.example' : 'calm.example'), 40)
    server.at('rcpt', (to) =>
      to.endsWith('@storm.example') ? { code: 451, text: '4.7.1 try again later' } : undefined,
    )
    const dispatch_id = await send(people)
    const { messages } = await until(people, dispatch_id, ({ messages }) => messages.accepted === 20)
    assert.deepEqual(messages, { accepted: 20, queued: 20 })
    assert.ok(server.taken.every(({ to }) => to[0]!.endsWith('@calm.example')))
    // Waiting messages have a reason, and later mail to other domains is not delayed.
    const why = await people.service.admin('GET', '/admin/why?external_id=p0')
    assert.ok(Date.parse(why.body.open[0].until) > Date.parse(why.body.open[0].message.planned_at), why.text)
    const others = await send(people, { external_user_ids: many(20, (i) => `p${2 * i + 1}`) })
    await until(people, others, ({ state }) => state === 'done')
    await people.service.advance('PT1H')
    assert.equal((await until(people, dispatch_id, () => true)).messages.queued, 20)
    server.calm()
    await people.service.advance('P1D')
    const after = await until(people, dispatch_id, () => true)
    assert.deepEqual([after.state, after.reasons], ['done', { sent: 40 }])
    assert.equal(server.taken.length, 60)
    assert.equal(new Set(server.taken.map(({ content }) => idOf(content))).size, 60)
  })
}

test('an outage of the database during a send delays mail, and no mail is sent twice', {
  skip,
}, async (t) => {
  t.diagnostic(`seed ${seed}`)
  const databaseUrl = await newDatabase('trouble')
  const proxy = await startChaosProxy(databaseUrl)
  t.after(() => proxy.close())
  const { people, server } = await start(t, { env: { DATABASE_URL: proxy.url, SMTP_CONNECTIONS: '5' } })
  await track(people, (i) => `d${i % 10}.example`, 200)
  for (let round = 0; round < sizes.databaseAwaySends; round++) {
    const chance = new Random(seed + round)
    server.forget()
    server.at('data', () => pause(chance.below(serverMsMax), undefined))
    const dispatch_id = await send(people)
    for (let i = 0; i < troubles; i++) {
      await pause(chance.below(150))
      const what = chance.below(4)
      if (what === 0) proxy.cut()
      else if (what === 1) proxy.cutBeforeCommit()
      else if (what === 2) proxy.cutAfterCommit()
      else {
        proxy.refuse()
        await pause(chance.below(1_000))
        proxy.pass()
      }
    }
    proxy.pass()
    const { reasons, found } = await until(people, dispatch_id, ({ state }) => state === 'done')
    assert.deepEqual([reasons, found], [{ sent: 200 }, 200])
    assert.equal(server.seen.length, 200)
    assert.equal(new Set(server.taken.flatMap(({ to }) => to)).size, 200)
    t.diagnostic(`${proxy.commitsCut} commits were cut so far`)
  }
})

async function start(
  t: TestContext,
  { env, ...options }: ServiceOptions,
): Promise<{ people: People; server: MailServer }> {
  const server = await startMailServer()
  const people = new People()
  t.after(async () => {
    await people.stop()
    await server.close()
  })
  await people.start({ ...options, workspace: sendingWorkspace, env: { ...env, SMTP_URL: server.url } })
  return { people, server }
}

async function track(people: People, domainOf: (i: number) => string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 50) {
    const size = Math.min(50, count - from)
    await people.set(
      ...many(size, (n) => {
        const id = `p${from + n}`
        return { external_id: id, plan: 'gold', email: `${id}@${domainOf(from + n)}` }
      }),
    )
  }
}

async function send(people: People, who: object = gold): Promise<string> {
  const { status, text, body } = await people.service.post('/messages/send', letter({ ...who }))
  assert.equal(status, 201, text)
  return body.dispatch_id
}

type Shown = {
  readonly state: string
  readonly found: number
  readonly messages: Readonly<Record<string, number>>
  readonly reasons: Readonly<Record<string, number>>
}

/** Waits until an order has this state. Returns it. */
async function until(people: People, dispatch_id: string, holds: (shown: Shown) => boolean): Promise<Shown> {
  const key = people.service.adminToken
  for (const untilMs = performance.now() + patienceMs; ; await pause(50)) {
    const { status, body, text } = await people.service.get(`/admin/dispatches/${dispatch_id}`, { key })
    // During the outage there is no answer.
    if (status === 200 && holds(body.dispatch)) return body.dispatch
    assert.ok(performance.now() < untilMs, text)
  }
}

function idOf(content: string): string {
  return /^Message-ID:\s*(<[^>]+>)/im.exec(content)![1]!
}
