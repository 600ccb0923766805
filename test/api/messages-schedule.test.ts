import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { passedTime, unreadableTime } from '../../src/messaging/orders/schedule-schema.ts'
import { seed, sizes } from '../sizes.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases } from '../support/harness.ts'
import { letter, mail, sendingWorkspace } from '../support/messages.ts'
import { dayMs, many, newEmail, newId, peopleOf } from '../support/people.ts'

type Item = Readonly<Record<string, unknown>>

const create = '/messages/schedule/create'
const update = '/messages/schedule/update'
const remove = '/messages/schedule/delete'
const unknown = "'schedule_id' is not valid"
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const ann = { external_user_ids: ['ann'] }
const kindle = { kindle_push: { alert: 'hello' } }
const nothingSent =
  'Nothing is sent: only email, sms, web_push, apple_push, android_push, webhook are delivered here, not kindle_push'

const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString()
const at = (time: unknown, more: Item = {}): Item => ({ ...letter(ann), schedule: { time, ...more } })
const later = { time: inDays(30) }

/** Times that cannot be parsed, or that have passed in every time zone. */
const badTimes: readonly [time: unknown, more?: Item][] = [
  ['tomorrow'],
  [''],
  [7],
  [{}],
  ['2026-02-30T00:00:00Z'],
  ['2026-01-01T25:00:00Z'],
  ['\0'],
  ['2020-01-01T00:00:00', { in_local_time: true }],
  ['20200101T000000', { in_local_time: true }],
]

