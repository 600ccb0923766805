import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../bench/random.ts'
import { type MailServer, startMailServer } from '../servers/smtp.ts'
import { seed, sizes } from '../sizes.ts'
import { pathOf } from '../support/exports.ts'
import { drawDatabases } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { many, newEmail, newId, People } from '../support/people.ts'

const count = 50
const spreadMs = 400
const slowMsMax = 40
const patienceMs = 240_000
const ending = { 'content-type': 'application/x-www-form-urlencoded' }

for (const database of drawDatabases('unsubscribing in a send')) {
  test(`a person who unsubscribes during a send gets no mail after the answer (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const server = await startMailServer()
    const people = new People()
    t.after(async () => {
      await people.stop()
      await server.close()
    })
    await people.start({ database, workspace: sendingWorkspace, env: { SMTP_URL: server.url, SMTP_CONNECTIONS: '3' } })
    for (let round = 0; round < sizes.unsubscribeRaces; round++) {
      const got = await race(people, server, new Random(seed + round))
      t.diagnostic(`${got} of ${count} got the mail`)
    }
  })
}

/** Returns how many people got the mail before they could unsubscribe. */
async function race(people: People, server: MailServer, chance: Random): Promise<number> {
  const all = many(count, () => ({ external_id: newId(), email: newEmail() }))
  // Some people share the address of the person before.
  const shared = all.map((one, i) => (i % 10 === 9 ? { ...one, email: all[i - 1]!.email } : one))
  await people.set(...shared)
  const links = await waysOut(people, server, shared)
  const begun = Promise.withResolvers<void>()
  const takenAt = new Map<string, number>()
  server.at('data', async (to) => {
    begun.resolve()
    await pause(chance.below(slowMsMax))
    takenAt.set(to, performance.now())
    return undefined
  })
  const dispatch_id = await send(people, shared)
  await begun.promise
  const answers = shared.map(async ({ email }) => {
    await pause(chance.below(spreadMs))
    const answer =
      chance.below(2) === 0
        ? await people.service.post(links.get(email)!, 'List-Unsubscribe=One-Click', { key: null, headers: ending })
        : await people.service.post('/email/status', { email, subscription_state: 'unsubscribed' })
    assert.ok(answer.status === 200 || answer.status === 201, answer.text)
    return performance.now()
  })
  const answeredAt = await Promise.all(answers)
  const reasons = await ended(people, dispatch_id)
  const late = shared.filter(({ email }, i) => (takenAt.get(email) ?? 0) > answeredAt[i]!)
  assert.deepEqual(late, [], `${takenAt.size} of ${count} were sent`)
  assert.deepEqual(
    Object.keys(reasons).sort(),
    ['sent', 'unsubscribed'],
    'some mails were sent before the unsubscribe and some were not',
  )
  assert.equal(reasons.sent! + reasons.unsubscribed!, count)
  assert.equal(server.taken.length, reasons.sent)
  return reasons.sent!
}

type Someone = { readonly external_id: string; readonly email: string }

async function send(people: People, to: readonly Someone[]): Promise<string> {
  const external_user_ids = to.map(({ external_id }) => external_id)
  const { status, text, body } = await people.service.post('/messages/send', letter({ external_user_ids }))
  assert.equal(status, 201, text)
  return body.dispatch_id
}

/** Returns the outcomes of a send, by reason. */
async function ended(people: People, dispatch_id: string): Promise<Readonly<Record<string, number>>> {
  for (const untilMs = performance.now() + patienceMs; ; await pause(20)) {
    const { body } = await people.service.admin('GET', `/admin/dispatches/${dispatch_id}`)
    if (body.dispatch.state === 'done') return body.dispatch.reasons
    assert.ok(performance.now() < untilMs, JSON.stringify(body.dispatch.messages))
  }
}

/** Returns the unsubscribe links of a mail that every person has received, by address. */
async function waysOut(people: People, server: MailServer, all: readonly Someone[]): Promise<Map<string, string>> {
  server.calm()
  await ended(people, await send(people, all))
  const links = server.taken.map(({ to, content }) => {
    const [, url] = /^List-Unsubscribe: <([^>]+)>/im.exec(content.replaceAll(/\r\n\s+/g, ' '))!
    return [to[0]!, pathOf(url!)] as const
  })
  server.forget()
  return new Map(links)
}
