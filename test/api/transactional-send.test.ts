import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { newEmail, newId, peopleOf } from '../support/people.ts'
import { campaign, triggeredWorkspace } from '../support/triggers.ts'

type Item = Readonly<Record<string, unknown>>

const transactional = { class: 'transactional' }
const states = ['paused', 'archived', 'draft'] as const
const workspace = {
  ...triggeredWorkspace,
  campaigns: [
    campaign('news'),
    campaign('receipt', transactional),
    campaign('on-event', { ...transactional, entry: { by: ['event'], event: { name: 'bought' } } }),
    ...states.map((state) => campaign(state, { ...transactional, state })),
  ],
}
const pathOf = (id: string) => `/transactional/v1/campaigns/${id}/send`
const send = pathOf('receipt')
const ann = { external_user_id: 'ann' }

for (const database of drawDatabases('transactional-send')) {
  describe(`${pathOf('{id}')} (${database})`, () => {
    const people = peopleOf(database, { workspace, env: { EASEL_CLOCK: 'virtual' } })
    const taken = async (body: Item, path = send) => {
      const answer = await people.send(path, body)
      assert.equal(answer.status, 201, `${JSON.stringify(body)}: ${answer.text}`)
      return answer.body as Item
    }
    const newPerson = async () => {
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id, email, first_name: 'Ann' })
      return { recipient: { external_user_id: external_id } as Item, email }
    }
    const subjectsTo = async (email: string) => {
      await people.service.advance('PT1M')
      const { messages } = (await people.service.admin('GET', `/admin/inbox?to=${email}`)).body
      return messages.map(({ subject }: Item) => subject)
    }

    test('the mail is sent to a recipient as an object or a list of one, also when they have unsubscribed', async () => {
      const { recipient, email } = await newPerson()
      await people.set({ external_id: recipient.external_user_id, email_subscribe: 'unsubscribed' })
      const trigger_properties = { shoe: 'boot' }
      const { dispatch_id, metadata, ...rest } = await taken({ recipient, trigger_properties })
      assert.match(String(dispatch_id), /^[0-9a-f]{32}$/)
      assert.deepEqual(rest, { status: 'sent', message: 'success' })
      const { received_at, ...others } = metadata as Item
      assert.match(String(received_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
      assert.deepEqual(others, { campaign_api_id: 'receipt', enqueued_at: received_at })
      assert.deepEqual(await subjectsTo(email), ['For Ann: boot'])
      const attributes = { first_name: 'Bob' }
      await taken({ recipient: [{ ...recipient, attributes }], trigger_properties: { shoe: 'sandal' } })
      assert.deepEqual((await subjectsTo(email)).toSorted(), ['For Ann: boot', 'For Bob: sandal'])
    })

    test('the same external_send_id gets the same answer and sends once, also at the same time', async () => {
      const { recipient, email } = await newPerson()
      const external_send_id = `order/${newId()}+1=`
      const body = { external_send_id, recipient, trigger_properties: { shoe: 'boot' } }
      const answers = await Promise.all([taken(body), taken(body), taken(body)])
      answers.push(await taken({ ...body, trigger_properties: { shoe: 'other' } }))
      for (const answer of answers) assert.deepEqual(answer, answers[0])
      assert.equal((answers[0]!.metadata as Item).external_send_id, external_send_id)
      const other = await taken({ ...body, external_send_id: `${external_send_id}2` })
      assert.notEqual(other.dispatch_id, answers[0]!.dispatch_id)
      assert.equal((await subjectsTo(email)).length, 2)
    })

    test('an Idempotency-Key replays the answer', async () => {
      const headers = { 'idempotency-key': newId() }
      const ask = () => people.send(send, { recipient: ann }, headers)
      const [first, second] = [await ask(), await ask()]
      assert.equal(second.headers['idempotent-replayed'], 'true')
      assert.deepEqual(second.body, first.body)
    })

    test('external_send_id has 1 to 255 letters, digits and some characters', async () => {
      const refusal = "'external_send_id' must be 1 to 255 letters, digits and characters of -_+/="
      for (const length of [1, 254, 255])
        await taken({ recipient: ann, external_send_id: 'aZ9-_+/='.repeat(32).slice(0, length) })
      for (const external_send_id of ['x'.repeat(256), 'a b', 'ä', 'a\n', 5, ['a'], {}]) {
        await people.refused(send, { recipient: ann, external_send_id }, refusal)
      }
    })

    test('a wrong recipient is refused by name', async () => {
      const one = "'recipient' must be an object, or an array of one object"
      for (const recipient of [undefined, null, [], [ann, ann], 'ann']) await people.refused(send, { recipient }, one)
      await people.refused(send, { recipients: [ann] }, one)
      const none = /^'recipient' must have one of 'external_user_id', 'user_alias'/
      for (const recipient of [{}, [{}]])
        assert.match((await people.send(send, { recipient })).text, /'recipient' must/)
      assert.match((await people.send(send, { recipient: {} })).body.message, none)
      await people.refused(send, { recipient: ['ann'] }, "'recipient' must be an object")
      const alias = { user_alias: { alias_name: 'a' } }
      await people.refused(send, { recipient: alias }, "'recipient.user_alias' is not valid")
      await people.refused(send, { recipient: { ...ann, attributes: 5 } }, "'recipient.attributes' must be an object")
      await people.refused(send, { recipient: ann, trigger_properties: 5 }, "'trigger_properties' must be an object")
      const nobody = { external_user_id: newId(), attributes: { first_name: 'X' } }
      const { notices } = await taken({ recipient: nobody })
      const reason = 'are not stored: this recipient does not exist'
      assert.deepEqual(notices, [{ member: 'recipient.attributes', reason }])
    })

    test('only an active transactional campaign is sent', async () => {
      const toEnsure = 'the campaign in order for trigger requests to take effect.'
      for (const [id, refusal] of [
        ['none', 'Campaign does not exist'],
        ['welcome', 'Campaign does not exist'],
        ['news', 'The campaign is not a transactional campaign. Only transactional campaigns may use this endpoint'],
        ['paused', `The campaign is paused. Resume ${toEnsure}`],
        ['archived', `The campaign is archived. Unarchive ${toEnsure}`],
        ['draft', `The campaign is a draft. Launch ${toEnsure}`],
        ['on-event', "The campaign is not triggered by the API: its 'entry.by' does not name api"],
      ] as const) {
        const recipient = { external_user_id: newId(), send_to_existing_only: false, attributes: {} }
        await people.refused(pathOf(id), { recipient, external_send_id: id }, refusal)
        assert.deepEqual(await people.find({ external_ids: [recipient.external_user_id] }, ['external_id']), [])
      }
    })
  })
}
