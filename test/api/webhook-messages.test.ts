import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { saidBytesMax } from '../../src/base/fetch/answers.ts'
import { callsOfReceiverMax } from '../../src/messaging/channels/webhook/receivers.ts'
import { callsMax } from '../../src/messaging/channels/webhook/retry.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases, type Service } from '../support/harness.ts'
import { type Item, many, newEmail } from '../support/people.ts'
import { password, startWithWebhooks, typed, webhookActions } from '../support/webhook-messages.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

for (const database of drawDatabases('webhook-messages')) {
  describe(`webhooks as messages (${database})`, () => {
    let receiver: WebhookReceiver
    let other: WebhookReceiver
    let service: Service
    const { person, send, trigger, messages, states, callsFor, decision, hook } = webhookActions(
      () => service,
      () => receiver,
    )
    before(async () => {
      receiver = await startWebhookReceiver()
      other = await startWebhookReceiver()
      const quiet_hours = { start: '00:00', end: '23:59' }
      service = await startWithWebhooks(database, [receiver, other], {
        quiet_hours,
        frequency_cap: [{ count: 1, per: 'P30D' }],
      })
    })
    after(async () => {
      await service?.[Symbol.asyncDispose]()
      await receiver?.close()
      await other?.close()
    })
    beforeEach(() => {
      for (const each of [receiver, other]) {
        each.calls.length = 0
        each.next.length = 0
        each.openMax = 0
      }
    })

    test('steps, campaigns and orders call by one channel, whatever people are subscribed to, in quiet hours and beyond caps', async () => {
      const id = await person({ first_name: 'An"n', email: newEmail(), email_subscribe: 'unsubscribed' })
      await trigger('canvas', 'step', id)
      await trigger('canvas', 'message', id)
      await trigger('campaigns', 'news', id)
      await send([id], hook({ method: 'DELETE' }), { recipient_subscription_state: 'opted_in' })
      assert.deepEqual(
        receiver.calls.map(({ method, url, body }) => [method, url, body]),
        [
          ['POST', `/step/${id}`, '{"code":"a\\"b","name":"An\\"n"}'],
          ['PUT', `/message/${id}`, ''],
          ['POST', `/news/${id}`, ''],
          ['DELETE', `/order/${id}`, ''],
        ],
      )
      assert.equal(receiver.calls[2]!.headers.authorization, `Bearer ${typed}`)
      const keys = receiver.calls.map(({ headers }) => headers['idempotency-key'])
      assert.equal(new Set(keys).size, 4)
      const found = await messages(id)
      assert.deepEqual(
        found.map(({ channel, class: kind, reason, address }) => [channel, kind, reason, address]),
        many(4, () => ['webhook', 'transactional', 'sent', receiver.url]),
      )
      const [, news] = found
      assert.equal(
        news!.sentence,
        `The webhook "POST ${receiver.url}/news/${id}" of the campaign "news" was called at ${receiver.url}.`,
      )
    })

    test('a step that calls is counted as a message of its channel, on pages and in series', async () => {
      for (const flow of ['step', 'message']) {
        receiver.next.push(404)
        for (const id of [await person(), await person()]) await trigger('canvas', flow, id)
        let rates: Item = {}
        // Tallies are added up a little later.
        await eventually(
          () => JSON.stringify(rates),
          async () => {
            const { body } = await service.admin('GET', `/admin/canvases/${flow}/standing`)
            rates = body.steps.hook.rates
            return (rates.counts as Item[])[0]!.count === 1 && Number(rates.sent) > 0
          },
        )
        const sent = Number(rates.sent)
        const errors = { measure: 'bounces', words: 'Not called well', count: 1, of: sent + 1 }
        assert.deepEqual(rates, { channel: 'webhook', sent, counts: [errors], unknown: null })
        const path = `/canvas/data_summary?canvas_id=${flow}&length=2&include_step_breakdown=true`
        const { data } = (await service.get(path)).body as unknown as { data: { step_stats: Record<string, Item> } }
        assert.deepEqual(data.step_stats.hook!.messages, { email: [], webhook: [{ sent, errors: 1 }] })
      }
    })

    test('a call that fails is made again with the same key, and given up after so many calls', async () => {
      const [ann, bob] = [await person(), await person()]
      receiver.next.push(500)
      await send([ann], hook())
      assert.deepEqual(await states(ann), ['queued'])
      await service.advance('PT2M')
      assert.deepEqual(await states(ann), ['sent'])
      assert.equal(callsFor(ann).length, 2)
      assert.equal(new Set(callsFor(ann).map(({ headers }) => headers['idempotency-key'])).size, 1)
      receiver.next.push(...many(callsMax, () => 503))
      await send([bob], hook())
      await service.advance('PT3H')
      assert.equal(callsFor(bob).length, callsMax)
      assert.deepEqual(await states(bob), ['expired'])
      assert.equal((await decision(bob)).rule, `the webhook was called ${callsMax} times`)
    })

    test('a receiver that gets too many calls is left alone for as long as it asks, and such calls do not count', async () => {
      const [ann, bob] = [await person(), await person()]
      receiver.next.push(...many(callsMax + 1, () => ({ status: 429, headers: { 'retry-after': '120' } })))
      await send([ann], hook())
      await send([bob], hook())
      assert.deepEqual([callsFor(ann).length, callsFor(bob).length], [1, 0])
      await service.advance('PT1M50S')
      assert.equal(receiver.calls.length, 1)
      await service.advance('PT2H')
      assert.deepEqual([await states(ann), await states(bob)], [['sent'], ['sent']])
      assert.equal(receiver.calls.length, callsMax + 3)
    })

    test('other refusals are final, redirects are not followed, and why has the beginning of the answer', async () => {
      const long = 'x'.repeat(2_000_000)
      const answers = [
        { status: 404, body: 'no such door' },
        { status: 410, body: long },
        { status: 302, headers: { location: `${other.url}/elsewhere` } },
        { status: 401 },
      ]
      const said = [
        '404 no such door',
        `410 ${'x'.repeat(saidBytesMax)}`,
        'it answered with a redirect, which is not followed',
        '401',
      ]
      for (const [i, answer] of answers.entries()) {
        const id = await person()
        receiver.next.push(answer)
        await send([id], hook())
        await service.advance('PT3H')
        assert.equal(callsFor(id).length, 1)
        assert.deepEqual(await states(id), ['refused_by_server'])
        assert.equal(((await decision(id)).inputs as Item).response, said[i])
      }
      assert.equal(other.calls.length, 0)
    })

    test('a good answer of any size is good', async () => {
      const id = await person()
      receiver.next.push({ status: 200, body: Buffer.alloc(5_000_000, 'x') })
      await send([id], hook())
      assert.deepEqual(await states(id), ['sent'])
    })

    test('a call without a whole answer is made again: a stall, a cut before the answer and in it', async () => {
      for (const answer of ['cut after', 'cut in the answer', 'never'] as const) {
        const id = await person()
        receiver.next.push(answer)
        await send([id], hook())
        assert.deepEqual(await states(id), ['queued'], answer)
        await service.advance('PT2M')
        assert.deepEqual(await states(id), ['sent'], answer)
        assert.equal(new Set(callsFor(id).map(({ headers }) => headers['idempotency-key'])).size, 1)
        assert.equal(callsFor(id).length, 2)
      }
    })

    test('a call that may have been taken ends as uncertain when it is refused later', async () => {
      const id = await person()
      receiver.next.push('cut after', 404)
      await send([id], hook())
      await service.advance('PT2M')
      assert.deepEqual(await states(id), ['uncertain'])
    })

    test('a server that may not be reached gets nothing, also when Liquid leads to it', async () => {
      const urls = ['http://10.0.0.1/', 'http://127.0.0.1:1/', 'http://{{custom_attribute.${host}}}/', '{{"no url"}}']
      for (const url of urls) {
        const id = await person({ host: '169.254.169.254' })
        await send([id], { url })
        assert.deepEqual(await states(id), ['refused_by_server'], url)
      }
    })

    test('a rendered text can add no header', async () => {
      const id = await person({ tag: 'a\r\nX-Evil: 1' })
      await send([id], hook({ headers: { 'X-Tag': '{{custom_attribute.${tag}}}' } }))
      assert.deepEqual(await states(id), ['refused_by_server'])
      assert.equal(callsFor(id).length, 0)
    })

    test('a template can abort a call', async () => {
      const id = await person()
      await send([id], hook({ body: '{% abort_message("not today") %}' }))
      assert.deepEqual([await states(id), receiver.calls.length], [['aborted_by_template'], 0])
    })

    test('a receiver that answers late gets few calls at a time, and others do not wait for it', async () => {
      const crowd = await Promise.all(many(6, () => person()))
      const { promise, resolve } = Promise.withResolvers<void>()
      receiver.next.push(...many(6, () => ({ waitFor: promise })))
      const body = { external_user_ids: crowd, messages: { webhook: hook() } }
      const answer = await service.post('/messages/send', body)
      assert.equal(answer.status, 201, answer.text)
      await eventually('the first call is open', () => receiver.calls.length > 0)
      const quick = { external_user_ids: crowd.slice(0, 1), messages: { webhook: { url: `${other.url}/quick` } } }
      assert.equal((await service.post('/messages/send', quick)).status, 201)
      await eventually('the other receiver is called', () => other.calls.length === 1)
      resolve()
      await service.advance('PT1M')
      assert.equal(receiver.calls.length, 6)
      assert.ok(receiver.openMax <= callsOfReceiverMax, `${receiver.openMax}`)
    })

    test('mistakes are named, and secrets in plain text are refused', async () => {
      const cases: readonly (readonly [Item, RegExp])[] = [
        [{}, /messages\.webhook\.url is missing; it must be a URL of http or https/],
        [{ url: 'ftp://example.com' }, /messages\.webhook\.url must be a URL of http or https/],
        [{ url: 'https://a:b@example.com' }, /messages\.webhook\.url must not have a user name or a password/],
        [hook({ method: 'TRACE' }), /messages\.webhook\.method must be one of GET, POST, PUT, PATCH, DELETE/],
        [hook({ request_method: 'GET' }), /messages\.webhook\.request_method is not known here; known are url, method/],
        [hook({ headers: { 'X-A': 'a\nb' } }), /headers\["X-A"\] must be one line of at most 998 characters/],
        [hook({ headers: { Host: 'a' } }), /messages\.webhook\.headers\.Host must not be set: it is reserved/],
        [hook({ headers: { 'Idempotency-Key': 'a' } }), /must not be set: it is reserved/],
        [
          hook({ headers: { Authorization: 'Bearer abc' } }),
          /headers\.Authorization looks like a secret.*POST \/admin\/credentials/,
        ],
        [hook({ headers: { 'X-Api-Key': 'abc' } }), /headers\["X-Api-Key"\] looks like a secret/],
        [hook({ headers: { 'X-Api-Key': { sealed: true } } }), /headers\["X-Api-Key"\] is sealed/],
        [
          hook({ headers: { 'X-Api-Key': { credential: 'nobody' } } }),
          /must be the name of a credential of this workspace/,
        ],
        [
          { url: other.url, headers: { 'X-Api-Key': { credential: 'crm' } } },
          /must be a credential for the origin of the URL/,
        ],
        [hook({ body: '{{ a' }), /messages\.webhook\.body/],
      ]
      for (const [webhook, message] of cases) {
        const body = { external_user_ids: ['any'], messages: { webhook } }
        const answer = await service.post('/messages/send', body)
        assert.equal(answer.status, 400, JSON.stringify(webhook))
        assert.match(answer.body.message, message)
      }
    })

    test('a URL, headers and a body have limits', async () => {
      const id = await person()
      const url = `${receiver.url}/`
      const fits = async (webhook: Item) => {
        const answer = await service.post('/messages/send', { external_user_ids: [id], messages: { webhook } })
        return answer.status === 201
      }
      const around = (count: number) => [count - 1, count, count + 1]
      const tried = async (limit: number, make: (count: number) => Item) => {
        const all: boolean[] = []
        for (const count of around(limit)) all.push(await fits(make(count)))
        return all
      }
      const upTo = [true, true, false]
      assert.deepEqual(await tried(2_000, (count) => ({ url: url.padEnd(count, 'x') })), upTo)
      assert.deepEqual(await tried(100 * 1_024, (count) => ({ url, body: 'x'.repeat(count) })), upTo)
      const headers = (count: number) => Object.fromEntries(many(count, (i) => [`X-H${i}`, 'a']))
      assert.deepEqual(await tried(50, (count) => ({ url, headers: headers(count) })), upTo)
      assert.deepEqual(await tried(998, (count) => ({ url, headers: { 'X-A': 'a'.repeat(count) } })), upTo)
      await service.advance('PT1S')
      assert.equal(receiver.calls.length, 8)
    })

    test('a credential is sent, and no answer and no row of an order has it', async () => {
      const id = await person()
      const headers = { Authorization: { credential: 'crm' }, 'X-Key': { credential: 'crm', scheme: 'bearer' } }
      const dispatch = await send([id], hook({ headers }))
      const [call] = callsFor(id)
      const basic = `Basic ${Buffer.from(`easel:${password}`).toString('base64')}`
      assert.deepEqual([call!.headers.authorization, call!.headers['x-key']], [basic, `Bearer ${password}`])
      const [message] = await messages(id)
      for (const path of [`/admin/messages/${message!.message_id}?render=true`, `/admin/dispatches/${dispatch}`]) {
        const { text } = await service.send('GET', path, undefined, { key: service.adminToken })
        assert.ok(!text.includes(password) && !text.includes(basic), text)
      }
      const { text } = await service.send('GET', '/admin/campaigns/news', undefined, { key: service.adminToken })
      assert.ok(!text.includes(typed) && text.includes('{"sealed":true}'), text)
    })

    test('a message can be looked at again as it would be sent, without its secrets', async () => {
      const id = await person()
      await trigger('campaigns', 'news', id)
      const [message] = await messages(id)
      const look = async () =>
        (await service.admin('GET', `/admin/messages/${message!.message_id}?render=true`)).body.message.mail
      const request = { method: 'POST', url: `${receiver.url}/news/${id}` }
      // Without a mail server the inbox keeps the call with its answer, until it is emptied.
      const kept = await look()
      assert.deepEqual([kept.rendered_anew, kept.details], [false, { ...request, answer: '200' }])
      await service.admin('DELETE', '/admin/inbox')
      const anew = await look()
      assert.deepEqual([anew.rendered_anew, anew.details], [true, request])
      for (const { headers, text } of [kept, anew]) {
        assert.deepEqual([headers, text], [{ Authorization: '(secret)' }, null])
      }
      assert.equal(callsFor(id).length, 1)
    })
  })

  describe(`webhooks that the inbox keeps (${database})`, () => {
    let receiver: WebhookReceiver
    let service: Service
    const { person, send, trigger, hook, states } = webhookActions(
      () => service,
      () => receiver,
    )
    before(async () => {
      receiver = await startWebhookReceiver()
      service = await startWithWebhooks(database, [receiver], { mail_delivery: 'inbox' })
    })
    after(async () => {
      await service?.[Symbol.asyncDispose]()
      await receiver?.close()
    })

    test('a workspace whose messages are kept calls nobody, and shows each request', async () => {
      const id = await person({ first_name: 'Ann' })
      await trigger('canvas', 'step', id)
      await send([id], hook({ headers: { 'X-Key': { credential: 'crm' }, 'X-Plan': 'gold' }, body: 'Hi' }))
      assert.deepEqual([receiver.calls.length, await states(id)], [0, ['sent', 'sent']])
      const { messages: kept } = (await service.admin('GET', `/admin/inbox?external_id=${id}`)).body
      assert.deepEqual(
        (kept as Item[]).map(({ channel, to, subject }) => [channel, to, subject]),
        ['order', 'step'].map((path) => ['webhook', receiver.url, `POST ${receiver.url}/${path}/${id}`]),
      )
      const { body: order } = await service.admin('GET', `/admin/inbox/${kept[0].id}`)
      assert.deepEqual(
        [order.text, order.headers, order.details],
        [
          'Hi',
          { 'X-Key': '(the credential crm)', 'X-Plan': 'gold' },
          { method: 'POST', url: `${receiver.url}/order/${id}` },
        ],
      )
      const { body: step } = await service.admin('GET', `/admin/inbox/${kept[1].id}`)
      assert.deepEqual(
        [step.text, step.headers],
        ['{"code":"a\\"b","name":"Ann"}', { 'Content-Type': 'application/json' }],
      )
    })
  })
}
