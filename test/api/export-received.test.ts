import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { recordFields } from '../../src/people/export/record.ts'
import { exportFields } from '../../src/people/export/schema.ts'
import { download, type Entry, filesIn, overOf } from '../support/exports.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { everyField, type Item, newId, only, purchase } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0' }
const body = '<p>Hello</p><a href="https://shop.example.com/tea">Tea</a></body>'
const fields = ['campaigns_received', 'canvases_received', 'total_revenue']
const hello = { id: 'hello', name: 'Hello', type: 'message', channel: 'email', message: mail(), next: 'wait' }
const wait = { id: 'wait', type: 'delay', for: 'P1D', next: 'bye' }
const bye = { id: 'bye', name: 'Bye', type: 'message', channel: 'email', message: mail(), next: 'tag' }
const tag = { id: 'tag', type: 'update_user', attributes: { toured: true } }

test('every field that an export can request has a source', () => {
  assert.deepEqual(recordFields.toSorted(), [...everyField, ...extra].toSorted())
  const known = new Set([...recordFields])
  assert.deepEqual(
    exportFields('service').filter((field) => !known.has(field)),
    [],
  )
})

/** Asserts that a time is at most a second later. Work that is due can move a virtual clock that far. */
function soonAfter(at: string, time: string): void {
  const ms = Date.parse(time) - Date.parse(at)
  assert.ok(ms >= 0 && ms <= 1_000, `${time} is soon after ${at}`)
}

/** Members that come with other fields and can be requested alone too. */
const extra = ['push_opted_in_at', 'push_unsubscribed_at', 'email_opted_in_at', 'email_unsubscribed_at']

