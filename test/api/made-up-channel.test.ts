import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { addChannel } from '../../src/messaging/channels/channels.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { lineMax, PagerServer, pagerChannel } from '../support/pager/channel.ts'
import { type Item, newId } from '../support/people.ts'

const canvases = [
  {
    ...{ id: 'call', name: 'Call', state: 'active', entry: { by: ['api'], again: 'always' }, first: 'beep' },
    steps: [{ id: 'beep', name: 'Beep', type: 'message', channel: 'pager', message: { line: 'Call us' } }],
  },
]
const campaigns = [
  { id: 'alarm', name: 'Alarm', state: 'active', messages: [{ id: 'one', pager: { line: 'Alarm' } }] },
  {
    ...{ id: 'fire', name: 'Fire', state: 'active', class: 'transactional' },
    messages: [{ id: 'two', pager: { line: 'Fire' } }],
  },
]
const frequency_cap = [{ count: 2, per: 'P1D' }]
const workspace = { ...sendingWorkspace, settings: { time_zone: 'UTC', frequency_cap }, canvases, campaigns }

/** What the tests of both services need. */
type Bed = {
  readonly service: () => Service
  person(more?: Item): Promise<{ id: string; phone: string }>
  trigger(kind: 'canvas' | 'campaigns', flow: string, id: string): Promise<void>
  messages(id: string): Promise<Item[]>
}

let made = 0

function bedOf(service: () => Service): Bed {
  return {
    service,
    async person(more = {}) {
      const id = newId()
      const phone = `+4915112${String(++made).padStart(5, '0')}`
      const tracked = await service().post('/users/track', { attributes: [{ external_id: id, phone, ...more }] })
      assert.equal(tracked.status, 201, tracked.text)
      return { id, phone }
    },
    async trigger(kind, flow, id) {
      const name = kind === 'canvas' ? 'canvas_id' : 'campaign_id'
      const body = { [name]: flow, recipients: [{ external_user_id: id }] }
      const answer = await service().send('POST', `/${kind}/trigger/send`, body)
      assert.equal(answer.status, 201, answer.text)
      await service().advance('PT1S')
    },
    async messages(id) {
      const asked = { external_ids: [id], fields_to_export: ['service_id'] }
      const { users } = (await service().post('/users/export/ids', asked)).body
      return (await service().admin('GET', `/admin/messages?person=${users[0].service_id}`)).body.messages
    },
  }
}

async function start(database: 'pglite' | 'postgres'): Promise<Service> {
  return startService({ database, workspace, env: { EASEL_CLOCK: 'virtual' } })
}

