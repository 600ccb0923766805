import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { channelsWorkspace, channelTransports } from '../support/channel-transports.ts'
import { drawDatabases } from '../support/harness.ts'
import { mail } from '../support/messages.ts'
import { type Item, newId, peopleOf } from '../support/people.ts'

const one = (id: string, more: Item = {}): Item => ({
  ...{ id, name: id, state: 'active', entry: { by: ['api'], again: 'always' }, first: 'say' },
  steps: [{ id: 'say', type: 'message', channel: 'email', message: mail({ subject: id }) }],
  ...more,
})

const workspace = {
  ...channelsWorkspace,
  settings: {
    ...{ time_zone: 'UTC', sms: channelsWorkspace.settings.sms },
    frequency_cap: [
      { count: 2, per: 'P1D' },
      { count: 3, per: 'P7D' },
    ],
  },
  canvases: [one('first'), one('second'), one('urgent', { class: 'transactional' })],
}

for (const database of drawDatabases('frequency-cap')) {
  describe(`frequency caps (${database})`, () => {
    const people = peopleOf(database, { workspace, env: { EASEL_CLOCK: 'virtual' } })

    async function newPerson(): Promise<string> {
      const id = newId()
      await people.set({ external_id: id, email: `${id}@example.com` })
      return id
    }

    async function send(path: string, body: Item): Promise<void> {
      const answer = await people.send(path, body)
      assert.equal(answer.status, 201, answer.text)
    }

    const enter = (canvas_id: string, id: string) =>
      send('/canvas/trigger/send', { canvas_id, recipients: [{ external_user_id: id }] })
    const message = (id: string, more: Item = {}) =>
      send('/messages/send', { external_user_ids: [id], messages: { email: mail({ subject: 'plain' }) }, ...more })

    async function subjects(id: string): Promise<string[]> {
      const { body } = await people.service.admin('GET', `/admin/inbox?to=${id}@example.com`)
      return body.messages.toReversed().map(({ subject }: Item) => subject)
    }

    test('a cap limits messages in a day and in a week, over canvases and orders together', async () => {
      const id = await newPerson()
      await enter('first', id)
      await people.service.advance('PT1S')
      await message(id)
      await people.service.advance('PT1S')
      await enter('second', id)
      await message(id)
      await people.service.advance('PT1S')
      assert.deepEqual(await subjects(id), ['first', 'plain'])
      const { body } = await people.service.admin('GET', `/admin/why?external_id=${id}`)
      const capped = body.decisions.filter(({ reason }: Item) => reason === 'frequency_capped')
      assert.equal(capped.length, 2)
      assert.deepEqual([capped[0].inputs.count, capped[0].inputs.per, capped[0].inputs.had], [2, 'P1D', 2])
      await people.service.advance('P1D')
      await enter('second', id)
      await enter('first', id)
      await people.service.advance('PT1S')
      assert.equal((await subjects(id)).length, 3)
      await people.service.advance('P6D')
      await enter('second', id)
      await people.service.advance('PT1S')
      assert.equal((await subjects(id)).length, 4)
    })

    test('of several messages at one moment as many are sent as the cap allows', async () => {
      const id = await newPerson()
      for (const canvas_id of ['first', 'second', 'first', 'second']) await enter(canvas_id, id)
      for (const _ of [1, 2]) await message(id)
      await people.service.advance('PT1S')
      assert.equal((await subjects(id)).length, 2)
    })

    test('transactional messages, and messages that override caps, are not capped', async () => {
      const id = await newPerson()
      for (const _ of [1, 2, 3]) {
        await enter('urgent', id)
        await message(id, { override_frequency_capping: true })
      }
      await message(id, { recipient_subscription_state: 'all' })
      await people.service.advance('PT1S')
      assert.equal((await subjects(id)).length, 7)
    })

    test('a cap of a channel counts and holds back only messages of that channel', async () => {
      const settings = [{ frequency_cap: [{ count: 1, per: 'P1D', channel: 'sms' }] }, { frequency_cap: [] }]
      await people.service.admin('PATCH', '/admin/settings', settings[0])
      const { reachable, content: sms } = channelTransports.find(({ name }) => name === 'sms')!
      const [one, other] = [newId(), newId()]
      await people.set(
        ...[one, other].map((id) => ({ external_id: id, email: `${id}@example.com`, ...reachable().attributes })),
      )
      const both = (id: string) =>
        send('/messages/send', { external_user_ids: [id], messages: { email: mail({ subject: 'plain' }), sms } })
      const ends = async (id: string) => {
        const { decisions } = (await people.service.admin('GET', `/admin/why?external_id=${id}`)).body
        return decisions.map(({ channel, reason, rule }: Item) => [channel, reason, rule]).sort()
      }
      await both(one)
      await people.service.advance('PT1S')
      await both(one)
      // Of two at one moment one is sent.
      for (const _ of [1, 2]) await both(other)
      await people.service.advance('PT1S')
      const capped = ['sms', 'frequency_capped', 'at most 1 marketing text messages in P1D']
      const sent = (channel: string) => [channel, 'sent', null]
      for (const id of [one, other])
        assert.deepEqual(await ends(id), [sent('email'), sent('email'), capped, sent('sms')])
      await people.service.admin('PATCH', '/admin/settings', settings[1])
    })
  })
}