for (const database of drawDatabases('messages-schedule')) {
  describe(`/messages/schedule (${database})`, () => {
    const people = peopleOf(database, { workspace: sendingWorkspace, env: { EASEL_CLOCK: 'virtual' } })
    const taken = async (path: string, body: unknown): Promise<Item> => {
      const answer = await people.send(path, body)
      assert.equal(answer.status, 201, `${JSON.stringify(body)}: ${answer.text}`)
      return answer.body as Item
    }
    const scheduled = async (body: unknown = at(inDays(30))) => String((await taken(create, body)).schedule_id)

    test('a scheduled order returns the id of the order and the id of the schedule', async () => {
      const { text, body } = await people.send(create, { ...at(inDays(1)), send_id: 'summer' })
      const { dispatch_id, schedule_id, ...rest } = body as Item
      assert.match(String(dispatch_id), /^[0-9a-f]{32}$/)
      assert.match(String(schedule_id), uuid)
      assert.deepEqual(rest, { send_id: 'summer', message: 'success' })
      assert.match(text, /"message":"success"\}$/)
    })

    test('times are accepted in every form that clients use', async () => {
      for (const [time, more] of [
        ['2040-08-07T00:00:00+02:00', { in_local_time: false }],
        ['20400524T203036Z'],
        ['20400524T203036-0500', { in_local_time: true }],
        ['2040-05-24T20:30:36Z'],
        ['2040-05-24'],
        ['2040-05-24 20:30:36 -0500'],
        ['2040-05-24T20:30', { in_local_time: true }],
        ['2040-05-24T20:30:36+02:00', { in_local_time: 'true', at_optimal_time: 'false' }],
      ] as const) {
        await taken(create, at(time, more))
      }
      await taken(create, { ...letter(ann), send_at: '2040-02-15 00:00:00 -0500', deliver_in_local_timezone: false })
    })

    test('an invalid schedule is refused', async () => {
      for (const [time, more] of badTimes) {
        await people.refused(create, at(time, more), 'Bad Request', more ? passedTime : unreadableTime)
      }
      await people.refused(create, { ...letter(ann), send_at: 'soon' }, 'Bad Request', unreadableTime)
      await people.refused(create, letter(ann), "'schedule' is required")
      await people.refused(create, { ...letter(ann), schedule: null }, "'schedule' is required")
      await people.refused(create, { ...letter(ann), schedule: [] }, "'schedule' must be an object with 'time'")
      await people.refused(create, { ...letter(ann), schedule: {} }, "'schedule.time' is required")
      await people.refused(
        create,
        at(inDays(1), { in_local_time: 7 }),
        "'schedule.in_local_time' must be true or false",
      )
      await people.refused(
        create,
        at(inDays(1), { at_optimal_time: 7 }),
        "'schedule.at_optimal_time' must be true or false",
      )
    })

    test('an error in the messages is returned before an error in the time', async () => {
      const { status, body } = await people.send(create, { schedule: { time: 'soon' } })
      assert.deepEqual([status, body.message], [400, 'No Recipients'])
      await people.refused(create, { ...ann, schedule: { time: 'soon' } }, 'No message to send')
      await people.refused(create, { ...at('soon'), segment_id: 'silver' }, 'Bad Request', unreadableTime)
      await people.refused(
        create,
        { ...at(inDays(1)), segment_id: 'silver' },
        'segment_id must be a string of the Segment api identifier',
      )
    })

    test('schedule, messages or both can be changed', async () => {
      const who = { ...at('2040-01-01T00:00:00Z'), send_id: 'summer', recipient_subscription_state: 'all' }
      const { dispatch_id, schedule_id } = await taken(create, who)
      const messages = (subject: string) => ({ email: mail({ subject }) })
      const local = { time: '2040-02-01T10:00', in_local_time: true }
      const once = { time: '2040-03-01T10:00:00Z' }
      for (const [change, time, isLocal, subject] of [
        [{ schedule: local }, local.time, true, 'Hello'],
        [{ messages: messages('One') }, local.time, true, 'One'],
        [{ schedule: once, messages: messages('Two') }, once.time, false, 'Two'],
        [{ schedule: once, messages: null }, once.time, false, 'Two'],
      ] as const) {
        assert.deepEqual(await taken(update, { schedule_id, ...change }), { message: 'success' })
        const { dispatch } = (await people.service.admin('GET', `/admin/dispatches/${dispatch_id}`)).body
        const { schedule, sending, send_id, class: kind, slots } = dispatch
        assert.deepEqual([schedule.time, schedule.in_local_time, sending.email.subject], [time, isLocal, subject])
        assert.deepEqual([send_id, kind, sending.recipients.length], ['summer', 'transactional', 1])
        assert.equal(slots.length > 1, isLocal)
      }
    })

    test('an invalid change leaves everything unchanged', async () => {
      const schedule_id = await scheduled()
      for (const [change, message] of [
        [{}, "'schedule' or 'messages' is required"],
        [{ schedule: null, messages: null }, "'schedule' or 'messages' is required"],
        [{ schedule: {} }, "'schedule.time' is required"],
        [{ messages: {} }, 'No message to send'],
        [{ messages: [] }, "'messages' must be an object"],
        [
          { messages: { email: mail({ app_id: 'x' }) } },
          'messages.email.app_id must be the id of an app of this workspace',
        ],
        [{ schedule: later, messages: { sms: { message_variation_id: 'x' } } }, 'Invalid Message Variant'],
        [
          { schedule: later, messages: { email: mail({ email_template_id: 'x' }) } },
          'messages.email.email_template_id must be the id of an email template of this workspace',
        ],
      ] as const) {
        await people.refused(update, { schedule_id, ...change }, message)
      }
      await people.refused(update, { schedule_id, schedule: { time: 'soon' } }, 'Bad Request', unreadableTime)
      assert.deepEqual(await taken(remove, { schedule_id }), { message: 'success' })
    })

    test('a deleted schedule cannot be found', async () => {
      const schedule_id = await scheduled()
      assert.deepEqual(await taken(remove, { schedule_id }), { message: 'success' })
      await people.refused(remove, { schedule_id }, unknown)
      await people.refused(update, { schedule_id, schedule: later }, unknown)
    })

    test('an unknown schedule is refused, whatever its id', async () => {
      for (const path of [update, remove]) {
        const ask = (schedule_id?: unknown) => ({ schedule_id, schedule: later })
        await people.refused(path, ask(), "'schedule_id' is required")
        for (const id of [null, '']) await people.refused(path, ask(id), "'schedule_id' is required")
        const none = '886a0a5a-75fb-4d2f-9f19-c6a1e0017fa8'
        for (const id of [none, none.slice(1), `${none} `, 7, [none], { id: none }, true, '\0', 'x'.repeat(9_999)]) {
          await people.refused(path, ask(id), unknown)
        }
        await people.refused(path, [], 'The request body must be an object')
      }
    })

    test('a schedule of another workspace cannot be found', async () => {
      const schedule_id = await scheduled()
      const other = newId('workspace')
      await people.service.admin('POST', '/admin/workspace', { id: other, name: other })
      const permissions = ['messages.schedule.update', 'messages.schedule.delete']
      const { body } = await people.service.admin('POST', `/admin/keys?workspace=${other}`, {
        name: other,
        permissions,
      })
      for (const path of [update, remove]) {
        const answer = await people.service.post(path, { schedule_id, schedule: later }, { key: body.key.key })
        assert.deepEqual([answer.status, answer.body], [400, { message: unknown }])
      }
      await taken(remove, { schedule_id })
    })

    test('schedules of channels without delivery are refused, and beside an e-mail the channel is named', async () => {
      await people.refused(create, { ...ann, messages: kindle, schedule: later }, nothingSent)
      const schedule_id = await scheduled()
      await people.refused(update, { schedule_id, messages: kindle }, nothingSent)
      assert.equal(
        (await taken(update, { schedule_id, messages: { ...kindle, email: mail() } })).notice,
        'Not delivered here: kindle_push.',
      )
      await taken(remove, { schedule_id })
    })

    test('a schedule that was sent can be neither changed nor deleted', async () => {
      const { dispatch_id, schedule_id } = await taken(create, at(inDays(-0.5)))
      const done = async () =>
        (await people.service.admin('GET', `/admin/dispatches/${dispatch_id}`)).body.dispatch.state
      await eventually('what was due is done', async () => (await done()) === 'done')
      await people.refused(update, { schedule_id, schedule: later }, 'The schedule has already been sent')
      const messages = { email: mail() }
      await people.refused(update, { schedule_id, messages }, 'The schedule has already been sent')
      await people.refused(remove, { schedule_id }, 'The schedule has already been sent')
    })

    test('a mail is sent at its time and not before, and a deleted one never', async () => {
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, email })
      const mailed = (subject: string, days: number) =>
        scheduled({ ...letter({ external_user_ids: [external_id] }, { subject }), schedule: { time: inDays(days) } })
      await mailed('Kept', 2)
      const put = { schedule: { time: inDays(5) }, messages: { email: mail({ subject: 'Changed' }) } }
      await taken(update, { schedule_id: await mailed('Put off', 2), ...put })
      await taken(remove, { schedule_id: await mailed('Taken back', 2) })
      const inbox = async () => {
        const { messages } = (await people.service.admin('GET', '/admin/inbox')).body
        return messages.flatMap(({ to, subject }: { to: string; subject: string }) => (to === email ? [subject] : []))
      }
      for (const [duration, subjects] of [
        ['P1D', []],
        ['P2D', ['Kept']],
        ['P3D', ['Changed', 'Kept']],
      ] as const) {
        await people.service.advance(duration)
        assert.deepEqual(await inbox(), subjects)
      }
    })

    test('a change of messages alone keeps the time, also when the time passes while the order is paused', async () => {
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, email, time_zone: 'Asia/Tokyo' })
      const nowMs = Date.parse((await people.service.admin('GET', '/admin/clock')).body.now)
      const schedule = { time: new Date(nowMs + dayMs).toISOString().slice(0, 19), in_local_time: true }
      const { dispatch_id, schedule_id } = await taken(create, {
        ...letter({ external_user_ids: [external_id] }),
        schedule,
      })
      const path = `/admin/dispatches/${dispatch_id}`
      const slots = async () => (await people.service.admin('GET', path)).body.dispatch.slots
      await people.service.admin('POST', `${path}/pause`)
      const before = await slots()
      await people.service.advance('P3D')
      await taken(update, { schedule_id, messages: { email: mail({ subject: 'Changed' }) } })
      assert.deepEqual(await slots(), before)
      await people.service.admin('POST', `${path}/resume`)
      await people.service.advance('PT1S')
      const { body } = await people.service.admin('GET', `/admin/inbox?to=${email}`)
      assert.deepEqual(
        body.messages.map(({ subject }: Item) => subject),
        ['Changed'],
      )
    })

    test('concurrent changes and a deletion are each applied completely, and the deletion is the last', async () => {
      const schedule_id = await scheduled()
      const changes = many(6, (i) => people.send(update, { schedule_id, schedule: { time: inDays(10 + i) } }))
      const removals = many(2, () => people.send(remove, { schedule_id }))
      const answers = await Promise.all([...changes, ...removals])
      for (const { status, body } of answers) {
        assert.ok(status === 201 || (status === 400 && body.message === unknown), JSON.stringify(body))
      }
      assert.equal(answers.slice(6).filter(({ status }) => status === 201).length, 1)
    })

    test('no body causes a 5xx', async () => {
      const mine = await scheduled()
      await fc.assert(
        fc.asyncProperty(fc.array(oddRequest, { minLength: 8, maxLength: 8 }), async (requests) => {
          for (const { path, schedule, more, sound } of requests) {
            const body = { ...at(inDays(1)), schedule_id: mine, ...(sound ? { schedule } : {}), ...more }
            const { status, text } = await people.send(path, body)
            assert.ok(status === 201 || status === 400, `${path} ${JSON.stringify(body)}: ${status} ${text}`)
          }
        }),
        { numRuns: sizes.databasePropertyRuns, seed },
      )
    })
  })
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    'true',
    7,
    '',
    '\0',
    '\ud800',
    [],
    {},
    '2040-01-01',
    '0000-01-01',
    '9999-12-31T23:59:59-12',
  ),
  fc.jsonValue({ maxDepth: 3 }),
)
const flags = ['time', 'in_local_time', 'at_optimal_time']
const oddRequest = fc.record({
  path: fc.constantFrom(create, create, update, remove),
  sound: fc.boolean(),
  schedule: fc.oneof(fc.dictionary(fc.constantFrom(...flags), odd, { maxKeys: 3 }), odd),
  more: fc.dictionary(fc.constantFrom('schedule_id', 'messages', 'send_at', 'schedule'), odd, { maxKeys: 2 }),
})
