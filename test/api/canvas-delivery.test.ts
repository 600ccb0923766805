import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { audience, mail, sendingWorkspace } from '../support/messages.ts'
import { type Item, many, newAlias, newId, peopleOf } from '../support/people.ts'

type Mail = { readonly to: string; readonly subject: string; readonly at: string }

const minuteMs = 60_000

const template = [
  '{{canvas_entry_properties.${code}}}',
  '{{context.${shop}}}',
  '{{canvas.${name}}}',
  '{{canvas.${api_id}}}',
  '{{canvas.${variant_name}}}',
  '{{campaign.${dispatch_id} | size}}',
].join(' ')

const one = (id: string, more: Item = {}, email: Item = {}): Item => ({
  ...{ id, name: `The ${id}`, state: 'active', entry: { by: ['api'], again: 'always' } },
  ...(!('variants' in more) && { first: 'say' }),
  steps: [{ id: 'say', type: 'message', channel: 'email', message: mail({ subject: id, ...email }) }],
  ...more,
})

const canvases = [
  one('tells', { variants: [{ name: 'Only', percent: 100, first: 'say' }] }, { subject: template }),
  one('golden', { segment: { segment_id: 'gold' } }),
  one('slow', { rate: '6/min', exit: { events: ['left'] } }),
  one('paused', { state: 'paused' }),
  one('urgent', { class: 'transactional' }),
]

const called = '{{api_trigger_properties.${code}}} {{campaign.${name}}} {{campaign.${message_name}}}'
const messages = [{ id: 'v1', name: 'One', percent: 100, email: mail({ subject: called }) }]
const campaigns = [{ id: 'news', name: 'News', state: 'active', messages }]

const workspace = { ...sendingWorkspace, settings: { time_zone: 'UTC' }, canvases, campaigns }

