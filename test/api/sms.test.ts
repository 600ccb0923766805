import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type FeedLine, readFeed } from '../support/feed.ts'
import { type Database, drawDatabases, type Service, startService } from '../support/harness.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { type Item, newId } from '../support/people.ts'
import { type SmsProvider, startSmsProvider } from '../support/sms-provider.ts'

const offers = { id: 'c0000000-0000-4000-8000-00000000000a', name: 'Offers', channel: 'sms' }
const alerts = { id: 'c0000000-0000-4000-8000-00000000000b', name: 'Alerts', channel: 'sms' }
const mails = { id: 'c0000000-0000-4000-8000-00000000000c', name: 'Mails', channel: 'email' }
const sender = '+15550001111'
const alertSender = '+15550002222'
const publicUrl = 'https://easel.example.com'

const text = (body: string, more: Item = {}): Item => ({ body, subscription_group_id: offers.id, ...more })

const workspace = {
  ...sendingWorkspace,
  settings: { time_zone: 'UTC', feed: true, sms: { from: sender, from_by_group: { [alerts.id]: alertSender } } },
  subscription_groups: [offers, alerts, mails],
  canvases: [
    {
      ...{ id: 'greet', name: 'Greet', state: 'active', entry: { by: ['api'], again: 'always' }, first: 'say' },
      steps: [{ id: 'say', type: 'message', channel: 'sms', message: text('Hi {{${first_name}}}') }],
    },
  ],
  campaigns: [
    { id: 'sale', name: 'Sale', state: 'active', messages: [{ id: 'one', sms: text('Sale!') }] },
    {
      ...{ id: 'code', name: 'Code', state: 'active', class: 'transactional' },
      messages: [{ id: 'two', sms: text('Your code is 1', { subscription_group_id: alerts.id }) }],
    },
  ],
}

const leftRule = 'the person has left the group at the provider'
const isOf = ({ person }: FeedLine['data'], id: string) => person.external_id === id

let made = 0
const newPhone = () => `+4915112${String(++made).padStart(6, '0')}`

/** What the tests do with one service. */
function actions(service: () => Service) {
  const messages = async (id: string): Promise<Item[]> => {
    const asked = { external_ids: [id], fields_to_export: ['service_id'] }
    const { users } = (await service().post('/users/export/ids', asked)).body
    return (await service().admin('GET', `/admin/messages?person=${users[0].service_id}`)).body.messages
  }
  return {
    messages,
    async person(more: Item = {}, groups: readonly string[] = [offers.id, alerts.id]) {
      const id = newId()
      const phone = newPhone()
      const subscription_groups = groups.map((group) => {
        return { subscription_group_id: group, subscription_state: 'subscribed' }
      })
      const own = { external_id: id, phone, ...(groups.length > 0 && { subscription_groups }), ...more }
      const answer = await service().post('/users/track', { attributes: [own] })
      assert.equal(answer.status, 201, answer.text)
      return { id, phone }
    },
    async send(ids: readonly string[], sms: Item, more: Item = {}) {
      const answer = await service().post('/messages/send', { external_user_ids: ids, messages: { sms }, ...more })
      assert.equal(answer.status, 201, answer.text)
      await service().advance('PT1S')
      return String(answer.body.dispatch_id)
    },
    async trigger(kind: 'canvas' | 'campaigns', flow: string, id: string) {
      const name = kind === 'canvas' ? 'canvas_id' : 'campaign_id'
      const body = { [name]: flow, recipients: [{ external_user_id: id }] }
      const answer = await service().post(`/${kind}/trigger/send`, body)
      assert.equal(answer.status, 201, answer.text)
      await service().advance('PT1S')
    },
    reasons: async (id: string) => (await messages(id)).map(({ reason }) => reason),
  }
}

const start = (database: Database, env: { readonly [name: string]: string }) =>
  startService({ database, workspace, env: { EASEL_CLOCK: 'virtual', PUBLIC_URL: publicUrl, ...env } })

