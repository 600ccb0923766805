import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { channels } from '../../src/messaging/orders/message-schema.ts'
import { seed, sizes } from '../sizes.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases } from '../support/harness.ts'
import { audience, letter, mail, sendingWorkspace } from '../support/messages.ts'
import { apps, many, newAlias, newEmail, newId, peopleOf } from '../support/people.ts'

type Item = Readonly<Record<string, unknown>>

const path = '/messages/send'
const tooManyIds = 'The max number of ids per request was exceeded'
const tooManyTogether = 'The max number of external_ids and aliases per request was exceeded'
const notTree =
  'audience must be an object with one of AND, OR, custom_attribute, push_subscription_status, ' +
  'email_subscription_status, last_used_app, not ""'
const noSegment = 'segment_id must be a string of the Segment api identifier'
const noTemplate = 'messages.email.email_template_id must be the id of an email template of this workspace'
const dispatchId = /^[0-9a-f]{32}$/
const push = { alert: 'hello' }
const ann = { external_user_ids: ['ann'] }

/** Returns a push of exactly this many bytes. */
const pushOf = (bytes: number): Item => ({ alert: 'a'.repeat(bytes - JSON.stringify({ alert: '' }).length) })
const pushed = (messages: Item): Item => ({ ...ann, messages })

/** Bodies with one invalid member, and the error text of each. */
const refusals: readonly [what: string, body: unknown, message: string][] = [
  ['the body is a list', [], 'The request body must be an object'],
  ['ids are an object', { external_user_ids: {} }, "'external_user_ids' must be an array of strings"],
  ['ids are a flag', { external_user_ids: true }, "'external_user_ids' must be an array of strings"],
  ['an id is empty', { external_user_ids: ['a', ''] }, "'external_user_ids[1]' is not valid"],
  ['an id is null', { external_user_ids: [null] }, "'external_user_ids[0]' is not valid"],
  ['an id is a fraction', { external_user_ids: [1.5] }, "'external_user_ids[0]' is not valid"],
  ['an id is too long', { external_user_ids: ['i'.repeat(988)] }, "'external_user_ids[0]' is not valid"],
  ['an id holds NUL', { external_user_ids: ['a\0'] }, "'external_user_ids[0]' is not valid"],
  ['aliases are a text', { user_aliases: 'ann' }, "'user_aliases' must be an array of objects"],
  ['an alias has no label', { user_aliases: [{ alias_name: 'a' }] }, "'user_aliases[0]' is not valid"],
  ['a segment is a number', letter({ segment_id: 7 }), noSegment],
  ['a segment is an empty variable', letter({ ...ann, segment_id: '' }), noSegment],
  ['a segment of an old client is an empty variable', letter({ ...ann, segment_ids: '' }), noSegment],
  ['an entry of old clients is an empty variable', letter({ ...ann, segment_ids: [''] }), noSegment],
  ['an audience is an empty variable', letter({ ...ann, audience: '' }), notTree],
  ['there is no such segment', letter({ ...ann, segment_id: 'silver' }), noSegment],
  [
    'an old client names two segments',
    letter({ ...ann, segment_ids: ['a', 'b'] }),
    "'segment_ids' may name only one segment",
  ],
  ['a flag is a number', letter({ ...ann, broadcast: 1 }), "'broadcast' must be true or false"],
  [
    'a flag is another word',
    letter({ ...ann, override_frequency_capping: 'yes' }),
    "'override_frequency_capping' must be true or false",
  ],
  [
    'broadcast with recipients',
    letter({ ...ann, broadcast: true }),
    "'broadcast' must be false when 'external_user_ids' or 'user_aliases' are given",
  ],
  [
    'the state is none',
    letter({ ...ann, recipient_subscription_state: 'unsubscribed' }),
    "'recipient_subscription_state' must be opted_in, subscribed or all",
  ],
  ['a send_id is a number', letter({ ...ann, send_id: 7 }), "'send_id' must be text of 1 to 255 characters"],
  ['a send_id holds NUL', letter({ ...ann, send_id: '\0' }), "'send_id' must be text of 1 to 255 characters"],
  ['there is no such campaign', letter({ ...ann, campaign_id: 'summer' }), 'Invalid Campaign ID'],
  ['a campaign is a number', letter({ ...ann, campaign_id: 7 }), 'Invalid Campaign ID'],
  ['there is no such variation', letter(ann, { message_variation_id: 'a' }), 'Invalid Message Variant'],
  ['nothing is sent', ann, 'No message to send'],
  ['nothing that is known is sent', { ...ann, messages: { telegram: {} } }, 'No message to send'],
  ['only empty pushes are sent', { ...ann, messages: { apple_push: {}, web_push: {} } }, 'No message to send'],
  ['messages are a list', { ...ann, messages: [] }, "'messages' must be an object"],
  ['a channel is a text', pushed({ apple_push: 'hello' }), 'messages.apple_push must be an object'],
  ['a mail is a list', pushed({ email: [] }), 'messages.email must be an object'],
  ['a mail is empty', pushed({ email: {} }), 'messages.email.app_id is required'],
  ['there is no such template', letter(ann, { email_template_id: 'x' }), noTemplate],
  ['extra is a text', pushed({ apple_push: { ...push, extra: 'a' } }), 'Invalid Extra Push Payload'],
  ['extra is a list', pushed({ email: mail(), android_push: { extra: [] } }), 'Invalid Extra Push Payload'],
  ['a push is nested too deep', pushed({ web_push: deep(60) }), "'messages.web_push' is not valid"],
  [
    'a time is given',
    { ...letter(ann), schedule: {} },
    "'schedule' is not accepted here, and nothing was sent: use '/messages/schedule/create' for a schedule",
  ],
  [
    'an old time is given',
    { ...letter(ann), send_at: '2030-01-01' },
    "'send_at' is not accepted here, and nothing was sent: use '/messages/schedule/create' for a schedule",
  ],
]

