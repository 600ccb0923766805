import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { noticesMax } from '../../src/base/http/notices.ts'
import { drawDatabases } from '../support/harness.ts'
import { letter, mail } from '../support/messages.ts'
import { dayMs, many, newEmail, newId, peopleOf } from '../support/people.ts'
import { triggeredWorkspace } from '../support/triggers.ts'

type Item = Readonly<Record<string, unknown>>

const minuteMs = 60_000
const longPassed = "'schedule.time' is more than a day in the past"
/** The calls that take a schedule, with the rest of their body. */
const scheduled: readonly (readonly [prefix: string, target: Item])[] = [
  ['/messages/schedule', {}],
  ['/canvas/trigger/schedule', { canvas_id: 'welcome' }],
  ['/campaigns/trigger/schedule', { campaign_id: 'news' }],
]

for (const database of drawDatabases('sending-notices')) {
  describe(`notices of sending calls (${database})`, () => {
    const people = peopleOf(database, { workspace: triggeredWorkspace, env: { EASEL_CLOCK: 'virtual' } })
    const nowMs = async () => Date.parse((await people.service.admin('GET', '/admin/clock')).body.now)
    const taken = async (path: string, body: unknown): Promise<Item> => {
      const answer = await people.send(path, body)
      assert.equal(answer.status, 201, `${JSON.stringify(body)}: ${answer.text}`)
      return answer.body as Item
    }
    const noticesOf = async (path: string, body: unknown) => (await taken(path, body)).notices
    /** Returns the body of a request to one person, without a schedule. */
    const bodyFor = (target: Item, external_id: string): Item =>
      'canvas_id' in target || 'campaign_id' in target
        ? { ...target, recipients: [{ external_user_id: external_id }] }
        : letter({ external_user_ids: [external_id] })
    const mailsTo = async (email: string) =>
      (await people.service.admin('GET', `/admin/inbox?to=${email}`)).body.messages.length

    for (const [prefix, target] of scheduled) {
      test(`${prefix}: a time of the last day is sent at once with a notice, an older one is refused`, async () => {
        const [external_id, email] = [newId(), newEmail()]
        await people.set({ external_id, email })
        const now = await nowMs()
        const at = (ms: number) => ({
          ...bodyFor(target, external_id),
          schedule: { time: new Date(now + ms).toISOString() },
        })
        const sentAtOnce = [{ member: 'schedule.time', reason: 'has passed, so it is sent at once' }]
        assert.deepEqual(await noticesOf(`${prefix}/create`, at(-dayMs)), sentAtOnce)
        await people.service.advance('PT1S')
        assert.equal(await mailsTo(email), 1)
        await people.refused(`${prefix}/create`, at(-dayMs), 'Bad Request', longPassed)

        const { schedule_id, notices } = await taken(`${prefix}/create`, at(10 * minuteMs))
        assert.equal(notices, undefined)
        const update = (ms: number) => ({
          ...target,
          schedule_id,
          schedule: { time: new Date(now + ms).toISOString() },
        })
        await people.refused(`${prefix}/update`, update(-2 * dayMs), 'Bad Request', longPassed)
        assert.deepEqual(await taken(`${prefix}/update`, update(-minuteMs)), {
          notices: sentAtOnce,
          message: 'success',
        })
        await people.service.advance('PT1S')
        assert.equal(await mailsTo(email), 2)
      })

      test(`${prefix}: an offset of a local time, and a local time that has passed somewhere, are named`, async () => {
        const external_id = newId()
        await people.set({ external_id, email: newEmail(), time_zone: 'Pacific/Kiritimati' })
        const body = bodyFor(target, external_id)
        const local = (time: string) => ({ ...body, schedule: { time, in_local_time: true } })
        const dropped = [{ member: 'schedule.time', reason: 'has an offset, which a local time does not use' }]
        assert.deepEqual(await noticesOf(`${prefix}/create`, local('20400101T100000Z')), dropped)
        assert.equal(await noticesOf(`${prefix}/create`, local('2040-01-01T10:00')), undefined)
        const hour = new Date((await nowMs()) + minuteMs).toISOString().slice(0, 'yyyy-MM-ddTHH:mm:ss'.length)
        const passed = {
          member: 'schedule.time',
          reason: 'has passed in some time zones: recipients there get no message',
        }
        assert.deepEqual(await noticesOf(`${prefix}/create`, local(hour)), [passed])
      })
    }

    test('the time of an old client is named as that client names it', async () => {
      const send_at = new Date((await nowMs()) - minuteMs).toISOString()
      const body = { ...letter({ external_user_ids: ['ann'] }), send_at }
      const reason = 'has passed, so it is sent at once'
      assert.deepEqual(await noticesOf('/messages/schedule/create', body), [{ member: 'send_at', reason }])
    })

    test('members of an e-mail that are not known or not applied are named, also in its files', async () => {
      const file = { file_name: 'terms', url: 'https://shop.example/terms.pdf', size: 5 }
      const email = { amp_body: '<p>', bcc: 'archive@example.com', attachments: [file] }
      assert.deepEqual(await noticesOf('/messages/send', letter({ external_user_ids: ['ann'] }, email)), [
        { member: 'messages.email.amp_body', reason: 'is not known here' },
        { member: 'messages.email.bcc', reason: 'is not applied: the workspace has no BCC addresses' },
        { member: 'messages.email.attachments[0].size', reason: 'is not known here' },
      ])
    })

    test('any number of members that are not known is accepted, and counted', async () => {
      const count = 200_000
      const email = Object.fromEntries(many(count, (i) => [`m${i}`, 0]))
      const answer = await taken('/messages/send', letter({ external_user_ids: ['ann'] }, email))
      assert.deepEqual([(answer.notices as Item[]).length, answer.further_notices], [noticesMax, count - noticesMax])
    })

    test('advice is no notice, since everything is kept', async () => {
      const answer = await taken('/messages/send', letter({ external_user_ids: ['ann'] }, { preheader: 'Short' }))
      assert.equal(answer.notices, undefined)
      assert.match(String(answer.notice), /preheader has 5 characters/)
    })

    test('channels that nothing delivers are named or refused in a change of a schedule too', async () => {
      const schedule = { time: '2040-01-01T10:00:00Z' }
      const body = { ...letter({ external_user_ids: ['ann'] }), schedule }
      const whats_app = { body: 'hi' }
      const refusal =
        'Nothing is sent: only email, sms, web_push, apple_push, android_push, webhook are delivered here, not whats_app'
      await people.refused('/messages/schedule/create', { ...body, messages: { whats_app } }, refusal)
      const { schedule_id } = await taken('/messages/schedule/create', body)
      await people.refused('/messages/schedule/update', { schedule_id, messages: { whats_app } }, refusal)
      const messages = { email: mail(), whats_app }
      const notices = [{ member: 'messages.whats_app', reason: 'is not delivered here' }]
      assert.deepEqual(await noticesOf('/messages/schedule/update', { schedule_id, messages }), notices)
    })

    test('what is not kept of a recipient is named with the position of the recipient', async () => {
      const external_user_id = newId()
      await people.set({ external_id: external_user_id, email: newEmail() })
      const attributes = { plan: 'gold', nickname: 'n'.repeat(256), subscription_groups: [] }
      const recipients = [{ external_user_id: newId() }, { external_user_id, email: 'a@example.com', attributes }]
      const named = (member: string, reason: string) => ({ index: 1, input_array: 'recipients', member, reason })
      const beside = named('email', 'is ignored beside external_user_id')
      const long = named('attributes.nickname', 'is longer than 255 characters')
      assert.deepEqual(await noticesOf('/canvas/trigger/send', { canvas_id: 'welcome', send_id: 's', recipients }), [
        beside,
        named('attributes.subscription_groups', 'are not set by a canvas'),
        long,
        { member: 'send_id', reason: 'is not stored by a canvas' },
      ])
      assert.deepEqual(await people.custom(external_user_id), { plan: 'gold' })
      assert.deepEqual(await noticesOf('/campaigns/trigger/send', { campaign_id: 'news', send_id: 's', recipients }), [
        beside,
        long,
      ])
    })

    test('attributes of a recipient who does not exist are named', async () => {
      const [known, external_user_id, email] = [newId(), newId(), newEmail()]
      await people.set({ external_id: known })
      const attributes = { plan: 'gold' }
      const prioritization = ['identified']
      const recipients = [
        { external_user_id: known, attributes },
        { external_user_id, attributes },
        { external_user_id, attributes: {} },
        { email, prioritization, attributes },
        { external_user_id: newId(), attributes, send_to_existing_only: false },
        { external_user_id },
      ]
      const named = [1, 3].map((index) => ({
        index,
        input_array: 'recipients',
        member: 'attributes',
        reason: 'are not stored: this recipient does not exist',
      }))
      for (const [path, target] of [
        ['/canvas/trigger/send', { canvas_id: 'welcome' }],
        ['/campaigns/trigger/send', { campaign_id: 'news' }],
      ] as const) {
        assert.deepEqual(await noticesOf(path, { ...target, recipients }), named)
      }
      assert.deepEqual(await people.custom(known), attributes)
      await people.service.admin('PATCH', '/admin/settings', { strict: true })
      const written = [{ external_user_id: known, attributes: { plan: 'lost' } }, recipients[1]!]
      const body = { canvas_id: 'welcome', recipients: written }
      const text = "recipients[1]: 'attributes' are not stored: this recipient does not exist"
      await people.refused('/canvas/trigger/send', body, text)
      await people.service.admin('PATCH', '/admin/settings', { strict: null })
      assert.deepEqual(await people.custom(known), attributes)
    })

    test('a repeated request with the same Idempotency-Key gets the same notices', async () => {
      const body = letter({ external_user_ids: ['ann'] }, { amp_body: '<p>' })
      const headers = { 'idempotency-key': randomUUID() }
      const [first, second] = [
        await people.send('/messages/send', body, headers),
        await people.send('/messages/send', body, headers),
      ]
      assert.deepEqual(second.body, first.body)
      assert.ok('notices' in first.body)
    })

    test('a strict caller gets an error instead of a notice, and nothing is sent or written', async () => {
      const [external_user_id, email] = [newId(), newEmail()]
      await people.set({ external_id: external_user_id, email })
      await people.service.admin('PATCH', '/admin/settings', { strict: true })
      const passed = { time: new Date((await nowMs()) - minuteMs).toISOString() }
      const recipients = [{ external_user_id, attributes: { plan: 'gold', nickname: 'n'.repeat(256) } }]
      for (const [path, body, message] of [
        [
          '/messages/send',
          { external_user_ids: [external_user_id], messages: { email: mail(), kindle_push: { alert: 'hi' } } },
          "'messages.kindle_push' is not delivered here",
        ],
        [
          '/messages/schedule/create',
          { ...letter({ external_user_ids: [external_user_id] }), schedule: passed },
          "'schedule.time' has passed, so it is sent at once",
        ],
        [
          '/canvas/trigger/send',
          { canvas_id: 'welcome', recipients },
          "recipients[0]: 'attributes.nickname' is longer than 255 characters",
        ],
      ] as const) {
        await people.refused(path, body, message)
      }
      await people.service.advance('PT1S')
      await people.service.admin('PATCH', '/admin/settings', { strict: null })
      assert.equal(await mailsTo(email), 0)
      assert.deepEqual(await people.custom(external_user_id), {})
    })
  })
}