for (const database of drawDatabases('made-up-channel')) {
  describe(`a channel that only its folder knows, with a server (${database})`, () => {
    const server = new PagerServer()
    let added: Disposable
    let service: Service
    const { person, trigger, messages } = bedOf(() => service)
    before(async () => {
      added = addChannel(pagerChannel(server))
      service = await start(database)
    })
    after(async () => {
      await service?.[Symbol.asyncDispose]()
      added?.[Symbol.dispose]()
    })
    beforeEach(() => {
      server.taken.length = 0
      server.next.length = 0
    })

    test('a step of a canvas and a campaign are delivered', async () => {
      const { id, phone } = await person()
      await trigger('canvas', 'call', id)
      await trigger('campaigns', 'alarm', id)
      assert.deepEqual(server.taken, [
        { number: phone, line: 'Call us' },
        { number: phone, line: 'Alarm' },
      ])
      const [alarm, call] = await messages(id)
      assert.deepEqual([alarm!.channel, alarm!.reason, alarm!.address], ['pager', 'sent', phone])
      assert.equal(call!.sentence, `The page "Call us" of the canvas "Call", step beep, was sent to ${phone}.`)
    })

    test('an order is delivered by each of its channels', async () => {
      const { id, phone } = await person({ email: `${newId()}@example.com` })
      const body = { external_user_ids: [id], messages: { email: mail(), pager: { line: 'Hello' } } }
      const answer = await service.send('POST', '/messages/send', body)
      assert.equal(answer.status, 201, answer.text)
      await service.advance('PT1S')
      assert.deepEqual(server.taken, [{ number: phone, line: 'Hello' }])
      const found = (await messages(id)).map(({ channel, reason }) => `${channel} ${reason}`).sort()
      assert.deepEqual(found, ['email sent', 'pager sent'])
      const { dispatch } = (await service.admin('GET', `/admin/dispatches/${answer.body.dispatch_id}`)).body
      assert.equal(dispatch.what, 'A mail and a page')
    })

    test('mistakes of its content are named, in requests and in definitions', async () => {
      const long = 'x'.repeat(lineMax + 1)
      const messages = { pager: { line: long } }
      const refused = await service.send('POST', '/messages/send', { external_user_ids: ['any'], messages })
      assert.equal(refused.status, 400)
      assert.match(refused.text, /messages\.pager\.line must be at most 20 characters/)
      const definition = { messages: [{ id: 'one', pager: { line: long } }] }
      const { adminToken: key } = service
      const checked = await service.send('POST', '/admin/campaigns/alarm/impact', { definition }, { key })
      assert.equal(checked.status, 400)
      assert.match(checked.text, /messages\[0\]\.pager\.line must be a text of at most 20 characters/)
    })

    test('a person without an address, and one without consent, get nothing, and why tells it', async () => {
      const { id: without } = await person({ phone: null })
      const { id: quiet } = await person({ home_city: 'Quietham' })
      await trigger('campaigns', 'alarm', without)
      await trigger('campaigns', 'alarm', quiet)
      assert.deepEqual(server.taken, [])
      assert.equal((await messages(without))[0]!.reason, 'no_address')
      const { decisions } = (await service.admin('GET', `/admin/why?external_id=${quiet}`)).body
      const decided = (decisions as Item[]).find(({ channel }) => channel === 'pager')!
      assert.deepEqual([decided.reason, decided.rule], ['unsubscribed', 'Quietham has no pagers'])
      assert.match(String(decided.sentence), /^The page of the campaign "Alarm" was not sent: /)
      const run = await service.admin('POST', '/admin/campaigns/alarm/dry_run', {
        recipients: [{ external_user_id: quiet }],
      })
      assert.equal(run.body.counts.unsubscribed, 1, run.text)
    })

    test('a page that is deferred is sent later, a refused one ends, and one in the dark is uncertain', async () => {
      const [later, never, dark] = [await person(), await person(), await person()]
      server.next.push({ kind: 'deferred', throttled: false, code: 4, response: 'busy' })
      await trigger('campaigns', 'alarm', later.id)
      assert.equal((await messages(later.id))[0]!.state, 'queued')
      await service.advance('PT1H')
      assert.deepEqual(server.taken, [{ number: later.phone, line: 'Alarm' }])
      server.next.push({ kind: 'refused', bounce: 'hard', code: 5, response: 'no such pager' })
      await trigger('campaigns', 'alarm', never.id)
      assert.deepEqual((await messages(never.id)).map(({ state, reason }) => [state, reason])[0], [
        'bounced',
        'refused_by_server',
      ])
      server.next.push({ kind: 'uncertain', message: 'the line was cut' })
      await trigger('campaigns', 'alarm', dark.id)
      assert.equal((await messages(dark.id))[0]!.reason, 'uncertain')
      server.next.push({ kind: 'uncertain', message: 'the line was cut' })
      await trigger('campaigns', 'fire', dark.id)
      await service.advance('PT1H')
      assert.equal(server.taken.at(-1)?.line, 'Fire')
    })

    test('the frequency cap counts its messages', async () => {
      const { id } = await person()
      for (let i = 0; i < 3; i++) await trigger('canvas', 'call', id)
      assert.equal(server.taken.length, 2)
      assert.deepEqual(
        (await messages(id)).map(({ reason }) => reason),
        ['frequency_capped', 'sent', 'sent'],
      )
    })
  })

  describe(`a channel that only its folder knows, without a server (${database})`, () => {
    let added: Disposable
    let service: Service
    const { person, trigger, messages } = bedOf(() => service)
    before(async () => {
      added = addChannel(pagerChannel())
      service = await start(database)
    })
    after(async () => {
      await service?.[Symbol.asyncDispose]()
      added?.[Symbol.dispose]()
    })

    test('its messages are kept in the inbox, as the channel shows them', async () => {
      const { id, phone } = await person()
      await trigger('campaigns', 'alarm', id)
      const { messages: kept } = (await service.admin('GET', `/admin/inbox?external_id=${id}`)).body
      assert.deepEqual(
        (kept as Item[]).map(({ channel, to, subject }) => [channel, to, subject]),
        [['pager', phone, 'Alarm']],
      )
      const { body } = await service.admin('GET', `/admin/inbox/${kept[0].id}`)
      assert.deepEqual([body.text, body.html, body.details], ['Alarm', null, { characters: 5 }])
      const [message] = await messages(id)
      const { body: one } = await service.admin('GET', `/admin/messages/${message!.message_id}`)
      assert.equal(one.message.mail_sentence, 'The page as it was kept in the inbox.')
      assert.equal(one.message.mail.text, 'Alarm')
    })
  })
}
