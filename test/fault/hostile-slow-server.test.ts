import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { type MailServer, startMailServer } from '../servers/smtp.ts'
import { eventually } from '../support/eventually.ts'
import { serve } from '../support/fetchers.ts'
import { databases, type Service, startService } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { many } from '../support/people.ts'

const victims = 48
const mails = 12
const roundsMax = 4
/** On a busy machine a mail without any load takes that long. */
const quietMsMin = 250
const slowdownMax = 5

for (const database of databases) {
  test(`a server that does not answer delays the mail of its own workspace only (${database})`, async (t) => {
    await using stack = new AsyncDisposableStack()
    const held: ServerResponse[] = []
    let isHolding = true
    const foreign = await serve((_, response) => {
      if (isHolding) held.push(response)
      else response.end('late')
    })
    stack.defer(() => foreign.close())
    const mailServer = await startMailServer()
    stack.defer(() => mailServer.close())
    const env = { SMTP_URL: mailServer.url, EASEL_FETCH_ALLOW: `127.0.0.1:${foreign.port}` }
    const service = stack.use(await startService({ database, env, workspace: sendingWorkspace }))
    const other = await openWorkspace(service)
    await track(service, service.apiKey, victims, 'slow.example')
    await track(service, other, mails, 'quick.example')

    // The first mail waits for the start of a process.
    await times(service, other, mailServer)
    const quiet = await times(service, other, mailServer)
    // Each recipient waits for an answer of its own, in marketing and in transactional mail.
    const url = `http://127.0.0.1:${foreign.port}/{{\${user_id}}}`
    const email = { body: `<p>{% connected_content ${url} :no_cache %}{{custom_attribute.\${plan}}}</p>` }
    const all = { external_user_ids: many(victims, (i) => `slow.example-${i}`) }
    for (const wanted of [{}, { recipient_subscription_state: 'all' }])
      assert.equal((await service.post('/messages/send', letter({ ...all, ...wanted }, email))).status, 201)
    await eventually('requests wait', () => held.length >= 16)
    const slowdowns: number[] = []
    while (slowdowns.length < roundsMax && !slowdowns.some((one) => one < slowdownMax))
      slowdowns.push((await times(service, other, mailServer)).max / Math.max(quiet.max, quietMsMin / slowdownMax))
    const report = slowdowns.map((one) => one.toFixed(2)).join(', ')
    t.diagnostic(
      `${database}: slowest of ${mails} mails ${quiet.max.toFixed(0)} ms; times that under attack: ${report}`,
    )
    assert.ok(slowdowns.at(-1)! < slowdownMax, report)
    assert.ok(!mailServer.taken.some(({ to }) => to[0]!.endsWith('@slow.example')))

    isHolding = false
    for (const response of held) response.end('late')
    const reached = () =>
      new Set(mailServer.taken.map(({ to }) => to[0]!).filter((to) => to.endsWith('@slow.example'))).size
    await eventually(
      () => `${reached()} of ${victims} people have mail`,
      () => reached() === victims,
    )
  })
}

async function openWorkspace(service: Service): Promise<string> {
  await service.admin('POST', '/admin/workspace', { id: 'shop', name: 'Shop' })
  await service.admin('POST', '/admin/apply?workspace=shop', sendingWorkspace)
  const { body } = await service.admin('POST', '/admin/keys?workspace=shop', { name: 'Other', permissions: ['*'] })
  return body.key.key
}

async function track(service: Service, key: string, count: number, domain: string): Promise<void> {
  const attributes = many(count, (i) => ({
    external_id: `${domain}-${i}`,
    email: `p${i}@${domain}`,
    email_subscribe: 'opted_in',
  }))
  const answer = await service.post('/users/track', { attributes }, { key })
  assert.equal(answer.status, 201, answer.text)
}

/** Sends transactional mails one after another, each with a track request. Returns the longest time until the mail server has one. */
async function times(service: Service, key: string, { taken }: MailServer): Promise<{ max: number }> {
  let max = 0
  for (let i = 0; i < mails; i++) {
    const external_id = `quick.example-${i}`
    const before = taken.length
    const startMs = performance.now()
    const answers = await Promise.all([
      service.post('/users/track', { attributes: [{ external_id, n: i }] }, { key }),
      service.post(
        '/messages/send',
        letter(
          { external_user_ids: [external_id], recipient_subscription_state: 'all' },
          { subject: 'Hi {{${user_id}}}' },
        ),
        { key },
      ),
    ])
    for (const answer of answers) assert.equal(answer.status, 201, answer.text)
    const hasArrived = () => taken.slice(before).some(({ to }) => to[0] === `p${i}@quick.example`)
    await eventually(`mail ${i} has arrived`, hasArrived)
    max = Math.max(max, performance.now() - startMs)
  }
  return { max }
}