function deep(levels: number): Item {
  return levels === 0 ? {} : { inner: deep(levels - 1) }
}

/** A request with many errors, and one correction after another. Each comes with the error text before the correction. */
const repairs: readonly [message: string, repair: Item][] = [
  ['The max number of ids per request was exceeded', { external_user_ids: [] }],
  [noSegment, { segment_id: null }],
  ['audience.AND is empty; it must have at least one condition', { audience: null }],
  ["'broadcast' must be true or false", { broadcast: false }],
  ['No Recipients', ann],
  ["'recipient_subscription_state' must be opted_in, subscribed or all", { recipient_subscription_state: 'all' }],
  ["'override_frequency_capping' must be true or false", { override_frequency_capping: 'true' }],
  ["'send_id' must be text of 1 to 255 characters", { send_id: 'summer' }],
  ['Invalid Campaign ID', { campaign_id: null }],
  [
    'No message to send',
    { messages: { apple_push: { ...pushOf(1_913), message_variation_id: 'a', extra: 'b' }, email: {} } },
  ],
  ['Invalid Message Variant', { messages: { apple_push: { ...pushOf(1_913), extra: 'b' }, email: {} } }],
  ['Invalid Extra Push Payload', { messages: { apple_push: pushOf(1_913), email: {} } }],
  ['Apple Push Length Exceeded', { messages: { apple_push: push, email: {} } }],
  [
    'messages.email.app_id is required',
    { messages: { email: mail({ email_template_id: 'x' }) }, segment_id: 'silver' },
  ],
  [noSegment, { segment_id: 'gold' }],
  [noTemplate, { messages: { email: mail() } }],
]

