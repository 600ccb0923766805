import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { crashesMax } from '../../src/messaging/delivery/suspects.ts'
import { startMailServer } from '../servers/smtp.ts'
import { heapMb } from '../support/attacked.ts'
import { eventually } from '../support/eventually.ts'
import { serve } from '../support/fetchers.ts'
import { databases, type Spawned } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { many } from '../support/people.ts'
import { assertMemory } from '../support/waits.ts'
import { placeFor } from './restarts.ts'

test(`a message whose process ends ${crashesMax} times is set aside, its neighbour is sent, and it can be sent again`, async (t) => {
  await using stack = new AsyncDisposableStack()
  const held: ServerResponse[] = []
  let waitsFor: (url: string) => boolean = () => true
  const foreign = await serve(({ url }, response) => {
    if (waitsFor(url!)) held.push(response)
    else response.end('late')
  })
  stack.defer(() => foreign.close())
  const mailServer = await startMailServer()
  stack.defer(() => mailServer.close())
  const place = stack.use(await placeFor(databases.at(-1)!))
  const env = {
    SMTP_URL: mailServer.url,
    EASEL_FETCH_ALLOW: `127.0.0.1:${foreign.port}`,
    NODE_OPTIONS: `--max-old-space-size=${heapMb}`,
  }
  const start = () => place.start(env)
  let service = await start()
  await track(service, ['poison', 'neighbour', 'other'])
  const url = `http://127.0.0.1:${foreign.port}/{{\${user_id}}}`
  const email = { body: `<p>{% connected_content ${url} :no_cache %}</p>` }
  const answer = await service.post(
    '/messages/send',
    letter({ external_user_ids: ['poison', 'neighbour'], recipient_subscription_state: 'all' }, email),
  )
  assert.equal(answer.status, 201, answer.text)
  await eventually('both mails are prepared', () => held.length === 2)
  // From now on only one of them ends its process.
  waitsFor = (path) => path === '/poison'
  for (let crash = 1; crash < crashesMax; crash++) {
    const before = held.length
    await service.kill('SIGKILL')
    service = await start()
    await eventually('the mail is prepared again', () => held.length > before)
  }
  await service.kill('SIGKILL')
  service = await start()

  const admin = async (path: string) => {
    const { status, body, text } = await service.get(path, { key: service.adminToken })
    assert.equal(status, 200, text)
    return body
  }
  const setAside = async () => (await admin('/admin/messages?state=set_aside')).messages
  await eventually('the message is set aside', async () => (await setAside()).length === 1)
  await eventually('its neighbour is sent', () => hasMail(mailServer, 'neighbour'))
  const [message] = await setAside()
  assert.equal(message.person.external_id, 'poison')
  const { decisions } = await admin('/admin/why?external_id=poison')
  assert.equal(decisions[0].reason, 'set_aside')
  assert.match(JSON.stringify(decisions[0]), /the process ended 3 times while it prepared the message/)
  const other = { external_user_ids: ['other'], recipient_subscription_state: 'all' }
  assert.equal((await service.post('/messages/send', letter(other))).status, 201)
  await eventually('other mail is sent', () => hasMail(mailServer, 'other'))

  waitsFor = () => false
  const resend = () =>
    service.post(`/admin/messages/${message.message_id}/resend`, undefined, { key: service.adminToken })
  assert.equal((await resend()).status, 201)
  await eventually('the message is sent', () => hasMail(mailServer, 'poison'))
  assert.equal((await resend()).status, 409)
  assert.deepEqual(await setAside(), [])
  assertMemory(t, service)
  await service.stop()
})

test('messages that wait for a connection are not set aside, however often their process ends', async () => {
  await using stack = new AsyncDisposableStack()
  const mailServer = await startMailServer()
  stack.defer(() => mailServer.close())
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
  let handedOver = 0
  mailServer.at('mail', () => {
    handedOver++
    return released
  })
  // A process that starts on its own database frees at once what the last one had leased.
  const place = stack.use(await placeFor('pglite'))
  const start = () => place.start({ SMTP_URL: mailServer.url, SMTP_CONNECTIONS: '1' })
  let service = await start()
  const names = many(10, (i) => `waiting${i}`)
  await track(service, names)
  const asked = letter({ external_user_ids: names, recipient_subscription_state: 'all' })
  assert.equal((await service.post('/messages/send', asked)).status, 201)
  const count = async (state: string) => {
    const { body } = await service.get(`/admin/messages?state=${state}`, { key: service.adminToken })
    return body.messages.length
  }
  for (let end = 0; end <= crashesMax; end++) {
    await eventually('the only connection has a message, and all others are prepared', async () => {
      return handedOver > end && (await count('leased')) === names.length - 1
    })
    await service.kill('SIGKILL')
    service = await start()
  }
  await eventually('all are leased again', async () => handedOver > crashesMax + 1 && (await count('queued')) === 0)
  assert.equal(await count('set_aside'), 0)
  release(undefined)
  await eventually('all are sent', async () => (await count('accepted')) === names.length)
  await service.stop()
})

function hasMail({ taken }: { readonly taken: readonly { readonly to: readonly string[] }[] }, name: string): boolean {
  return taken.some(({ to }) => to[0] === `${name}@example.com`)
}

async function track(service: Spawned, names: readonly string[]): Promise<void> {
  const applied = await service.post('/admin/apply', sendingWorkspace, { key: service.adminToken })
  assert.equal(applied.status, 200, applied.text)
  const attributes = names.map((external_id) => ({ external_id, email: `${external_id}@example.com` }))
  assert.equal((await service.post('/users/track', { attributes })).status, 201)
}