for (const database of drawDatabases('sms')) {
  describe(`text messages by a provider (${database})`, () => {
    let provider: SmsProvider
    let service: Service
    const { person, send, trigger, messages, reasons } = actions(() => service)
    const call = (name: string, fields: Readonly<Record<string, string>>, secret?: string) =>
      provider.call(service.url, `${publicUrl}/webhooks/sms/${name}`, fields, secret)
    before(async () => {
      provider = await startSmsProvider()
      service = await start(database, { SMS_URL: provider.url })
    })
    after(async () => {
      await service?.[Symbol.asyncDispose]()
      await provider?.close()
    })
    beforeEach(() => {
      provider.taken.length = 0
      provider.next.length = 0
      provider.complaints.length = 0
    })

    test('a text is rendered, and goes to the number in E.164 from the sender of its group', async () => {
      const { id, phone } = await person({ first_name: 'Ann' })
      await trigger('canvas', 'greet', id)
      await trigger('campaigns', 'code', id)
      assert.deepEqual(
        provider.taken.map(({ to, from, body }) => [to, from, body]),
        [
          [phone, sender, 'Hi Ann'],
          [phone, alertSender, 'Your code is 1'],
        ],
      )
      assert.deepEqual(provider.complaints, [])
      const [code] = await messages(id)
      assert.equal(code!.sentence, `The text message "Your code is 1" of the campaign "Code" was sent to ${phone}.`)
    })

    test('a name, a short code or a messaging service can be the sender of one text', async () => {
      const { id } = await person()
      const service_id = `MG${'a'.repeat(32)}`
      await send([id], text('One', { from: 'Shop' }))
      await send([id], text('Two', { from: service_id }))
      assert.deepEqual(
        provider.taken.map(({ from, service: by }) => [from, by]),
        [
          ['Shop', undefined],
          [undefined, service_id],
        ],
      )
    })

    test('a text without a group, with a wrong one, or with an unknown member is refused by name', async () => {
      const cases: readonly (readonly [Item, RegExp])[] = [
        [{ body: 'x' }, /messages\.sms\.subscription_group_id is required/],
        [
          text('x', { subscription_group_id: mails.id }),
          /subscription_group_id must be the id of a subscription group for text/,
        ],
        [text('x', { subscription_group_id: 'none' }), /subscription_group_id must be/],
        [text(''), /messages\.sms\.body is required/],
        [text('a'.repeat(1_531)), /messages\.sms\.body takes 11 segments of GSM-7, of at most 10/],
        [text('Ж'.repeat(671)), /messages\.sms\.body takes 11 segments of UCS-2, of at most 10/],
        [text('{% if %}'), /messages\.sms\.body /],
        [text('x', { from: 'A name that is too long' }), /messages\.sms\.from must be a sender/],
        [text('x', { media_items: [] }), /messages\.sms\.media_items is not known here/],
      ]
      for (const [sms, expected] of cases) {
        const { status, text: said } = await service.post('/messages/send', {
          external_user_ids: ['x'],
          messages: { sms },
        })
        assert.equal(status, 400, said)
        assert.match(said, expected)
      }
      for (const body of ['a'.repeat(1_529), 'a'.repeat(1_530)]) {
        const messages = { sms: text(body) }
        assert.equal((await service.post('/messages/send', { external_user_ids: [newId()], messages })).status, 201)
      }
    })

    test('only people who are subscribed to the group get it, and one who left it gets nothing at all', async () => {
      const never = await person({}, [])
      const left = await person()
      const status = {
        subscription_groups: [
          { subscription_group_id: offers.id, subscription_state: 'unsubscribed', phones: [left.phone] },
        ],
      }
      assert.equal((await service.post('/v2/subscription/status/set', status)).status, 201)
      const none = await person({ phone: null })
      const odd = await person({ phone: '12' })
      const ids = [never.id, left.id, none.id, odd.id]
      await send(ids, text('Marketing'))
      assert.deepEqual(await Promise.all(ids.map(reasons)), [
        ['group_unsubscribed'],
        ['group_unsubscribed'],
        ['no_address'],
        ['no_address'],
      ])
      await send([never.id, left.id], text('For all'), { recipient_subscription_state: 'all' })
      assert.deepEqual(
        provider.taken.map(({ to }) => to),
        [never.phone],
      )
    })

    test('STOP, START and HELP change the state of the group whose sender they were sent to, once', async () => {
      const { id, phone } = await person()
      const inbound = (Body: string, MessageSid: string, To = alertSender) =>
        call('default/inbound', { From: phone, To, Body, MessageSid })
      const stopped = await inbound(' stop ', 'SM1')
      assert.equal(stopped.status, 200)
      assert.match(stopped.text, /<Response><Message>You will get no more messages\. Reply START/)
      await trigger('campaigns', 'code', id)
      await trigger('campaigns', 'sale', id)
      assert.deepEqual(await reasons(id), ['sent', 'group_unsubscribed'])
      assert.match((await inbound('START', 'SM2')).text, /<Message>You will get messages again/)
      // The provider repeats a request that it thinks was not answered.
      assert.equal((await inbound('STOP', 'SM1')).status, 200)
      await trigger('campaigns', 'code', id)
      assert.equal((await reasons(id))[0], 'sent')
      assert.match((await inbound('help', 'SM3')).text, /<Message>Reply STOP to get no more messages\.<\/Message>/)
      assert.equal((await inbound('Is this <you>?', 'SM4')).text.includes('<Message>'), false)
    })

    test('START to a sender that groups share returns to what the number has left, and to nothing else', async () => {
      const { id, phone } = await person({}, [])
      const inbound = (Body: string, MessageSid: string) =>
        call('default/inbound', { From: phone, To: sender, Body, MessageSid })
      await inbound('START', 'SM31')
      await trigger('campaigns', 'sale', id)
      assert.deepEqual(await reasons(id), ['group_unsubscribed'])
      await inbound('STOP', 'SM32')
      await inbound('START', 'SM33')
      await trigger('campaigns', 'sale', id)
      assert.equal((await reasons(id))[0], 'sent')
    })

    test('a request without the signature of the provider changes nothing', async () => {
      const { id, phone } = await person()
      const fields = { From: phone, To: sender, Body: 'STOP', MessageSid: 'SM9' }
      assert.equal((await call('default/inbound', fields, 'a guess')).status, 403)
      assert.equal((await call('default/status', { MessageStatus: 'failed' }, 'a guess')).status, 403)
      assert.equal((await call('nowhere/inbound', fields)).status, 404)
      await trigger('campaigns', 'sale', id)
      assert.deepEqual(await reasons(id), ['sent'])
    })

    test('a number that gets no texts is listed as invalid, and gets no other until it is removed', async () => {
      const refused = await person()
      provider.next.push({ status: 400, code: 21_614, message: 'not a mobile number' })
      await trigger('campaigns', 'sale', refused.id)
      const later = await person()
      await trigger('campaigns', 'sale', later.id)
      const { statusUrl } = provider.taken.at(-1)!
      const report = { MessageSid: 'SM5', MessageStatus: 'undelivered', ErrorCode: '30005', To: later.phone }
      assert.equal((await provider.call(service.url, statusUrl, report)).status, 200)
      const named = [refused, later].map(({ phone }) => `phone_numbers[]=${encodeURIComponent(phone)}`).join('&')
      const list = async () => (await service.get(`/sms/invalid_phone_numbers?${named}`)).body.sms as Item[]
      assert.deepEqual(new Set((await list()).map(({ phone }) => phone)), new Set([refused.phone, later.phone]))
      assert.ok((await list()).every(({ reason }) => reason === 'provider_error'))
      const [message] = await messages(later.id)
      assert.deepEqual([message!.reason, typeof message!.bounced_at], ['sent', 'string'])
      await trigger('campaigns', 'code', refused.id)
      assert.equal((await reasons(refused.id))[0], 'suppressed')
      const removed = await service.post('/sms/invalid_phone_numbers/remove', { phone_numbers: [refused.phone] })
      assert.equal(removed.status, 201)
      await trigger('campaigns', 'code', refused.id)
      assert.equal((await reasons(refused.id))[0], 'sent')
      await service.post('/users/delete', { external_ids: [later.id] })
      await service.advance('PT1S')
      const { rows } = { rows: await list() }
      assert.deepEqual(
        rows.map(({ phone }) => phone),
        [later.phone],
      )
    })

    test('a person who has left at the provider gets no more texts of the group, also when a report says it', async () => {
      const [refused, reported] = [await person(), await person()]
      provider.next.push({ status: 400, code: 21_610, message: 'unsubscribed recipient' })
      await trigger('campaigns', 'sale', refused.id)
      const [{ message_id }] = (await messages(refused.id)) as [Item]
      const { message } = (await service.admin('GET', `/admin/messages/${message_id}`)).body
      assert.deepEqual([message.reason, message.decisions[0].rule], ['refused_by_server', leftRule])
      await trigger('campaigns', 'code', reported.id)
      const { statusUrl, from } = provider.taken.at(-1)!
      const left = { MessageSid: 'SM10', MessageStatus: 'failed', ErrorCode: '21610', From: from!, To: reported.phone }
      for (let i = 0; i < 2; i++) assert.equal((await provider.call(service.url, statusUrl, left)).status, 200)
      for (const { id } of [refused, reported]) {
        await trigger('campaigns', 'sale', id)
        await trigger('campaigns', 'code', id)
      }
      // The newest first. Each sender has a group of its own.
      assert.deepEqual(await reasons(refused.id), ['sent', 'group_unsubscribed', 'refused_by_server'])
      assert.deepEqual(await reasons(reported.id), ['group_unsubscribed', 'sent', 'sent'])
    })

    test('the feed tells what happens to texts, with the number, and once that one arrived', async () => {
      const { id, phone } = await person()
      await trigger('campaigns', 'code', id)
      const { statusUrl } = provider.taken.at(-1)!
      for (const MessageStatus of ['sent', 'delivered', 'delivered']) {
        const answer = await provider.call(service.url, statusUrl, { MessageSid: 'SM11', MessageStatus })
        assert.equal(answer.status, 200)
      }
      await call('default/inbound', { From: phone, To: alertSender, Body: 'STOP', MessageSid: 'SM12' })
      const has = (lines: readonly FeedLine[]) =>
        lines.some(({ data }) => isOf(data, id) && data.state === 'unsubscribed')
      const lines = (await readFeed(service, has)).filter(({ data }) => isOf(data, id))
      const about = lines.filter(({ type }) => type.startsWith('message.'))
      assert.deepEqual(
        about.map(({ type, data: { channel, phone: to, email, campaign_id } }) => [
          type,
          channel,
          to,
          email,
          campaign_id,
        ]),
        ['message.sent', 'message.delivered'].map((type) => [type, 'sms', phone, undefined, 'code']),
      )
      const { data } = lines.at(-1)!
      assert.deepEqual([data.channel, data.phone, data.subscription_group_id], ['sms', phone, alerts.id])
    })

    test('an answer of the provider decides: later, never, or perhaps', async () => {
      const [busy, policy, cut] = [await person(), await person(), await person()]
      provider.next.push({ status: 429, code: 20_429, message: 'Too many requests' })
      await trigger('campaigns', 'sale', busy.id)
      assert.deepEqual(
        (await messages(busy.id)).map(({ state }) => state),
        ['queued'],
      )
      await service.advance('PT1H')
      assert.deepEqual(await reasons(busy.id), ['sent'])
      provider.next.push({ status: 400, code: 30_007, message: 'message filtered' })
      await trigger('campaigns', 'sale', policy.id)
      assert.deepEqual(await reasons(policy.id), ['refused_by_server'])
      provider.next.push('cut after')
      await trigger('campaigns', 'sale', cut.id)
      assert.deepEqual(await reasons(cut.id), ['uncertain'])
      provider.next.push('cut after')
      await trigger('campaigns', 'code', cut.id)
      await service.advance('PT1H')
      const codes = provider.taken.filter(({ body }) => body.startsWith('Your code'))
      // A provider that knows the key of both sends the text once.
      assert.deepEqual([codes.length, new Set(codes.map(({ key }) => key)).size], [2, 1])
    })
  })

  describe(`text messages without a provider (${database})`, () => {
    let service: Service
    const { person, send } = actions(() => service)
    before(async () => {
      service = await start(database, {})
    })
    after(async () => service?.[Symbol.asyncDispose]())

    test('the inbox keeps each text, with its segments', async () => {
      const { id, phone } = await person()
      await send([id], text('Grüße 😀'))
      const { messages: kept } = (await service.admin('GET', `/admin/inbox?external_id=${id}`)).body
      assert.deepEqual([kept[0].channel, kept[0].to, kept[0].subject], ['sms', phone, 'Grüße 😀'])
      const { body } = await service.admin('GET', `/admin/inbox/${kept[0].id}`)
      assert.deepEqual([body.from, body.text], [sender, 'Grüße 😀'])
      assert.deepEqual(body.details, { encoding: 'UCS-2', segments: 1, units: 8, units_left: 62 })
      const hook = await fetch(`${service.url}/webhooks/sms/default/inbound`, {
        method: 'POST',
        body: new URLSearchParams({ Body: 'STOP' }),
      })
      assert.equal(hook.status, 404)
    })
  })
}
