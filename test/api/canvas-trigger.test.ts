import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { passedTime, unreadableTime } from '../../src/messaging/orders/schedule-schema.ts'
import { seed, sizes } from '../sizes.ts'
import { drawDatabases } from '../support/harness.ts'
import { ann, deep, later, made, oddOrder, order, refusals, sized, to, unknownCanvas } from '../support/orders.ts'
import { groups, many, newAlias, newEmail, newId, only, peopleOf } from '../support/people.ts'
import { audience, triggeredWorkspace } from '../support/triggers.ts'

type Item = Readonly<Record<string, unknown>>

const send = '/canvas/trigger/send'
const create = '/canvas/trigger/schedule/create'
const update = '/canvas/trigger/schedule/update'
const remove = '/canvas/trigger/schedule/delete'
const unknownSchedule = "'schedule_id' is not valid"
const tooMany = 'The max number of external_ids and aliases per request was exceeded'

for (const database of drawDatabases('canvas-trigger')) {
  describe(`/canvas/trigger (${database})`, () => {
    const people = peopleOf(database, { workspace: triggeredWorkspace, env: { EASEL_CLOCK: 'virtual' } })
    const taken = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
      const answer = await people.send(path, body, headers)
      assert.equal(answer.status, 201, `${JSON.stringify(body)}: ${answer.text}`)
      return answer.body as Item
    }
    const kept = async (id: unknown) => (await people.service.admin('GET', `/admin/dispatches/${id}`)).body.dispatch
    const mailsTo = async (email: string) => {
      await people.service.advance('PT1M')
      const { messages } = (await people.service.admin('GET', '/admin/inbox?limit=100')).body
      return messages.filter((each: Item) => [each.to].flat().includes(email)).map(({ subject }: Item) => subject)
    }

    test('an order returns its id, a schedule returns one too, and the message is the last member', async () => {
      assert.match((await people.send(send, order())).text, /^\{"dispatch_id":"[0-9a-f]{32}","message":"success"\}$/)
      assert.match(
        (await people.send(create, order({ schedule: later }))).text,
        /^\{"dispatch_id":"[0-9a-f]{32}","schedule_id":"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}","message":"success"\}$/,
      )
    })

    test('an invalid request is refused in the same way now and later, and leaves no order', async () => {
      const count = async () =>
        (await people.service.admin('GET', '/admin/dispatches?limit=100')).body.dispatches.length
      const before = await count()
      for (const [what, body, message] of refusals) {
        for (const path of [send, create]) {
          const asked = path === create && !Array.isArray(body) ? { ...(body as Item), schedule: later } : body
          const answer = await people.send(path, asked)
          assert.equal(answer.status, 400, `${what}: ${answer.text}`)
          assert.ok(answer.body.message.includes(message), `${what}: ${answer.body.message}`)
        }
      }
      assert.equal(await count(), before)
      const { body } = await people.send(send, to({ external_user_id: 'dummy-user' }))
      assert.equal(body.message, 'success')
    })

    test('of several errors the first is returned: canvas, recipients, audience, broadcast, properties, schedule', async () => {
      let body: Item = {
        canvas_id: 7,
        recipients: many(51, () => ann),
        audience: { AND: [] },
        broadcast: 'maybe',
        canvas_entry_properties: 7,
        schedule: { time: 'soon' },
      }
      for (const [message, repair] of [
        [unknownCanvas, { canvas_id: 'summer' }],
        [tooMany, { recipients: [] }],
        ['audience.AND is empty; it must have at least one condition', { audience }],
        ["'broadcast' must be true or false", { broadcast: false }],
        ['No Recipients', { broadcast: 'true' }],
        ["'canvas_entry_properties' must be an object", { canvas_entry_properties: null }],
        ['Bad Request', { schedule: later }],
        [unknownCanvas, { canvas_id: 'welcome' }],
      ] as const) {
        const answer = await people.send(create, body)
        assert.deepEqual([answer.status, answer.body.message], [400, message])
        body = { ...body, ...repair }
      }
      await taken(create, body)
    })

    test('a request can name fifty recipients', async () => {
      const named = (count: number) => to(...many(count, (i) => ({ external_user_id: `id-${i}` })))
      for (const count of [49, 50]) await taken(send, named(count))
      await people.refused(send, named(51), tooMany)
      await people.refused(send, to(...many(51, () => ann)), tooMany)
    })

    test('properties of an order and of each recipient have at most 51,200 bytes and 50 levels', async () => {
      const tooLong = (path: string) => `'${path}' must be at most 51200 bytes`
      for (const bytes of [51_199, 51_200]) {
        await taken(
          send,
          order({ canvas_entry_properties: sized(bytes), recipients: [{ ...ann, context: sized(bytes) }] }),
        )
      }
      await people.refused(send, order({ canvas_entry_properties: sized(51_201) }), tooLong('canvas_entry_properties'))
      await people.refused(send, made({ context: sized(51_201) }), tooLong('recipients[0].context'))
      const half = sized(30_000)
      const both = { trigger_properties: { one: half }, canvas_entry_properties: { two: half } }
      await people.refused(send, order(both), tooLong('canvas_entry_properties'))
      for (const levels of [49, 50]) await taken(send, order({ context: deep(levels) }))
      await people.refused(send, order({ context: deep(51) }), "'context' is not valid")
    })

    test('an order to everybody requires broadcast', async () => {
      const hint = { message: 'No Recipients', details: ["'broadcast' must be true when 'recipients' are not given"] }
      for (const recipients of [undefined, null, []]) {
        for (const more of [{}, { audience }]) {
          for (const broadcast of [true, 'true']) await taken(send, order({ ...more, recipients, broadcast }))
          for (const broadcast of [undefined, null, false, 'false', '']) {
            assert.deepEqual((await people.send(send, order({ ...more, recipients, broadcast }))).body, hint)
          }
        }
      }
      // No person exists yet.
      await people.service.advance('PT1M')
    })

    test('all recipient forms of existing clients are accepted, and the order is stored as it was parsed', async () => {
      const alias = newAlias()
      const { dispatch_id } = await taken(
        send,
        order({
          recipients: [
            { external_user_id: 12345, canvas_entry_properties: { shoe: 'boot' } },
            { external_user_id: '12345', canvas_entry_properties: { shoe: 'slipper' } },
            { external_user_id: '12345' },
            { external_user_id: 'both', user_alias: 'example_alias', email: 'x', trigger_properties: '', context: '' },
            { user_alias: alias, external_user_id: '' },
            { external_id: 'other-name' },
            { email: 'Ann@Example.com' },
            { email: 'bob@example.com', prioritization: ['unidentified', 'most_recently_updated'] },
            { service_id: 'A'.repeat(24) },
          ],
          trigger_properties: { shoe: 'a', size: 1, ['__proto__']: { x: 1 } },
          context: { shoe: 'b' },
          audience,
          broadcast: 'false',
          send_id: 7,
          more: 1,
        }),
      )
      const { sending, class: kind } = await kept(dispatch_id)
      assert.equal(kind, 'marketing')
      assert.deepEqual(sending.recipients, [
        { external_user_id: '12345', properties: { shoe: 'slipper' } },
        { external_user_id: 'both' },
        { user_alias: alias },
        { external_user_id: 'other-name' },
        { email: 'ann@example.com' },
        { email: 'bob@example.com', prioritization: ['unidentified', 'most_recently_updated'] },
        { service_id: 'a'.repeat(24) },
      ])
      const { flow_id, ...flow } = sending.flow
      assert.ok(Number.isInteger(flow_id))
      assert.deepEqual(flow, { kind: 'canvas', id: 'welcome', by: 'api', properties: { shoe: 'b', size: 1 } })
      assert.deepEqual(sending.audience, audience)
      const alone = await kept((await taken(send, order({ recipients: ann }))).dispatch_id)
      assert.deepEqual(alone.sending.recipients, [ann])
    })

    test('an order to an inactive canvas is accepted, and the answer says that it has no effect', async () => {
      const recipients = [{ external_user_id: newId() }]
      await people.set({ external_id: recipients[0]!.external_user_id, email: newEmail() })
      for (const [canvas_id, reason, notice] of [
        [
          'paused',
          'canvas_paused',
          'The Canvas is paused. Resume the Canvas to ensure trigger requests will take effect.',
        ],
        [
          'archived',
          'cancelled',
          'The Canvas is archived. Unarchive the Canvas to ensure trigger requests will take effect.',
        ],
        ['draft', 'cancelled', 'The Canvas is a draft. Launch the Canvas to ensure trigger requests will take effect.'],
      ] as const) {
        const { dispatch_id } = await taken(send, { canvas_id, recipients })
        await people.service.advance('PT1M')
        assert.deepEqual((await kept(dispatch_id)).reasons, { [reason]: 1 })
        for (const path of [send, create]) {
          const body = order({ canvas_id, ...(path === create && { schedule: later }) })
          const { dispatch_id: _dispatch, schedule_id: _schedule, ...rest } = await taken(path, body)
          assert.deepEqual(rest, { notice, message: 'success' })
        }
      }
    })

    test('each named recipient in the audience of the canvas gets the mail once, with their own properties', async () => {
      const [one, two, three] = many(3, () => ({ external_id: newId(), email: newEmail(), first_name: 'Ann' }))
      const alias = newAlias()
      await people.set({ ...one, plan: 'gold' }, { ...two, plan: 'gold' }, { ...three, plan: 'free' })
      await people.send('/users/alias/new', { user_aliases: [{ external_id: one!.external_id, ...alias }] })
      const recipients = [
        { external_user_id: one!.external_id, canvas_entry_properties: { shoe: 'boot' } },
        { user_alias: alias, canvas_entry_properties: { shoe: 'sandal' } },
        { email: two!.email },
        { external_user_id: three!.external_id },
      ]
      await taken(send, { canvas_id: 'for-gold', recipients, canvas_entry_properties: { shoe: 'clog' } })
      assert.deepEqual(await mailsTo(one!.email), ['For Ann: sandal'])
      assert.deepEqual(await mailsTo(two!.email), ['For Ann: clog'])
      assert.deepEqual(await mailsTo(three!.email), [])
    })

    test('attributes are written before the entry, unknown people are created when the order says so, and group states stay', async () => {
      const [known, fresh, nobody] = many(3, () => newId())
      const [email, other] = [newEmail(), newEmail()]
      await people.set({ external_id: known, email: newEmail(), plan: 'free' })
      const subscription_groups = [{ subscription_group_id: groups.news.id, subscription_state: 'unsubscribed' }]
      const answer = await taken(send, {
        canvas_id: 'for-gold',
        recipients: [
          { external_user_id: known, attributes: { plan: 'gold', email, first_name: 'Bo', subscription_groups } },
          {
            external_user_id: fresh,
            send_to_existing_only: 'false',
            attributes: { plan: 'gold', email: other, first_name: 'Cy' },
          },
          { external_user_id: nobody, attributes: { plan: 'gold' } },
        ],
      })
      assert.equal(answer.notice, "'subscription_groups' of a recipient are not set by a canvas.")
      assert.equal((await people.person(known!)).first_name, 'Bo')
      assert.deepEqual(await people.find({ external_ids: [nobody!] }), [])
      assert.deepEqual(await mailsTo(email), ['For Bo:'])
      assert.deepEqual(await mailsTo(other), ['For Cy:'])
      const where = `subscription_group_id=${groups.news.id}&external_id=${known}`
      const { body } = await people.service.get(`/subscription/status/get?${where}`)
      assert.notEqual(body.status[known!], 'Unsubscribed')
    })

    test('of several people with one address the order writes to its recipient', async () => {
      const [email, external_id] = [newEmail(), newId()]
      await people.set({ external_id, email, first_name: 'Known', plan: 'gold' })
      await people.send('/users/track', {
        attributes: [
          { user_alias: newAlias(), email, first_name: 'Alias', plan: 'gold', _update_existing_only: false },
        ],
      })
      const who = { email, prioritization: ['unidentified'], attributes: { first_name: 'Chosen' } }
      await taken(send, { canvas_id: 'for-gold', recipients: [who] })
      assert.equal((await people.person(external_id)).first_name, 'Known')
      assert.deepEqual(await mailsTo(email), ['For Chosen:'])
      const fresh = newEmail()
      await taken(
        send,
        to({
          email: fresh,
          prioritization: ['identified'],
          send_to_existing_only: false,
          attributes: { first_name: 'New' },
        }),
      )
      assert.equal(only(await people.find({ email_address: fresh })).first_name, 'New')
    })

    test('a refused order writes no attributes', async () => {
      const external_id = newId()
      await people.set({ external_id, plan: 'free' })
      const recipients = [{ external_user_id: external_id, attributes: { plan: 'gold' } }]
      for (const canvas_id of ['summer', 'on-event']) await people.send(send, { canvas_id, recipients })
      await people.send(create, order({ recipients, schedule: { time: 'soon' } }))
      assert.deepEqual(await people.custom(external_id), { plan: 'free' })
    })

    test('a schedule has the form that messages have, and an immediate order has none', async () => {
      for (const schedule of [
        { time: '20400524T203000Z' },
        { time: '2040-05-24T20:30', in_local_time: true },
        { time: '2040-05-24T20:30', at_optimal_time: 'true' },
        { time: '2040-05-24', in_local_time: true, at_optimal_time: true },
      ]) {
        await taken(create, order({ schedule }))
      }
      await people.refused(create, order(), "'schedule' is required")
      await people.refused(create, order({ schedule: 7 }), "'schedule' must be an object with 'time'")
      await people.refused(create, order({ schedule: {} }), "'schedule.time' is required")
      await people.refused(create, order({ schedule: { time: '' } }), 'Bad Request', unreadableTime)
      const passed = { time: '2020-01-01T00:00:00', in_local_time: true }
      await people.refused(create, order({ schedule: passed }), 'Bad Request', passedTime)
      await people.refused(
        send,
        order({ schedule: later }),
        "'schedule' is not accepted here, and nothing was sent: use '/canvas/trigger/schedule/create' for a schedule",
      )
    })

    test('a schedule can be replaced as a whole or deleted until it is due', async () => {
      const local = { time: '2040-01-01T10:00:00', in_local_time: true }
      const { schedule_id, dispatch_id } = await taken(create, order({ schedule: local }))
      const where = { canvas_id: 'welcome', schedule_id }
      assert.deepEqual(await taken(update, { ...where, schedule: later }), { message: 'success' })
      const { schedule, slots } = await kept(dispatch_id)
      assert.deepEqual([schedule.time, schedule.in_local_time, slots.length], [later.time, false, 1])
      assert.deepEqual(await taken(remove, where), { message: 'success' })
      assert.equal((await kept(dispatch_id)).state, 'cancelled')
      await people.refused(update, { ...where, schedule: later }, unknownSchedule)
      await people.refused(remove, where, unknownSchedule)
    })

    test('a schedule is found with the id of its canvas only, and not as a schedule of messages', async () => {
      const { schedule_id } = await taken(create, order({ schedule: later }))
      for (const path of [update, remove]) {
        const change = path === update ? { schedule: later } : {}
        await people.refused(path, { schedule_id, ...change }, unknownCanvas)
        await people.refused(path, { canvas_id: 'summer', schedule_id, ...change }, unknownCanvas)
        await people.refused(path, { canvas_id: 'for-gold', schedule_id, ...change }, unknownSchedule)
        await people.refused(path, { canvas_id: 'welcome', ...change }, "'schedule_id' is required")
        await people.refused(path, { canvas_id: 'welcome', schedule_id: 'x', ...change }, unknownSchedule)
        const foreign = path.replace('/canvas/trigger', '/messages')
        await people.refused(foreign, { schedule_id, ...change }, unknownSchedule)
      }
      await people.refused(update, { canvas_id: 'welcome', schedule_id }, "'schedule' is required")
      const soon = { canvas_id: 'welcome', schedule_id, schedule: { time: 'soon' } }
      await people.refused(update, soon, 'Bad Request', unreadableTime)
      await taken(remove, { canvas_id: 'welcome', schedule_id })
    })

    test('a schedule that was sent cannot be changed', async () => {
      const { schedule_id } = await taken(
        create,
        order({ schedule: { time: new Date(Date.now() - 60_000).toISOString() } }),
      )
      await people.service.advance('PT1M')
      const where = { canvas_id: 'welcome', schedule_id }
      await people.refused(update, { ...where, schedule: later }, 'The schedule has already been sent')
      await people.refused(remove, where, 'The schedule has already been sent')
    })

    test('every call returns the first answer again for a repeated Idempotency-Key', async () => {
      const { schedule_id } = await taken(create, order({ schedule: later }))
      const where = { canvas_id: 'welcome', schedule_id }
      for (const [path, body] of [
        [send, order()],
        [create, order({ schedule: later })],
        [update, { ...where, schedule: later }],
        [remove, where],
      ] as const) {
        const key = { 'idempotency-key': newId('key') }
        const first = await people.send(path, body, key)
        const again = await people.send(path, body, key)
        assert.deepEqual([again.status, again.text], [first.status, first.text])
        assert.equal(again.headers['idempotent-replayed'], 'true')
      }
    })

    test('schedules are limited to 250,000 an hour', async () => {
      for (const path of [send, create, update, remove]) {
        const { headers } = await people.send(path, {})
        assert.equal(headers['x-ratelimit-limit'], path === create ? '250000' : undefined)
      }
    })

    test('no body causes a 5xx', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(oddOrder, { minLength: 8, maxLength: 8 }), async (bodies) => {
          for (const [i, body] of bodies.entries()) {
            const { status, text } = await people.send([send, create, update, remove][i % 4]!, body)
            assert.ok(status === 201 || status === 400, `${JSON.stringify(body)}: ${text}`)
          }
        }),
        { seed, numRuns: sizes.databasePropertyRuns },
      )
    })
  })
}
