import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { devicesMax } from '../../src/messaging/channels/push/push-message.ts'
import { drawDatabases, type Service } from '../support/harness.ts'
import type { Item } from '../support/people.ts'
import { type Browser, type PushService, startPushService, vapidPublicKey } from '../support/push-service.ts'
import { onSite, phone, pushActions, site, startPushing } from '../support/pushes.ts'

for (const database of drawDatabases('push')) {
  describe(`pushes to browsers (${database})`, () => {
    let web: PushService
    let service: Service
    const { person, send, trigger, messages, reasons, refused, tokensOf } = pushActions(() => service)
    before(async () => {
      web = await startPushService()
      service = await startPushing(database, web.env)
    })
    after(async () => {
      await service?.[Symbol.asyncDispose]()
      await web?.close()
    })
    beforeEach(() => {
      for (const list of [web.taken, web.next, web.complaints]) list.length = 0
    })

    test('a browser decrypts what is rendered for its person, signed by the key that pages subscribe with', async () => {
      const key = await fetch(`${service.url}/web-push/key`)
      assert.equal(key.headers.get('access-control-allow-origin'), '*')
      assert.deepEqual(await key.json(), { public_key: vapidPublicKey, message: 'success' })
      const browser = web.subscribe()
      const id = await person([onSite(browser, 'browser-of-ann')], { first_name: 'Änn', plan: 'gold' })
      await trigger('canvas', 'greet', id)
      const [push] = browser.got
      const { tag, ...shown } = push!.payload
      assert.deepEqual(shown, { title: 'Hi Änn', body: 'Your gold plan', url: 'https://shop.example.com' })
      assert.deepEqual([push!.ttl, push!.urgency, push!.topic, web.complaints], [2_419_200, 'normal', tag, []])
      const [message] = await messages(id)
      assert.match(
        String(message!.sentence),
        /The push to browsers "Hi Änn" of .+ was sent to browser-of-ann@127\.0\.0\.1:\d+\.$/,
      )
    })

    test('every member of a push reaches the browser', async () => {
      const browser = web.subscribe()
      const id = await person([onSite(browser)])
      const image_url = 'https://shop.example.com/icon.png'
      const large_image_url = 'https://shop.example.com/large.png'
      const web_push = {
        ...{ alert: 'Hi', title: 'Shop', custom_uri: 'https://shop.example.com/a', image_url, large_image_url },
        ...{ require_interaction: true, time_to_live: 60, extra: { n: 1, id: '{{${user_id}}}', deep: { a: [1] } } },
      }
      await send([id], { web_push }, { recipient_subscription_state: 'all' })
      const [{ payload, ttl, urgency }] = browser.got as [Browser['got'][number]]
      const { tag: _, ...shown } = payload
      assert.deepEqual(shown, {
        ...{ title: 'Shop', body: 'Hi', url: 'https://shop.example.com/a', icon: image_url, image: large_image_url },
        ...{ require_interaction: true, extra: { n: 1, id, deep: { a: [1] } } },
      })
      assert.deepEqual([ttl, urgency], [60, 'high'])
    })

    test('each browser of a person gets it once, or the one that was used last', async () => {
      const [old, late] = [web.subscribe(), web.subscribe()]
      const id = await person([onSite(old, 'browser-old')])
      await service.advance('PT1M')
      await service.post('/users/track', {
        attributes: [{ external_id: id, push_tokens: [onSite(late, 'browser-late')] }],
      })
      await send([id], { web_push: { alert: 'Both' } })
      await send([id], { web_push: { alert: 'Last', send_to_most_recent_device_only: true } })
      const titles = ({ got }: Browser) => got.map(({ payload }) => payload.title)
      assert.deepEqual([titles(old), titles(late)], [['Both'], ['Both', 'Last']])
    })

    test('a person has so many browsers that get a push, those that were used last', async () => {
      const browsers = Array.from({ length: devicesMax + 1 }, () => web.subscribe())
      const id = await person([])
      for (const browser of browsers) {
        const attributes = [{ external_id: id, push_tokens: [onSite(browser)] }]
        assert.equal((await service.post('/users/track', { attributes })).status, 201)
        await service.advance('PT1S')
      }
      await trigger('campaigns', 'sale', id)
      assert.deepEqual(
        browsers.map(({ got }) => got.length),
        [0, ...Array(devicesMax).fill(1)],
      )
    })

    test('a browser that renews its subscription gets a push at the new one only', async () => {
      const [first, second] = [web.subscribe(), web.subscribe()]
      const id = await person([onSite(first, 'same-browser')])
      await service.advance('PT1M')
      await service.post('/users/track', {
        attributes: [{ external_id: id, push_tokens: [onSite(second, 'same-browser')] }],
      })
      await send([id], { web_push: { alert: 'Hi' } })
      assert.deepEqual([first.got.length, second.got.length], [0, 1])
    })

    test('the state of a person decides, and so does a token to which something can be sent', async () => {
      const browser = () => onSite(web.subscribe())
      const out = await person([browser()], { push_subscribe: 'unsubscribed' })
      const yes = await person([browser()], { push_subscribe: 'opted_in' })
      const neither = await person([browser()])
      const none = await person([])
      const silent = await person([{ ...browser(), notifications_enabled: false }])
      const odd = await person([{ app_id: site.id, token: 'no-subscription' }])
      const elsewhere = await person([{ app_id: phone.id, token: 'an-apple-token' }])
      const all = [out, yes, neither, none, silent, odd, elsewhere]
      const noAddress = Array(4).fill(['no_address'])
      await send(all, { web_push: { alert: 'For those who may' } })
      assert.deepEqual(await Promise.all(all.map(reasons)), [['unsubscribed'], ['sent'], ['sent'], ...noAddress])
      await send([out, neither], { web_push: { alert: 'Only yes' } }, { recipient_subscription_state: 'opted_in' })
      await send([out], { web_push: { alert: 'Needed' } }, { recipient_subscription_state: 'all' })
      assert.deepEqual((await reasons(neither)).sort(), ['sent', 'unsubscribed'])
      assert.deepEqual((await reasons(out)).sort(), ['sent', 'unsubscribed', 'unsubscribed'])
    })

    test('a subscription that has ended is removed, unless another person has it by now', async () => {
      const [gone, left, kept] = [web.subscribe(), web.subscribe(), web.subscribe()]
      const alone = await person([onSite(gone)])
      const two = await person([onSite(left), onSite(kept)])
      gone.leave(404)
      left.leave(410)
      await trigger('campaigns', 'sale', alone)
      await trigger('campaigns', 'sale', two)
      assert.deepEqual([await reasons(alone), await reasons(two)], [['refused_by_server'], ['sent']])
      assert.deepEqual([await tokensOf(alone), await tokensOf(two)], [[], [kept.token]])
      const [message] = await messages(alone)
      assert.equal(message!.state, 'bounced')
      // The token is free: another person may have it.
      const other = await person([onSite(gone)])
      assert.deepEqual(await tokensOf(other), [gone.token])
      await trigger('campaigns', 'sale', alone)
      assert.equal((await reasons(alone))[0], 'no_address')
    })

    test('a service that is busy is asked again when it says, and only for the browsers that have nothing yet', async () => {
      const [fast, slow] = [web.subscribe(), web.subscribe()]
      const id = await person([onSite(fast)])
      await service.post('/users/track', { attributes: [{ external_id: id, push_tokens: [onSite(slow)] }] })
      web.next.push({ status: 429, headers: { 'retry-after': '7200' } })
      await trigger('campaigns', 'sale', id)
      assert.deepEqual([fast.got.length + slow.got.length, await reasons(id)], [1, ['queued']])
      await service.advance('PT1H')
      assert.deepEqual(await reasons(id), ['queued'])
      await service.advance('PT2H')
      assert.deepEqual([fast.got.length, slow.got.length, await reasons(id)], [1, 1, ['sent']])
    })

    test('a browser shows a push once, also when it is sent again because its outcome is unknown', async () => {
      const browser = web.subscribe()
      const id = await person([onSite(browser)])
      web.next.push('cut after')
      await send([id], { web_push: { alert: 'Needed' } }, { recipient_subscription_state: 'all' })
      await service.advance('PT1H')
      assert.deepEqual([browser.got.length, new Set(browser.got.map(({ topic }) => topic)).size], [2, 1])
      assert.deepEqual([browser.shown().length, await reasons(id)], [1, ['sent']])
    })

    test('a browser cannot name an address of our network', async () => {
      const { token } = web.subscribe()
      const inside = token.replace(/http:\/\/127\.0\.0\.1:\d+/, 'https://10.0.0.1')
      const local = token.replace(/http:\/\/127\.0\.0\.1:\d+/, 'http://127.0.0.1:5432')
      for (const one of [inside, local]) {
        const id = await person([{ app_id: site.id, token: one }])
        await trigger('campaigns', 'sale', id)
        const [message] = await messages(id)
        assert.equal(message!.reason, 'refused_by_server')
        assert.match(JSON.stringify(message), /must not be reached/)
      }
      // Plain HTTP is for this machine only.
      const plain = await person([{ app_id: site.id, token: token.replace(/127\.0\.0\.1:\d+/, 'push.example.com') }])
      await trigger('campaigns', 'sale', plain)
      assert.deepEqual(await reasons(plain), ['no_address'])
    })

    test('a push is refused by the name of what is wrong', async () => {
      for (const [content, expected] of [
        [{ web_push: { title: 'x' } }, /messages\.web_push\.alert is required/],
        [
          { web_push: { alert: 'x', badge: 1 } },
          /messages\.web_push\.badge is not known here; known are alert, title, extra,/,
        ],
        [{ android_push: { alert: 'x', collapse_id: 'a' } }, /messages\.android_push\.collapse_id is not known here/],
        [{ apple_push: { alert: 'x', expiry: '2030-01-01' } }, /messages\.apple_push\.expiry is not known here/],
        [
          { apple_push: { alert: { body: 'x', subtitle: 'y' } } },
          /messages\.apple_push\.alert\.subtitle is not known here/,
        ],
        [{ apple_push: { alert: { body: 'x' }, title: 'y' } }, /messages\.apple_push\.title must be absent/],
        [{ web_push: { alert: '{% if %}' } }, /messages\.web_push\.alert contains malformed liquid/],
        [
          { web_push: { alert: 'x', custom_uri: 'javascript:alert(1)' } },
          /messages\.web_push\.custom_uri must be an address/,
        ],
        [{ web_push: { alert: 'x', image_url: 'ftp://a.example' } }, /messages\.web_push\.image_url must be a URL/],
        [
          { web_push: { alert: 'x', time_to_live: 2_419_201 } },
          /messages\.web_push\.time_to_live must be a whole number/,
        ],
        [
          { web_push: { alert: 'x', extra: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`m${i}`, 1])) } },
          /messages\.web_push\.extra must have at most 50 members/,
        ],
        [
          { android_push: { alert: 'x', android_priority: 'low' } },
          /messages\.android_push\.android_priority must be normal or high/,
        ],
      ] as const) {
        await refused(content, expected)
      }
    })

    test('what a browser gets has at most 3,993 bytes, before and after it is rendered', async () => {
      const browser = web.subscribe()
      const around = JSON.stringify({ title: '', tag: 't'.repeat(32) }).length
      const of = (bytes: number) => 'a'.repeat(bytes - around)
      for (const bytes of [3_992, 3_993]) {
        const id = await person([onSite(browser)])
        await send([id], { web_push: { alert: of(bytes) } })
        assert.deepEqual([browser.got.at(-1)!.bytes, await reasons(id)], [bytes, ['sent']])
      }
      await refused({ web_push: { alert: of(3_994) } }, /messages\.web_push takes 3994 bytes, of at most 3993/)
      for (const [bytes, reason] of [
        [3_993, 'sent'],
        [3_994, 'template_error'],
      ] as const) {
        const id = await person([onSite(browser)], { first_name: 'a' })
        await send([id], { web_push: { alert: `{{\${first_name}}}${of(bytes - 1)}` } })
        assert.deepEqual(await reasons(id), [reason])
      }
    })
  })

  describe(`pushes without a push service (${database})`, () => {
    let service: Service
    const { person, send } = pushActions(() => service)
    before(async () => {
      service = await startPushing(database, {})
    })
    after(async () => service?.[Symbol.asyncDispose]())

    test('the inbox keeps each push as a phone shows it, and says that pages have nothing to subscribe with', async () => {
      const web = await startPushService()
      await using _closing = { [Symbol.asyncDispose]: () => web.close() }
      const browser = onSite(web.subscribe(), 'browser-of-ann')
      const id = await person([browser, { app_id: phone.id, token: 'an-apple-token', device_id: 'phone-of-ann' }])
      const image_url = 'https://shop.example.com/icon.png'
      await send([id], {
        web_push: { title: 'Shop', alert: 'Hi {{${user_id}}}', custom_uri: 'https://shop.example.com', image_url },
        apple_push: { alert: 'Hello', badge: 2 },
      })
      const { messages: kept } = (await service.admin('GET', `/admin/inbox?external_id=${id}`)).body
      const list = (kept as Item[]).map(({ channel, to, subject }) => [channel, to, subject])
      assert.deepEqual(
        list.map(([channel, to, subject]) => [channel, String(to).replace(/\d{4,5}$/, 'N'), subject]).sort(),
        [
          ['apple_push', 'phone-of-ann@ios', 'Hello'],
          ['web_push', 'browser-of-ann@127.0.0.1:N', 'Shop'],
        ],
      )
      const shownOf = async (channel: string) => {
        const { id: mail } = (kept as Item[]).find((one) => one.channel === channel)!
        return (await service.admin('GET', `/admin/inbox/${mail}`)).body
      }
      const { text, details } = await shownOf('web_push')
      const { tag: _, ...shown } = details
      assert.deepEqual([text, shown], [`Hi ${id}`, { title: 'Shop', url: 'https://shop.example.com', icon: image_url }])
      assert.deepEqual((await shownOf('apple_push')).details.badge, 2)
      const key = await fetch(`${service.url}/web-push/key`)
      assert.equal(key.status, 404)
      assert.match(await key.text(), /WEB_PUSH_PRIVATE_KEY is not set/)
    })
  })
}