for (const database of drawDatabases('messages-send')) {
  describe(`${path} (${database})`, () => {
    const people = peopleOf(database, { workspace: sendingWorkspace })
    const send = (body: unknown) => people.send(path, body)
    const taken = async (body: unknown) => {
      const answer = await send(body)
      assert.equal(answer.status, 201, `${JSON.stringify(body)}: ${answer.text}`)
      return answer.body as Item
    }

    test('a mail to a person is accepted, and the order has an id', async () => {
      const { dispatch_id, ...rest } = await taken(letter(ann))
      assert.match(String(dispatch_id), dispatchId)
      assert.deepEqual(rest, { message: 'success' })
    })

    test('the message is the last member, and a send_id is returned', async () => {
      const { text, body } = await send(letter({ ...ann, send_id: 'summer 26' }))
      assert.match(text, /^\{"dispatch_id":"[0-9a-f]{32}","send_id":"summer 26","message":"success"\}$/)
      assert.equal((body as Item).notice, undefined)
    })

    test('an invalid request is refused with the text of the interface', async () => {
      for (const [what, body, message] of refusals) {
        const answer = await send(body)
        assert.deepEqual([what, answer.status, answer.body.message], [what, 400, message])
      }
    })

    test('of several errors the first in a fixed order is returned', async () => {
      let body: Item = {
        external_user_ids: many(51, (i) => `id-${i}`),
        segment_id: 7,
        audience: { AND: [] },
        broadcast: 'maybe',
        recipient_subscription_state: 'none',
        override_frequency_capping: 'maybe',
        send_id: 7,
        campaign_id: 'x',
      }
      for (const [message, repair] of repairs) {
        const answer = await send(body)
        assert.deepEqual([answer.status, answer.body.message], [400, message])
        body = { ...body, ...repair }
      }
      await taken(body)
    })

    test('a request can name fifty people, external ids and aliases together', async () => {
      const ids = (count: number) => many(count, (i) => `id-${i}`)
      const aliases = (count: number) => many(count, () => newAlias())
      for (const [external_user_ids, user_aliases] of [
        [ids(49), []],
        [ids(50), []],
        [ids(25), aliases(25)],
        [[], aliases(50)],
      ]) {
        await taken(letter({ external_user_ids, user_aliases }))
      }
      await people.refused(path, letter({ external_user_ids: ids(51) }), tooManyIds)
      await people.refused(path, letter({ external_user_ids: ids(25), user_aliases: aliases(26) }), tooManyTogether)
      await people.refused(path, letter({ user_aliases: aliases(51) }), tooManyTogether)
      await people.refused(path, letter({ external_user_ids: many(51, () => 'same') }), tooManyIds)
    })

    test('all recipient forms of existing clients are accepted', async () => {
      const alias = newAlias()
      for (const who of [
        { external_user_ids: [12345, 'ann', 'ann'] },
        { external_user_ids: null, user_aliases: [alias] },
        { external_user_ids: [], user_aliases: alias },
        { external_user_ids: ['i'.repeat(987)] },
        { ...ann, segment_id: null, segment_ids: null, audience: null },
        { ...ann, segment_ids: ['gold'] },
        { ...ann, segment_ids: [], audience, segment_id: 'gold' },
        { ...ann, broadcast: 'false', override_frequency_capping: 'true', override_messaging_limits: true },
        { ...ann, campaign_id: null, app_group_id: 'x', api_key: 'y', trigger_properties: {} },
        { ...ann, send_id: 's'.repeat(254) },
        { ...ann, send_id: 's'.repeat(255) },
      ]) {
        await taken(letter(who))
      }
      await people.refused(
        path,
        letter({ ...ann, send_id: 's'.repeat(256) }),
        "'send_id' must be text of 1 to 255 characters",
      )
    })

    test('an order to everybody in a segment or an audience requires broadcast', async () => {
      const hint = (detail: string) => ({ message: 'No Recipients', details: [detail] })
      const unconfirmed = hint("'broadcast' must be true when neither 'external_user_ids' nor 'user_aliases' are given")
      const nobody = hint("one of 'external_user_ids', 'user_aliases', 'segment_id' or 'audience' is required")
      for (const who of [{ segment_id: 'gold' }, { audience }, { segment_id: 'gold', audience }]) {
        for (const broadcast of [true, 'true']) await taken(letter({ ...who, broadcast, external_user_ids: [] }))
        for (const broadcast of [undefined, null, false, 'false']) {
          assert.deepEqual((await send(letter({ ...who, broadcast }))).body, unconfirmed)
        }
      }
      for (const broadcast of [undefined, true, false]) {
        assert.deepEqual((await send(letter({ broadcast, user_aliases: [] }))).body, nobody)
      }
    })

    test('pushes are measured as the interface measures them', async () => {
      for (const [name, max, message] of [
        ['apple_push', 1_912, 'Apple Push Length Exceeded'],
        ['android_push', 4_000, 'Android Push Length Exceeded'],
      ] as const) {
        for (const bytes of [max - 1, max]) await taken(pushed({ email: mail(), [name]: pushOf(bytes) }))
        await people.refused(path, pushed({ [name]: pushOf(max + 1) }), message)
        await people.refused(path, pushed({ email: mail(), [name]: pushOf(max + 1) }), message)
      }
      for (const length of [139, 140]) await taken(pushed({ email: mail(), slideup: { alert: '☕'.repeat(length) } }))
      await people.refused(path, pushed({ slideup: { alert: 'a'.repeat(141) } }), 'Slideup Message Length Exceeded')
    })

    test('channels without delivery are named beside an e-mail, and refused without one', async () => {
      const named = (channel: string) => ({ member: `messages.${channel}`, reason: 'is not delivered here' })
      const { dispatch_id, ...rest } = await taken(
        pushed({ email: mail(), kindle_push: push, whats_app: { body: 'hi' } }),
      )
      assert.match(String(dispatch_id), dispatchId)
      const notices = [named('kindle_push'), named('whats_app')]
      assert.deepEqual(rest, { notice: 'Not delivered here: kindle_push, whats_app.', notices, message: 'success' })
      const refusal = (...names: string[]) =>
        `Nothing is sent: only email, sms, web_push, apple_push, android_push, webhook are delivered here, not ${names.join(', ')}`
      const delivered = ['email', 'sms', 'web_push', 'apple_push', 'android_push', 'webhook']
      for (const channel of channels.filter((name) => !delivered.includes(name))) {
        await people.refused(path, pushed({ [channel]: push }), refusal(channel))
      }
      await people.refused(
        path,
        pushed({ whats_app: { body: 'hi' }, kindle_push: push }),
        refusal('kindle_push', 'whats_app'),
      )
      const known = await taken(pushed({ email: mail(), fax: { body: 'hi' }, web_push: {} }))
      assert.deepEqual(known.notices, [{ member: 'messages.fax', reason: 'is not a known channel' }])
      await people.refused(path, pushed({ fax: { body: 'hi' } }), 'No message to send')
    })

    test('a push to apple devices alone is an order, and an empty push beside it is none', async () => {
      const { dispatch_id, ...rest } = await taken(pushed({ apple_push: push, android_push: {}, web_push: {} }))
      assert.match(String(dispatch_id), dispatchId)
      assert.deepEqual(rest, { message: 'success' })
    })

    test('an order is stored as it was parsed', async () => {
      const alias = newAlias()
      const who = { external_user_ids: [7, 'ann', '7'], user_aliases: [alias, alias], segment_ids: ['gold'], audience }
      const asked = letter({
        ...who,
        broadcast: 'false',
        recipient_subscription_state: 'all',
        send_id: 'summer',
        more: 1,
      })
      const { dispatch_id } = await taken(asked)
      const kept = async (id: unknown) => (await people.service.admin('GET', `/admin/dispatches/${id}`)).body.dispatch
      const { sending, class: kind, send_id, schedule } = await kept(dispatch_id)
      assert.deepEqual([kind, send_id, schedule], ['transactional', 'summer', null])
      assert.deepEqual(sending, {
        recipients: [{ external_user_id: '7' }, { external_user_id: 'ann' }, { user_alias: alias }],
        segment_id: 'gold',
        audience,
        broadcast: false,
        recipient_subscription_state: 'all',
        override_frequency_capping: false,
        email: mail(),
      })
      const plain = await kept((await taken(letter({ segment_id: 'gold', broadcast: true }))).dispatch_id)
      assert.equal(plain.class, 'marketing')
      assert.equal(plain.sending.recipient_subscription_state, 'subscribed')
    })

    test('each named person gets one mail whatever the identifiers, and unknown ones are counted', async () => {
      const [external_id, email, alias] = [newId(), newEmail(), newAlias()]
      await people.set({ external_id, email, plan: 'gold' })
      await people.send('/users/alias/new', { user_aliases: [{ external_id, ...alias }] })
      const who = { external_user_ids: [external_id, newId()], user_aliases: [alias], segment_id: 'gold' }
      const { dispatch_id } = await taken(letter(who))
      const state = async () => (await people.service.admin('GET', `/admin/dispatches/${dispatch_id}`)).body.dispatch
      await eventually('what was accepted is done', async () => (await state()).state === 'done')
      assert.deepEqual((await state()).reasons, { sent: 1, no_such_user: 1 })
      const { messages } = (await people.service.admin('GET', '/admin/inbox')).body
      const got = messages.filter((each: Item) => each.dispatch_id === dispatch_id)
      assert.deepEqual(
        got.map(({ to }: Item) => to),
        [email],
      )
    })

    test('a refused request leaves no order', async () => {
      const count = async () =>
        (await people.service.admin('GET', '/admin/dispatches?limit=100')).body.dispatches.length
      const before = await count()
      await people.refused(path, letter(ann, { email_template_id: 'x' }), noTemplate)
      await people.refused(path, letter({ ...ann, segment_id: 'silver' }), noSegment)
      assert.equal(await count(), before)
    })

    test('a workspace can limit the rate of requests', async () => {
      const settings = { rate_limits: { sending: { per_hour: 1_000_000 } } }
      await people.service.admin('POST', '/admin/apply', { settings })
      const { headers } = await send(letter(ann))
      assert.equal(headers['x-ratelimit-limit'], '1000000')
      await people.service.admin('POST', '/admin/apply', { settings: { rate_limits: null } })
      assert.equal((await send(letter(ann))).headers['x-ratelimit-limit'], undefined)
    })

    test('no body causes a 5xx', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(oddBody, { minLength: 8, maxLength: 8 }), async (bodies) => {
          for (const body of bodies) {
            const { status, text } = await send(body)
            assert.ok(status === 201 || status === 400, `${body}: ${status} ${text}`)
          }
        }),
        { numRuns: sizes.databasePropertyRuns, seed },
      )
    })

    test('a body nested at any depth gets a JSON answer', async () => {
      for (const member of ['external_user_ids', 'audience', 'messages', 'send_id', 'campaign_id', 'schedule']) {
        const body = `{"external_user_ids":["a"],"${member}":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
        assert.equal((await people.send(path, body)).status, 400, member)
      }
      for (const channel of ['email', 'apple_push', 'webhook']) {
        const body = `{"external_user_ids":["a"],"messages":{"${channel}":{"extra":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}}}`
        assert.equal((await people.send(path, body)).status, 400, channel)
      }
    })
  })
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, 'true', 7, '', 'ann', 'gold', [], {}, ['ann'], audience, [newAlias()], newId()),
  fc.constantFrom<unknown>('\0', '\ud800', { __proto__: null, a: 1 }, 'x'.repeat(3_000), apps.phone.id, 1e300),
  fc.jsonValue({ maxDepth: 3 }),
)
const memberNames = [
  'external_user_ids',
  'user_aliases',
  'segment_id',
  'audience',
  'broadcast',
  'campaign_id',
  'send_id',
]
const mailNames = [
  'app_id',
  'from',
  'subject',
  'body',
  'bcc',
  'reply_to',
  'extras',
  'headers',
  'attachments',
  'preheader',
]
const oddBody = fc
  .record({
    more: fc.dictionary(fc.constantFrom(...memberNames, 'recipient_subscription_state', 'messages'), odd, {
      maxKeys: 2,
    }),
    email: fc.dictionary(fc.constantFrom(...mailNames, 'email_template_id', 'plaintext_body'), odd, { maxKeys: 2 }),
    channels: fc.dictionary(fc.constantFrom('apple_push', 'android_push', 'slideup', 'email'), odd, { maxKeys: 1 }),
    text: fc.constantFrom('', '\\u0000', '\\ud800', '"__proto__":{},'),
  })
  .map(({ more, email, channels, text }) => {
    const whole = JSON.stringify({ ...ann, messages: { email: mail(email), ...channels }, ...more })
    return text.startsWith('"') ? `{${text}${whole.slice(1)}` : whole.replace('Hello', `${text}Hello`)
  })
