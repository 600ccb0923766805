import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type FakeFcm, fcmError, startFakeFcm } from '../support/fake-fcm.ts'
import { type Database, drawDatabases, type Service, startService } from '../support/harness.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { type Item, newId } from '../support/people.ts'
import { type Browser, type PushService, startPushService, vapidPublicKey } from '../support/push-service.ts'

const site = { id: 'a0000000-0000-4000-8000-0000000000a1', name: 'Site', platform: 'web' }
const phone = { id: 'a0000000-0000-4000-8000-0000000000a2', name: 'Phone', platform: 'ios' }
const robot = { id: 'a0000000-0000-4000-8000-0000000000a3', name: 'Robot', platform: 'android' }

const workspace = {
  ...sendingWorkspace,
  settings: { time_zone: 'UTC' },
  apps: [site, phone, robot],
  subscription_groups: [],
  canvases: [
    {
      ...{ id: 'greet', name: 'Greet', state: 'active', entry: { by: ['api'], again: 'always' }, first: 'say' },
      steps: [
        {
          ...{ id: 'say', type: 'message', channel: 'web_push' },
          message: {
            title: 'Hi {{${first_name}}}',
            alert: 'Your {{custom_attribute.${plan}}} plan',
            custom_uri: 'https://shop.example.com',
          },
        },
      ],
    },
  ],
  campaigns: [
    { id: 'sale', name: 'Sale', state: 'active', messages: [{ id: 'one', web_push: { alert: 'Sale!' } }] },
    {
      ...{ id: 'code', name: 'Code', state: 'active', class: 'transactional' },
      messages: [{ id: 'two', android_push: { title: 'Code', alert: '1234' } }],
    },
  ],
}

type Token = {
  readonly app_id: string
  readonly token: string
  readonly device_id?: string
  readonly notifications_enabled?: boolean
}

const onSite = ({ token }: Browser, device_id = `browser-${newId()}`): Token => ({ app_id: site.id, token, device_id })

/** What the tests do with one service. */
function actions(service: () => Service) {
  const userOf = async (id: string): Promise<Item> => {
    const asked = { external_ids: [id], fields_to_export: ['service_id', 'push_tokens'] }
    return (await service().post('/users/export/ids', asked)).body.users[0]
  }
  const messages = async (id: string): Promise<Item[]> => {
    const { service_id } = await userOf(id)
    return (await service().admin('GET', `/admin/messages?person=${service_id}`)).body.messages
  }
  return {
    messages,
    tokensOf: async (id: string) =>
      ((await userOf(id)).push_tokens as Item[] | undefined)?.map(({ token }) => token) ?? [],
    async person(push_tokens: readonly Token[], more: Item = {}) {
      const id = newId()
      const answer = await service().post('/users/track', { attributes: [{ external_id: id, push_tokens, ...more }] })
      assert.equal(answer.status, 201, answer.text)
      return id
    },
    async send(ids: readonly string[], content: Item, more: Item = {}) {
      const answer = await service().post('/messages/send', { external_user_ids: ids, messages: content, ...more })
      assert.equal(answer.status, 201, answer.text)
      await service().advance('PT1S')
    },
    async trigger(kind: 'canvas' | 'campaigns', flow: string, id: string) {
      const name = kind === 'canvas' ? 'canvas_id' : 'campaign_id'
      const answer = await service().post(`/${kind}/trigger/send`, {
        [name]: flow,
        recipients: [{ external_user_id: id }],
      })
      assert.equal(answer.status, 201, answer.text)
      await service().advance('PT1S')
    },
    async refused(content: Item, expected: RegExp) {
      const answer = await service().post('/messages/send', { external_user_ids: ['x'], messages: content })
      assert.equal(answer.status, 400, `${JSON.stringify(content).slice(0, 200)} ${answer.text}`)
      assert.match(answer.text, expected)
    },
    reasons: async (id: string) => (await messages(id)).map(({ reason, state }) => reason ?? state),
  }
}

const start = (database: Database, env: { readonly [name: string]: string }) =>
  startService({ database, workspace, env: { EASEL_CLOCK: 'virtual', ...env } })

