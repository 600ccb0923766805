import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mistakesMax } from '../../src/messaging/previews/schema.ts'
import { makeAccount, type Person, signIn } from '../support/accounts.ts'
import { drawDatabases } from '../support/harness.ts'
import { Mailed } from '../support/mailed-people.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { type Item, newId } from '../support/people.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

const password = 'hunter7-of-the-credential'
const ofCall = (message: Item): Item => ({ channel: 'webhook', message })

for (const database of drawDatabases('webhook-preview')) {
  describe(`/admin/preview of webhooks (${database})`, () => {
    const people = new Mailed()
    let receiver: WebhookReceiver
    before(async () => {
      receiver = await startWebhookReceiver()
      const credentials = [{ name: 'shop', user_name: 'easel', password, origins: [receiver.url] }]
      const env = { EASEL_CLOCK: 'virtual', EASEL_FETCH_ALLOW: `127.0.0.1:${receiver.port}` }
      await people.start({ database, workspace: { ...sendingWorkspace, credentials }, env })
    })
    after(async () => {
      await people.stop()
      await receiver?.close()
    })
    const preview = (body: Item) =>
      people.service.send('POST', '/admin/preview', body, { key: people.service.adminToken })
    const account = async (appGroupPermissions: readonly string[]): Promise<Person> => {
      const permissions = { appGroup: [{ appGroupId: 'default', appGroupPermissions }] }
      return signIn(people.service, people.db, await makeAccount(people.db, permissions))
    }
    const launcher = () => account(['send_campaigns_canvases', 'view_user_profile', 'view_pii'])
    const send = (who: Person, body: Item) => who.send('POST', '/admin/preview/send', body)

    test('the request is shown as it would be sent, and without its secrets', async () => {
      const external_id = newId()
      await people.set({ external_id, first_name: 'Bo "B"' })
      const headers = {
        'X-Plan': '{{${first_name}}}',
        Authorization: 'Bearer hunter8',
        'X-Api-Key': { sealed: true },
        'X-Basic': { credential: 'shop', scheme: 'basic' },
      }
      const message = {
        url: 'https://hooks.example.com/{{${user_id}}}',
        ...{ method: 'PUT', headers, body: { name: '{{${first_name}}}', n: 1 } },
      }
      const { status, body, text } = await preview({ ...ofCall(message), person: external_id })
      assert.equal(status, 200, text)
      assert.deepEqual([body.outcome, body.warnings, body.text], ['rendered', [], '{"name":"Bo \\"B\\"","n":1}'])
      assert.deepEqual(body.details, { method: 'PUT', url: `https://hooks.example.com/${external_id}` })
      assert.deepEqual(body.headers, {
        'X-Plan': 'Bo "B"',
        Authorization: '(secret)',
        'X-Basic': '(the credential shop)',
        'Content-Type': 'application/json',
        'X-Api-Key': '(secret)',
      })
      assert.doesNotMatch(JSON.stringify({ ...body, texts: {} }), /hunter/)
      assert.deepEqual(receiver.calls, [])
    })

    test('mistakes are results, and what is no webhook is refused', async () => {
      const wrong = (await preview(ofCall({ url: '{{${first_name}}}' }))).body
      assert.deepEqual([wrong.outcome, wrong.mistakes[0].text], ['failed', 'url'])
      const got = (await preview(ofCall({ url: 'https://a.example', method: 'GET', body: 'x' }))).body
      assert.deepEqual([got.text, got.warnings], [null, ['A request with GET has no body, so the body is not sent.']])
      for (const [body, expected] of [
        [ofCall({ url: 'no address' }), /'message.url' must be a URL/],
        [ofCall({ url: 'https://a.example', method: 'TRACE' }), /'message.method' must be one of/],
        [ofCall({ url: 'https://a.example', headers: { Host: 'b' } }), /'message.headers.Host' must not be set/],
        [ofCall({ url: 'https://a.example', other: 1 }), /message.other/],
        [{ channel: 'webhook', message: [] }, /'message' must be an object with url/],
      ] as const) {
        const { status, text } = await preview(body)
        assert.equal(status, 400, text)
        assert.match(text, expected)
      }
    })

    test(`a preview names the mistakes of at most ${mistakesMax} texts`, async () => {
      // A block that does not exist is found when the text is rendered.
      const wrong = (count: number) => Array.from({ length: count }, (_, i) => `{{content_blocks.\${missing${i}}}}`)
      for (const count of [mistakesMax - 1, mistakesMax, mistakesMax + 1]) {
        const { outcome, mistakes } = (await preview(ofCall({ url: 'https://a.example', body: wrong(count) }))).body
        assert.deepEqual([outcome, mistakes.length], ['failed', Math.min(count, mistakesMax)])
      }
    })

    test('a test is one call, which says that it is one', async () => {
      const grace = await launcher()
      const headers = { 'X-Basic': { credential: 'shop', scheme: 'basic' }, 'easel-test': 'no' }
      const message = { url: `${receiver.url}/in/{{\${first_name}}}?secret=1`, headers, body: 'Hi' }
      const { status, body, text } = await send(grace, ofCall(message))
      assert.equal(status, 201, text)
      assert.deepEqual([body.to, body.mail_id], [receiver.url, null])
      assert.equal(body.subject, `[Test] POST ${receiver.url}/in/Ada`)
      assert.equal(body.sentence, `The test was sent to ${receiver.url}: the webhook was called.`)
      const [call, ...others] = receiver.calls.splice(0)
      assert.deepEqual(others, [])
      assert.deepEqual([call!.method, call!.url, call!.body], ['POST', '/in/Ada?secret=1', 'Hi'])
      assert.equal(call!.headers['easel-test'], 'true')
      assert.equal(call!.headers['x-basic'], `Basic ${Buffer.from(`easel:${password}`).toString('base64')}`)
      assert.match(String(call!.headers['idempotency-key']), /^test-/)
      assert.deepEqual((await people.service.admin('GET', '/admin/messages')).body.messages, [])
      const { audit } = (await people.service.admin('GET', '/admin/audit?action=message.test')).body
      assert.deepEqual(audit[0].after, { channel: 'webhook', to: receiver.url })
      // It is not tried again.
      receiver.next.push(503)
      const refused = await send(grace, ofCall(message))
      assert.equal(refused.status, 503)
      assert.match(refused.body.message, /^The receiver of webhooks did not accept the webhook: /)
      await people.service.advance('PT1H')
      assert.equal(receiver.calls.splice(0).length, 1)
    })

    test('a test that must not be made says why', async () => {
      const grace = await launcher()
      const url = `${receiver.url}/in`
      for (const [body, expected] of [
        [
          { ...ofCall({ url }), to: 'x' },
          /^'to' is not a member of a test of a webhook: it goes to the server that it names$/,
        ],
        [ofCall({ url, headers: { 'X-Key': { sealed: true } } }), /^Nothing was sent: the header X-Key is sealed/],
        [
          ofCall({ url, headers: { 'X-Key': { credential: 'none' } } }),
          /^Nothing was sent: there is no credential "none"$/,
        ],
        [
          ofCall({ url: 'https://elsewhere.example', headers: { 'X-Key': { credential: 'shop' } } }),
          /^Nothing was sent: the credential "shop" must not be sent to this server$/,
        ],
        [ofCall({ url: '{{ a | b }}' }), /^'message.url' .*undefined filter: b/],
      ] as const) {
        const answer = await send(grace, body)
        assert.equal(answer.status, 400, answer.text)
        assert.match(answer.body.message, expected)
      }
      // A private address that nobody has allowed.
      const inside = await send(grace, ofCall({ url: 'http://127.0.0.1:1/' }))
      assert.equal(inside.status, 503, inside.text)
      const editor = await account(['edit_campaigns'])
      assert.equal((await send(editor, ofCall({ url }))).status, 403)
      assert.deepEqual(receiver.calls, [])
    })

    test('in a workspace whose messages go to nobody the test is in the inbox', async () => {
      const grace = await launcher()
      await people.service.admin('PATCH', '/admin/settings', { mail_delivery: 'inbox' })
      try {
        const kept = await send(grace, ofCall({ url: `${receiver.url}/in`, body: { a: 1 } }))
        assert.equal(kept.status, 201, kept.text)
        assert.match(kept.body.sentence, /is in the inbox: webhooks of this workspace go to nobody\.$/)
        const { body } = await people.service.admin('GET', `/admin/inbox/${kept.body.mail_id}`)
        assert.deepEqual([body.channel, body.text, body.headers['Easel-Test']], ['webhook', '{"a":1}', 'true'])
        assert.deepEqual(receiver.calls, [])
      } finally {
        await people.service.admin('PATCH', '/admin/settings', { mail_delivery: null })
      }
    })
  })
}