for (const database of drawDatabases('canvas-delivery')) {
  describe(`delivery of what canvases send (${database})`, () => {
    const people = peopleOf(database, { workspace, env: { EASEL_CLOCK: 'virtual' } })
    const admin = (method: string, path: string, body?: unknown) => people.service.admin(method, path, body)

    async function newPerson(more: Item = {}): Promise<string> {
      const id = newId()
      await people.set({ external_id: id, email: `${id}@example.com`, ...more })
      return id
    }

    async function order(canvas_id: string, body: Item): Promise<string> {
      const answer = await people.send('/canvas/trigger/send', { canvas_id, ...body })
      assert.equal(answer.status, 201, answer.text)
      await people.service.advance('PT1S')
      return String((answer.body as Item).dispatch_id)
    }

    const named = (ids: readonly string[]) => ids.map((external_user_id) => ({ external_user_id }))
    const shown = async (id: string) => (await admin('GET', `/admin/dispatches/${id}`)).body.dispatch
    const now = async (): Promise<number> => Date.parse((await admin('GET', '/admin/clock')).body.now)

    async function mails(id: string): Promise<Mail[]> {
      return (await admin('GET', `/admin/inbox?to=${id}@example.com`)).body.messages.toReversed()
    }
    const subjects = async (id: string) => (await mails(id)).map(({ subject }) => subject)

    test('a mail can use the entry properties and the canvas of its recipient', async () => {
      const [ann, bob] = [await newPerson(), await newPerson()]
      await order('tells', {
        recipients: [
          { external_user_id: ann, canvas_entry_properties: { code: 'A' } },
          { external_user_id: bob, canvas_entry_properties: { code: 'B', shop: 'own' } },
        ],
        canvas_entry_properties: { code: 'all', shop: 'main' },
      })
      assert.deepEqual(await subjects(ann), ['A main The tells tells Only 32'])
      assert.deepEqual(await subjects(bob), ['B own The tells tells Only 32'])
    })

    test('a campaign counts as received when its mail is sent, whichever order sent it', async () => {
      const [ann, bob] = [await newPerson(), await newPerson()]
      const recipients = [{ external_user_id: ann, trigger_properties: { code: 'A' } }]
      const asked = await people.send('/campaigns/trigger/send', { campaign_id: 'news', recipients })
      assert.equal(asked.status, 201, asked.text)
      const email = mail({ message_variation_id: 'v1' })
      const plain = { campaign_id: 'news', external_user_ids: [bob], messages: { email } }
      assert.equal((await people.send('/messages/send', plain)).status, 201)
      await people.service.advance('PT1S')
      assert.deepEqual([await subjects(ann), await subjects(bob)], [['A News One'], ['Hello']])
      for (const id of [ann, bob]) {
        const { campaigns_received } = await people.person(id, ['campaigns_received'])
        assert.deepEqual(
          (campaigns_received as Item[]).map(({ name }) => name),
          ['News'],
        )
      }
    })

    test('recipients can be named by every identifier, and each order counts its outcomes', async () => {
      const [ann, bob, cem, dan] = [await newPerson(), await newPerson(), await newPerson(), await newPerson()]
      const user_alias = newAlias()
      await people.accept({
        attributes: [{ user_alias, _update_existing_only: false, email: `${user_alias.alias_name}@example.com` }],
      })
      const { service_id } = await people.person(bob, ['service_id'])
      const shared = `${newId()}@example.com`
      await people.set({ external_id: cem, email: shared })
      await people.service.advance('PT1S')
      await people.set({ external_id: dan, email: shared })
      const oldest = { email: shared, prioritization: ['least_recently_updated'] }
      const id = await order('tells', {
        recipients: [
          ...[{ external_user_id: ann }, { user_alias }, { service_id }, { email: shared.toUpperCase() }, oldest],
          ...[{ external_user_id: ann }, { email: 'nobody@example.com' }, { service_id: '0'.repeat(24) }],
        ],
      })
      const { entries, found, unknown, reasons, state, flow } = await shown(id)
      assert.deepEqual(
        { entries, found, unknown, reasons, state, flow },
        {
          ...{ entries: { completed: 5 }, found: 5, unknown: 2, reasons: { no_such_user: 2 }, state: 'done' },
          flow: { kind: 'canvas', id: 'tells', name: 'The tells', by: 'api' },
        },
      )
      assert.equal((await subjects(bob)).length, 1)
      const { body } = await admin('GET', `/admin/inbox?to=${shared}`)
      assert.equal(body.messages.length, 2)
    })

    test('a named recipient must be in the segment and in the audience', async () => {
      const [gold, plain] = [await newPerson({ plan: 'gold' }), await newPerson({ plan: 'plain' })]
      const first = await shown(await order('golden', { recipients: named([gold, plain]) }))
      assert.deepEqual(first.entries, { completed: 1, not_in_segment: 1 })
      assert.deepEqual(first.reasons, { not_in_segment: 1 })
      const second = await shown(await order('tells', { recipients: named([gold, plain]), audience }))
      assert.deepEqual(second.entries, { completed: 1, not_in_audience: 1 })
      assert.deepEqual(await subjects(plain), [])
    })

    test('an order to everybody in the segment enters each person once, and an order to a paused canvas enters none', async () => {
      const gold = await newPerson({ plan: 'gold' })
      const { entries } = await shown(await order('golden', { broadcast: true }))
      assert.deepEqual(Object.keys(entries), ['completed'])
      assert.deepEqual(await subjects(gold), ['golden'])
      const paused = await shown(await order('paused', { broadcast: true }))
      assert.deepEqual([paused.state, paused.entries, paused.found], ['done', {}, 0])
      assert.equal(paused.slots[0].failure, 'The canvas is paused')
      const refused = await shown(await order('paused', { recipients: named([gold]) }))
      assert.deepEqual([refused.state, refused.entries], ['done', { canvas_paused: 1 }])
    })

    test('a canvas sends within its rate, and people who leave in the meantime get nothing', async () => {
      const ids = await Promise.all(many(6, () => newPerson()))
      const fromMs = await now()
      const id = await order('slow', { recipients: named(ids) })
      const waiting = (await shown(id)).entries.sending
      assert.ok(waiting >= 4, String(waiting))
      const late = (
        await Promise.all(ids.map(async (each) => ((await subjects(each)).length === 0 ? [each] : [])))
      ).flat()
      await people.happen({ external_id: late.at(-1)!, name: 'left', time: new Date(await now()).toISOString() })
      await people.service.advance('PT5M')
      const times = (await Promise.all(ids.map(mails))).flat().map(({ at }) => Date.parse(at) - fromMs)
      assert.deepEqual(await subjects(late.at(-1)!), [])
      assert.equal(times.length, 5)
      assert.ok(Math.max(...times) >= 20_000 && Math.max(...times) <= 2 * minuteMs, times.join())
      assert.deepEqual((await shown(id)).entries, { completed: 5, exited: 1 })
    })

    test('messages of a paused canvas wait', async () => {
      const ids = await Promise.all(many(3, () => newPerson()))
      await order('slow', { recipients: named(ids) })
      await admin('POST', '/admin/canvases/slow/pause')
      await people.service.advance('PT10M')
      const before = (await Promise.all(ids.map(subjects))).flat().length
      assert.ok(before < 3, String(before))
      await admin('POST', '/admin/canvases/slow/resume')
      await people.service.advance('PT10M')
      assert.equal((await Promise.all(ids.map(subjects))).flat().length, 3)
    })

    test('a message at the best hour comes on the requested day in the time zone of the person', async () => {
      const [tokyo, home] = [await newPerson({ time_zone: 'Asia/Tokyo' }), await newPerson()]
      const day = new Date((await now()) + 3 * 86_400_000).toISOString().slice(0, 10)
      const schedule = { time: `${day}T09:30:00`, at_optimal_time: true }
      const recipients = named([tokyo, home])
      const canvas = await people.send('/canvas/trigger/schedule/create', {
        canvas_id: 'urgent',
        recipients,
        schedule,
      })
      assert.equal(canvas.status, 201, canvas.text)
      const messages = { email: mail({ subject: 'plain' }) }
      const plain = await people.send('/messages/schedule/create', {
        external_user_ids: [tokyo, home],
        messages,
        schedule,
      })
      assert.equal(plain.status, 201, plain.text)
      await people.service.advance('P6D')
      for (const [id, at] of [
        [tokyo, `${day}T00:30:00.000Z`],
        [home, `${day}T09:30:00.000Z`],
      ] as const) {
        const got = await mails(id)
        assert.deepEqual(got.map(({ subject }) => subject).toSorted(), ['plain', 'urgent'])
        for (const each of got) assert.equal(new Date(each.at).toISOString(), at)
      }
    })
  })
}
