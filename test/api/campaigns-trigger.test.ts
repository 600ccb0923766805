import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { letter } from '../support/messages.ts'
import { groups, many, newEmail, newId, peopleOf } from '../support/people.ts'
import { triggeredWorkspace } from '../support/triggers.ts'

type Item = Readonly<Record<string, unknown>>

const send = '/campaigns/trigger/send'
const create = '/campaigns/trigger/schedule/create'
const update = '/campaigns/trigger/schedule/update'
const remove = '/campaigns/trigger/schedule/delete'
const messages = '/messages/send'
const unknownCampaign = 'campaign_id must be a string of the campaign api identifier'
const unknownSchedule = "'schedule_id' is not valid"
const later = { time: '2040-01-01T10:00:00Z' }
const push = { alert: 'hello' }

const ann = { external_user_id: 'ann' }
const order = (more: Item = {}): Item => ({ campaign_id: 'news', recipients: [ann], ...more })
const named = { external_user_ids: ['ann'] }

for (const database of drawDatabases('campaigns-trigger')) {
  describe(`/campaigns/trigger (${database})`, () => {
    const people = peopleOf(database, { workspace: triggeredWorkspace, env: { EASEL_CLOCK: 'virtual' } })
    const taken = async (path: string, body: unknown) => {
      const answer = await people.send(path, body)
      assert.equal(answer.status, 201, `${JSON.stringify(body)}: ${answer.text}`)
      return answer.body as Item
    }
    const kept = async (id: unknown) => (await people.service.admin('GET', `/admin/dispatches/${id}`)).body.dispatch
    const mailsTo = async (email: string) => {
      await people.service.advance('PT1M')
      const inbox = (await people.service.admin('GET', '/admin/inbox?limit=100')).body
      return inbox.messages.filter((each: Item) => [each.to].flat().includes(email)).map(({ subject }: Item) => subject)
    }

    test('an order is accepted, and its send_id is returned', async () => {
      assert.match((await people.send(send, order())).text, /^\{"dispatch_id":"[0-9a-f]{32}","message":"success"\}$/)
      const { dispatch_id, schedule_id, ...rest } = await taken(create, order({ send_id: 's', schedule: later }))
      assert.match(String(schedule_id), /^[0-9a-f-]{36}$/)
      assert.deepEqual(rest, { send_id: 's', message: 'success' })
      assert.equal((await kept(dispatch_id)).send_id, 's')
      await people.refused(send, order({ send_id: 7 }), "'send_id' must be text of 1 to 255 characters")
    })

    test('errors name campaigns', async () => {
      for (const campaign_id of [undefined, 7, '', 'summer', 'welcome']) {
        await people.refused(send, order({ campaign_id }), unknownCampaign)
      }
      const notTriggered = "The campaign is not triggered by the API: its 'entry.by' does not name api"
      await people.refused(send, order({ campaign_id: 'on-event' }), notTriggered)
      await people.refused(create, order(), "'schedule' is required")
    })

    test('attachments of an order are checked like those of an e-mail', async () => {
      const file = { file_name: 'a', url: 'https://example.com/a.pdf' }
      const files = (count: number) => many(count, () => file)
      for (const attachments of [[], files(49)]) await taken(send, order({ attachments }))
      const { notice, notices } = await taken(send, order({ attachments: [{ ...file, size: 1 }] }))
      assert.equal(notice, 'attachments[0] has members that are not known here: "size".')
      assert.deepEqual(notices, [{ member: 'attachments[0].size', reason: 'is not known here' }])
      const only = (more: Item) => [{ ...file, ...more }]
      const everybody = { campaign_id: 'news', broadcast: true }
      for (const [body, refusal] of [
        [order({ attachments: files(51) }), 'attachments must have at most 50 files (settings.attachments_max)'],
        [order({ attachments: {} }), 'attachments must be an array of objects'],
        [order({ attachments: only({ url: 'ftp://a/b.pdf' }) }), /^attachments\[0\]\.url must be a URL/],
        [
          order({ attachments: only({ basic_auth_credential: 'none' }) }),
          'attachments[0].basic_auth_credential must be the name of a credential of this workspace',
        ],
        [{ ...everybody, attachments: [file] }, "'attachments' are sent only to 'recipients', not with a broadcast"],
      ] as const) {
        const { status, body: answer } = await people.send(send, body)
        assert.equal(status, 400)
        if (typeof refusal === 'string') assert.equal(answer.message, refusal)
        else assert.match(answer.message, refusal)
      }
      const ofCanvas = "'attachments' are not sent by a canvas: each of its e-mails says what goes with it"
      const toCanvas = { canvas_id: 'welcome', recipients: [ann], attachments: [file] }
      await people.refused('/canvas/trigger/send', toCanvas, ofCanvas)
      assert.equal(
        (await kept((await taken(send, order({ attachments: [file] }))).dispatch_id)).sending.flow.attachments.length,
        1,
      )
    })

    test('the files of a mail of a campaign and those of the order are counted together', async () => {
      const file = { file_name: 'a', url: 'https://example.com/a.pdf' }
      for (const count of [47, 48]) {
        await taken(send, order({ campaign_id: 'with-files', attachments: many(count, () => file) }))
      }
      await people.refused(
        send,
        order({ campaign_id: 'with-files', attachments: many(49, () => file) }),
        'attachments must have at most 48 files: the campaign has 2 of 50 (settings.attachments_max)',
      )
    })

    test('an order to an inactive campaign is accepted, and the answer says that it has no effect', async () => {
      for (const [campaign_id, notice] of [
        ['paused', 'The campaign is paused. Resume the campaign in order for trigger requests to take effect.'],
        ['archived', 'The campaign is archived. Unarchive the campaign in order for trigger requests to take effect.'],
        ['draft', 'The campaign is a draft. Launch the campaign in order for trigger requests to take effect.'],
      ]) {
        assert.equal((await taken(send, order({ campaign_id }))).notice, notice)
      }
    })

    test('each named recipient gets the message every time, with their own properties', async () => {
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, email, first_name: 'Ann' })
      const recipients = [{ external_user_id: external_id, trigger_properties: { shoe: 'boot' } }]
      for (const shoe of ['a', 'b'])
        await taken(send, { campaign_id: 'news', recipients, trigger_properties: { shoe } })
      assert.deepEqual(await mailsTo(email), ['For Ann: boot', 'For Ann: boot'])
    })

    test('group states among the attributes are set', async () => {
      const external_id = newId()
      await people.set({ external_id })
      const subscription_groups = [{ subscription_group_id: groups.news.id, subscription_state: 'unsubscribed' }]
      const attributes = { subscription_groups }
      const { notice } = await taken(send, order({ recipients: [{ external_user_id: external_id, attributes }] }))
      assert.equal(notice, undefined)
      const where = `subscription_group_id=${groups.news.id}&external_id=${external_id}`
      const { body } = await people.service.get(`/subscription/status/get?${where}`)
      assert.equal(body.status[external_id], 'Unsubscribed')
    })

    test('a schedule is changed and deleted only with the id of its campaign', async () => {
      const { schedule_id, dispatch_id } = await taken(create, order({ schedule: later }))
      const where = { campaign_id: 'news', schedule_id }
      const local = { time: '2040-02-01T10:00', in_local_time: true }
      assert.deepEqual(await taken(update, { ...where, schedule: local }), { message: 'success' })
      assert.equal((await kept(dispatch_id)).schedule.in_local_time, true)
      await people.refused(remove, { ...where, campaign_id: 'two' }, unknownSchedule)
      await people.refused('/canvas/trigger/schedule/delete', { canvas_id: 'welcome', schedule_id }, unknownSchedule)
      assert.deepEqual(await taken(remove, where), { message: 'success' })
      await people.refused(remove, where, unknownSchedule)
    })

    test('messages can belong to a variation of a campaign', async () => {
      const of = (campaign_id: unknown, message_variation_id: unknown) =>
        letter({ ...named, campaign_id }, { message_variation_id })
      const { dispatch_id } = await taken(messages, of('two', 'two-b'))
      const { campaign, email } = (await kept(dispatch_id)).sending
      assert.deepEqual([campaign.variation_id, email.message_variation_id], ['two-b', 'two-b'])
      assert.ok(Number.isInteger(campaign.flow_id))
      for (const campaign_id of ['paused', 'on-event']) await taken(messages, of(campaign_id, `${campaign_id}-a`))
      await people.refused(messages, of('summer', 'two-a'), 'Invalid Campaign ID')
      await people.refused(messages, of('welcome', 'two-a'), 'Invalid Campaign ID')
      await people.refused(messages, of('two', null), 'Message Variant Unspecified')
      await people.refused(messages, of('two', 'news-a'), 'Invalid Message Variant')
      await people.refused(messages, of('two', 7), 'Invalid Message Variant')
      await people.refused(messages, of(null, 'two-a'), 'Invalid Message Variant')
      const pushed = {
        ...named,
        campaign_id: 'two',
        messages: { apple_push: { ...push, message_variation_id: 'two-a' } },
      }
      await people.refused(messages, pushed, 'Mismatched Message Type')
    })

    test('waiting messages stay with their campaign when they are replaced', async () => {
      const path = '/messages/schedule'
      const of = (message_variation_id: string) => letter({}, { message_variation_id })
      const asked = { ...named, campaign_id: 'two', ...of('two-a'), schedule: later }
      const { schedule_id, dispatch_id } = await taken(`${path}/create`, asked)
      await taken(`${path}/update`, { schedule_id, ...of('two-b') })
      assert.equal((await kept(dispatch_id)).sending.campaign.variation_id, 'two-b')
      await people.refused(`${path}/update`, { schedule_id, ...of('news-a') }, 'Invalid Message Variant')
      await people.refused(`${path}/update`, { schedule_id, ...letter({}) }, 'Message Variant Unspecified')
      await taken(`${path}/update`, { schedule_id, schedule: { time: '2040-03-01' } })
      assert.equal((await kept(dispatch_id)).sending.campaign.variation_id, 'two-b')
    })

    test('a send_id belongs to its campaign', async () => {
      const path = '/sends/id/create'
      const named = { campaign_id: 'news', send_id: 'spring' }
      assert.equal((await people.send(path, named)).text, '{"send_id":"spring","message":"success"}')
      assert.deepEqual(await taken(path, named), { send_id: 'spring', message: 'success' })
      await people.refused(path, { ...named, campaign_id: 'two' }, "'send_id' belongs to another campaign")
      const theirs = "'send_id' belongs to another campaign"
      const recipients = [{ external_user_id: newId(), send_to_existing_only: false, attributes: { plan: 'gold' } }]
      const schedule = { time: '2040-02-01' }
      const two = { campaign_id: 'two', send_id: 'spring', recipients, schedule }
      await people.refused(create, two, theirs)
      await people.refused(send, { ...two, schedule: null }, theirs)
      await people.service.advance('PT1S')
      assert.deepEqual(await people.find({ external_ids: [recipients[0]!.external_user_id] }), [])
      await taken(create, { ...two, campaign_id: 'news' })
      await taken(create, { ...two, send_id: 'never made' })
      const { send_id } = two
      const plain = letter(
        { external_user_ids: ['ann'], campaign_id: 'two', send_id },
        { message_variation_id: 'two-a' },
      )
      await people.refused(messages, plain, theirs)
      await people.refused(path, { send_id: 'spring' }, unknownCampaign)
      await people.refused(
        path,
        { ...named, send_id: 's'.repeat(256) },
        "'send_id' must be text of 1 to 255 characters",
      )
      await people.refused(path, { ...named, send_id: {} }, "'send_id' must be text of 1 to 255 characters")
      assert.match(String((await taken(path, { campaign_id: 'news', send_id: null })).send_id), /^[0-9a-f-]{36}$/)
    })

    test('at most a hundred send_ids can be created in a day', async () => {
      const path = '/sends/id/create'
      await people.service.advance('P2D')
      const bodies = many(99, (i) => ({ campaign_id: 'news', send_id: `many-${i}` }))
      for (const body of bodies) await taken(path, body)
      await taken(path, { campaign_id: 'two' })
      const { status, body } = await people.send(path, { campaign_id: 'news' })
      assert.deepEqual([status, body.message], [429, 'At most 100 send ids may be created within 24 hours'])
      await taken(path, bodies[0])
      await people.service.advance('P1D')
      await taken(path, { campaign_id: 'news' })
    })

    test('a repeated Idempotency-Key gets the first answer again', async () => {
      const key = { 'idempotency-key': newId('key') }
      const first = await people.send(send, order(), key)
      const again = await people.send(send, order(), key)
      assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
    })
  })
}