for (const database of drawDatabases('push')) {
  describe(`pushes by push services (${database})`, () => {
    let web: PushService
    let fcm: FakeFcm
    let service: Service
    const { person, send, trigger, messages, reasons, refused, tokensOf } = actions(() => service)
    before(async () => {
      ;[web, fcm] = await Promise.all([startPushService(), startFakeFcm()])
      service = await start(database, { ...web.env, ...fcm.env })
    })
    after(async () => {
      await service?.[Symbol.asyncDispose]()
      await Promise.all([web?.close(), fcm?.close()])
    })
    beforeEach(() => {
      for (const list of [web.taken, web.next, web.complaints, fcm.taken, fcm.next, fcm.complaints]) list.length = 0
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

    test('what FCM passes on has at most 4,096 bytes after it is rendered', async () => {
      const around = JSON.stringify({ notification: { body: '' } }).length
      for (const [bytes, reason] of [
        [4_095, 'sent'],
        [4_096, 'sent'],
        [4_097, 'template_error'],
      ] as const) {
        const id = await person([{ app_id: robot.id, token: newId() }], { first_name: 'b'.repeat(200) })
        const alert = `{{\${first_name}}}${'a'.repeat(bytes - around - 200)}`
        await send([id], { android_push: { alert } })
        assert.deepEqual(await reasons(id), [reason])
      }
      assert.deepEqual(fcm.complaints, [])
    })

    test('Apple and Android devices get a push by FCM, with one bearer token', async () => {
      const [apple, android] = [newId(), newId()]
      const id = await person([
        { app_id: phone.id, token: apple },
        { app_id: robot.id, token: android },
      ])
      const common = { custom_uri: 'shop://offers', extra: { n: 1, who: '{{${user_id}}}' } }
      await send([id], {
        apple_push: { alert: { title: 'Shop', body: 'Hi' }, badge: 3, sound: 'default', category: 'c', ...common },
        android_push: { alert: 'Hi', title: 'Shop', notification_channel_id: 'news', time_to_live: 60, ...common },
      })
      assert.deepEqual([await reasons(id), fcm.complaints], [['sent', 'sent'], []])
      const got = new Map(fcm.taken.map((one) => [one.token, one]))
      const data = { n: '1', who: id, custom_uri: 'shop://offers' }
      for (const token of [apple, android]) {
        assert.deepEqual([got.get(token)?.notification, got.get(token)?.data], [{ title: 'Shop', body: 'Hi' }, data])
      }
      const { collapse_key, ...rest } = got.get(android)!.android!
      assert.match(collapse_key, /^[\w-]{32}$/)
      assert.deepEqual(rest, {
        priority: 'normal',
        ttl: '60s',
        notification: { tag: collapse_key, channel_id: 'news' },
      })
      assert.deepEqual(got.get(apple)!.apns!.payload, { aps: { badge: 3, sound: 'default', category: 'c' } })
      assert.equal(got.get(apple)!.apns!.headers['apns-priority'], '5')
      // Each of the two channels has its own.
      assert.ok(fcm.tokensGiven() <= 2)
    })

    test('a token that FCM no longer knows is removed, and a bearer token that it refuses is replaced', async () => {
      const [gone, known] = [newId(), newId()]
      const first = await person([{ app_id: robot.id, token: gone }])
      const other = await person([{ app_id: robot.id, token: known }])
      fcm.unregistered.add(gone)
      await trigger('campaigns', 'code', first)
      assert.deepEqual([await reasons(first), await tokensOf(first)], [['refused_by_server'], []])
      fcm.revoke()
      await trigger('campaigns', 'code', other)
      assert.deepEqual([await reasons(other), await tokensOf(other)], [['queued'], [known]])
      await service.advance('PT5M')
      assert.deepEqual(await reasons(other), ['sent'])
    })

    test('an answer of FCM decides: later, never, or perhaps', async () => {
      const one = () => person([{ app_id: robot.id, token: newId() }])
      const [busy, away, sender, cut] = [await one(), await one(), await one(), await one()]
      fcm.next.push({
        status: 429,
        headers: { 'retry-after': '3600' },
        body: fcmError(429, 'QUOTA_EXCEEDED', 'slower'),
      })
      await trigger('campaigns', 'code', busy)
      fcm.next.push({ status: 503, body: fcmError(503, 'UNAVAILABLE', 'later') })
      await trigger('campaigns', 'code', away)
      assert.deepEqual([await reasons(busy), await reasons(away)], [['queued'], ['queued']])
      fcm.next.push({ status: 403, body: fcmError(403, 'SENDER_ID_MISMATCH', 'another project') })
      await trigger('campaigns', 'code', sender)
      assert.deepEqual([await reasons(sender), (await tokensOf(sender)).length], [['refused_by_server'], 1])
      fcm.next.push('cut after')
      await trigger('campaigns', 'code', cut)
      await service.advance('PT2H')
      assert.deepEqual([await reasons(busy), await reasons(away), await reasons(cut)], [['sent'], ['sent'], ['sent']])
      const [token] = await tokensOf(cut)
      const twice = fcm.taken.filter((push) => push.token === token)
      assert.deepEqual([twice.length, new Set(twice.map(({ android }) => android?.notification.tag)).size], [2, 1])
    })
  })

  describe(`pushes without a push service (${database})`, () => {
    let service: Service
    const { person, send } = actions(() => service)
    before(async () => {
      service = await start(database, {})
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