for (const database of drawDatabases('export-received')) {
  describe(`campaigns_received and canvases_received (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    const now = async (): Promise<string> => (await people.service.admin('GET', '/admin/clock')).body.now

    async function make(kind: 'canvas' | 'campaign', more: Item): Promise<{ id: string; name: string }> {
      const whole = { name: newId(kind), state: 'active', entry: { by: ['api'], again: 'always' }, ...more }
      const path = kind === 'canvas' ? '/admin/canvases' : '/admin/campaigns'
      return (await people.service.admin('POST', path, whole)).body[kind]
    }

    async function trigger(kind: 'canvas' | 'campaign', id: string, external_user_id: string): Promise<string> {
      const path = kind === 'canvas' ? '/canvas/trigger/send' : '/campaigns/trigger/send'
      const sent = await people.service.post(path, { [`${kind}_id`]: id, recipients: [{ external_user_id }] })
      assert.equal(sent.status, 201, sent.text)
      const at = await now()
      await people.service.advance('PT1S')
      return at
    }

    async function person(): Promise<string> {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com` })
      return external_id
    }

    const recordOf = async (external_id: string): Promise<Any> => people.person(external_id, fields)
    const later = (at: string, ms: number) => new Date(Date.parse(at) + ms).toISOString()

    test('a person without messages has neither field', async () => {
      assert.deepEqual(await recordOf(await person()), { total_revenue: 0 })
    })

    test('a canvas is exported with its dates and the steps whose messages were received', async () => {
      const { id, name } = await make('canvas', { first: 'hello', steps: [hello, wait, bye, tag] })
      const external_id = await person()
      const at = await trigger('canvas', id, external_id)
      const entered = only((await recordOf(external_id)).canvases_received as Any[])
      const [variation] = [entered.variation_name]
      assert.equal(typeof variation, 'string')
      const { last_entered, last_received_message } = entered
      for (const time of [last_entered, last_received_message]) soonAfter(at, time)
      const first = { name: 'Hello', api_canvas_step_id: 'hello', last_received: last_received_message }
      const shown = { name, api_canvas_id: id, last_received_message, last_entered, variation_name: variation }
      const standing = { ...shown, in_control: false, steps_received: [first], last_entered_control_at: null }
      assert.deepEqual(entered, standing)
      await people.service.advance('P2D')
      const ended = only((await recordOf(external_id)).canvases_received as Any[])
      const end = ended.last_received_message
      soonAfter(later(at, 86_400_000), end)
      const second = { name: 'Bye', api_canvas_step_id: 'bye', last_received: end }
      const steps_received = [first, second]
      const { last_exited, ...others } = ended
      soonAfter(end, last_exited)
      assert.deepEqual(others, { ...standing, last_received_message: end, steps_received })
      // Each of the two fields can be requested alone.
      assert.deepEqual(Object.keys(await people.person(external_id, ['canvases_received'])), ['canvases_received'])
    })

    test('the control group of a canvas is exported, and has received nothing', async () => {
      const { id, name } = await make('canvas', {
        control_percent: 100,
        first: 'hello',
        steps: [hello, wait, bye, tag],
      })
      const external_id = await person()
      const at = await trigger('canvas', id, external_id)
      const { last_exited: _, ...entry } = only((await recordOf(external_id)).canvases_received as Any[])
      const { last_entered } = entry
      soonAfter(at, last_entered)
      const control = { in_control: true, variation_name: 'Control Group', last_entered_control_at: last_entered }
      assert.deepEqual(entry, { name, api_canvas_id: id, last_entered, ...control })
    })

    test('a campaign with one message has no variation, and one with several names it', async () => {
      const one = { id: 'one', name: 'One', percent: 100, email: mail() }
      const single = await make('campaign', { messages: [one] })
      const external_id = await person()
      const at = await trigger('campaign', single.id, external_id)
      const { last_received, ...alone } = only((await recordOf(external_id)).campaigns_received as Any[])
      soonAfter(at, last_received)
      assert.deepEqual(alone, { name: single.name, api_campaign_id: single.id })
      const many = await make('campaign', { messages: [one, { ...one, id: 'two', name: 'Two', percent: 0 }] })
      await trigger('campaign', many.id, external_id)
      const { campaigns_received: had } = await recordOf(external_id)
      assert.deepEqual(had[1], {
        ...{ name: many.name, api_campaign_id: many.id, last_received: had[1].last_received },
        ...{ variation_name: 'One', variation_api_id: 'one', in_control: false },
      })
      const control = await make('campaign', { control_percent: 100, messages: [one] })
      await trigger('campaign', control.id, external_id)
      assert.deepEqual((await recordOf(external_id)).campaigns_received[2], {
        ...{ name: control.name, api_campaign_id: control.id, variation_name: 'Control Group', in_control: true },
      })
      assert.equal((await recordOf(external_id)).canvases_received, undefined)
    })

    test('opens, clicks, conversions and revenue are exported, also by an export of a segment', async () => {
      const conversions = [
        { name: 'Primary Conversion Event - A', on: { purchase: 'any' }, within: 'P7D' },
        { name: 'Conversion Event - B', on: { event: 'visited' }, within: 'P7D' },
      ]
      const email = mail({ body })
      const { id, name } = await make('campaign', {
        conversions,
        messages: [{ id: 'one', name: 'One', percent: 100, email }],
      })
      const external_id = await person()
      const at = await trigger('campaign', id, external_id)
      const none = { 'Primary Conversion Event - A': false, 'Conversion Event - B': false }
      const before = await recordOf(external_id)
      const { last_received } = only(before.campaigns_received as Any[])
      soonAfter(at, last_received)
      const sent = { name, api_campaign_id: id, last_received }
      assert.deepEqual(before.campaigns_received, [{ ...sent, converted: false, multiple_converted: none }])
      await people.service.advance('PT1H')
      const { messages } = (await people.service.admin('GET', '/admin/inbox')).body
      const { id: mail_id } = messages.find(({ to }: Any) => String(to).includes(external_id))
      const { html } = (await people.service.admin('GET', `/admin/inbox/${mail_id}`)).body
      for (const path of [/\/l\/[^"]+/, /\/o\/[^"]+/]) {
        const found = path.exec(html)
        assert.ok(found, html)
        await people.page(found[0], browser)
      }
      await people.accept({ purchases: [purchase({ external_id }, { price: 10.5, quantity: 2, time: await now() })] })
      await people.service.advance('PT1S')
      let record = await recordOf(external_id)
      for (let tries = 0; tries < 600 && !record.campaigns_received[0].engaged?.opened_email; tries++) {
        await new Promise((resume) => setTimeout(resume, 50))
        await people.service.advance('PT1M')
        record = await recordOf(external_id)
      }
      assert.deepEqual(record, {
        campaigns_received: [
          {
            ...{ ...sent, engaged: { opened_email: true, clicked_email: true }, converted: true },
            multiple_converted: { ...none, 'Primary Conversion Event - A': true },
          },
        ],
        total_revenue: 21,
      })
      const audience = { standard_attribute: { name: 'external_id', comparison: 'equals', value: external_id } }
      const segment = await people.service.admin('POST', '/admin/segments', { name: external_id, audience })
      const asked = { segment_id: segment.body.segment.id, fields_to_export: fields, callback_endpoint: undefined }
      const answer = await people.service.post('/users/export/segment', asked)
      assert.equal(answer.status, 201, answer.text)
      const listed = async (): Promise<readonly Entry[]> =>
        (await people.service.admin('GET', '/admin/exports?limit=100')).body.exports
      const { url } = await overOf(answer.body.object_prefix, listed)
      const { bytes } = await download(people.service.url, url!)
      assert.deepEqual(Object.values(filesIn(bytes)).flat(), [record])
    })
  })
}
