import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { standingHoursMax } from '../../src/messaging/inspect/schema.ts'
import { canvas, isPlan, message } from '../support/canvases.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { type Item, newId } from '../support/people.ts'
import { countStepRows, countsOfStanding, readStepRows } from '../support/step-counts.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const stopped = mail({
  subject: 'tips',
  body: "{% if custom_attribute.${plan} == 'none' %}{% abort_message('no') %}{% endif %}Hi",
})
const steps: Item[] = [
  { id: 'gold', type: 'decision', audience: isPlan('gold'), yes: 'hello', no: 'act' },
  message('hello', 'wait'),
  { id: 'wait', type: 'delay', for: 'P3D', next: 'tips' },
  {
    ...{ id: 'act', type: 'action_paths', within: 'P2D', otherwise: 'tips' },
    paths: [{ name: 'Bought', event: 'bought_it', next: 'hello' }],
  },
  { id: 'tips', type: 'message', channel: 'email', message: stopped },
]
const walk = (id: string, more: Item = {}) =>
  canvas(id, steps, { class: 'marketing', exit: { events: ['left_it'] }, ...more })
const workspace = {
  ...sendingWorkspace,
  canvases: [walk('walk'), walk('moves')],
  campaigns: [
    {
      ...{ id: 'letter', name: 'Letter', state: 'active', entry: { by: ['api'] } },
      messages: [{ id: 'one', name: 'One', email: mail() }],
    },
  ],
}

for (const database of drawDatabases('flow-standing')) {
  describe(`where people stand in a canvas (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace })
    let asked = 0

    /** Reads the standing with other hours each time, because answers are kept for some seconds. */
    async function standing(id: string, query = '', kind = 'canvases'): Promise<Any> {
      return (await people.service.admin('GET', `/admin/${kind}/${id}/standing?hours=${1000 + asked++}${query}`)).body
    }

    const ask = (path: string) => people.service.get(path, { key: people.service.adminToken })

    async function newPerson(more: Item = {}): Promise<string> {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com`, ...more })
      return external_id
    }

    async function trigger(id: string, ...ids: string[]): Promise<void> {
      const recipients = ids.map((external_user_id) => ({ external_user_id }))
      const answer = await people.send('/canvas/trigger/send', { canvas_id: id, recipients })
      assert.equal(answer.status, 201, answer.text)
      await people.service.advance('PT1S')
    }

    async function act(name: string, external_id: string): Promise<void> {
      const time = (await people.service.admin('GET', '/admin/clock')).body.now
      await people.accept({ events: [{ external_id, name, time }] })
      await people.service.advance('PT1S')
    }

    /** Counts what the rows of entries and the decisions say of a canvas. */
    const naive = async (id: string) => countStepRows(await readStepRows(people.db, id), steps)

    test('an empty canvas has zeros for every step', async () => {
      const empty = await standing('moves')
      assert.deepEqual([empty.version, empty.versions], [1, [{ version: 1, waiting: 0 }]])
      assert.deepEqual([empty.entered, empty.ended, empty.converted], [0, 0, 0])
      assert.deepEqual(Object.keys(empty.steps).sort(), ['act', 'gold', 'hello', 'tips', 'wait'])
      assert.deepEqual(empty.steps.wait, {
        ...{ waiting: 0, longest_ms: null, held: 0, passed: 0, sent: 0, failed: 0 },
        ...{ by: {}, paths: {}, left: {}, reasons: {}, outcomes: [], families: {}, rates: null },
      })
      assert.deepEqual(empty.starts, {})
    })

    test('the numbers are those of the rows, while a week goes by', async () => {
      const rich = [await newPerson({ plan: 'gold' }), await newPerson({ plan: 'gold' })]
      const away = await newPerson({ plan: 'gold', email_subscribe: 'unsubscribed' })
      const bare = newId()
      await people.set({ external_id: bare, plan: 'gold' })
      const [buyer, leaver, silent, never] = [
        await newPerson(),
        await newPerson(),
        await newPerson(),
        await newPerson({ plan: 'none' }),
      ]
      await trigger('walk', ...rich, away, bare, buyer, leaver, silent, never)
      const first = await standing('walk')
      assert.deepEqual([first.entered, first.ended, first.steps.wait.waiting, first.steps.act.waiting], [8, 0, 4, 4])
      assert.deepEqual(first.steps.hello.reasons, { unsubscribed: 1, no_address: 1 })
      assert.deepEqual(first.starts, { gold: 8 })
      const { channel, counts, unknown } = first.steps.hello.rates
      assert.deepEqual([channel, unknown], ['email', null])
      assert.deepEqual(
        counts.map(({ measure }: { measure: string }) => measure),
        ['delivered', 'unique_opens', 'unique_clicks', 'unsubscribes', 'bounces', 'reported_spam'],
      )
      assert.deepEqual(first.steps.hello.families, { sent: 2, held: 1, failed: 1 })
      assert.deepEqual(first.steps.hello.outcomes, [
        { reason: 'sent', words: 'the mail server took it', family: 'sent', count: 2 },
        { reason: 'no_address', words: 'the person has no address for the channel', family: 'failed', count: 1 },
        {
          reason: 'unsubscribed',
          words: 'the subscription state of the person does not allow it',
          family: 'held',
          count: 1,
        },
      ])
      assert.deepEqual(countsOfStanding(first), await naive('walk'))
      await act('bought_it', buyer)
      await act('left_it', leaver)
      assert.deepEqual(countsOfStanding(await standing('walk')), await naive('walk'))
      await people.service.advance('P1D')
      const { steps: later } = await standing('walk')
      const day = 86_400_000
      assert.ok(later.act.longest_ms >= day && later.act.longest_ms < 2 * day, `${later.act.longest_ms}`)
      for (let i = 0; i < 6; i++) {
        await people.service.advance('P1D')
        assert.deepEqual(countsOfStanding(await standing('walk')), await naive('walk'), `day ${i}`)
      }
      const last = await standing('walk')
      assert.deepEqual([last.entered, last.ended, last.versions], [8, 8, [{ version: 1, waiting: 0 }]])
      assert.deepEqual(last.steps.act.by, { hello: 1, tips: 2 })
      assert.deepEqual(last.steps.act.paths, { Bought: 1, otherwise: 2 })
      assert.deepEqual(last.steps.act.left, { exited: 1 })
      assert.deepEqual(last.steps.gold.paths, { yes: 4, no: 4 })
      assert.deepEqual(last.steps.tips.reasons, { unsubscribed: 1, no_address: 1, aborted_by_template: 1 })
      assert.deepEqual([last.steps.tips.sent, last.steps.tips.failed, last.steps.tips.by], [4, 3, { '': 7 }])
    })

    test('people who are merged or deleted stay counted', async () => {
      const [gone, kept, deleted] = [
        await newPerson({ plan: 'gold' }),
        await newPerson({ plan: 'gold' }),
        await newPerson({ plan: 'gold' }),
      ]
      await trigger('moves', gone, kept, deleted)
      await people.merge({ external_id: gone }, { external_id: kept })
      const merged = await standing('moves')
      assert.deepEqual(countsOfStanding(merged), await naive('moves'))
      assert.deepEqual([merged.entered, merged.ended, merged.steps.wait.waiting], [3, 1, 2])
      assert.deepEqual(merged.steps.wait.left, { merged: 1 })
      await people.delete({ external_ids: [deleted] })
      const after = await standing('moves')
      assert.deepEqual([after.entered, after.ended, after.steps.wait.waiting, after.steps.hello.sent], [3, 1, 1, 3])
      await people.service.advance('P4D')
      const { entered, ended, steps: found } = await standing('moves')
      assert.deepEqual([entered, ended, found.tips.sent], [3, 2, 1])
    })

    test('a version has its own numbers, and people stay on theirs', async () => {
      const id = newId('versions')
      await people.service.admin('POST', '/admin/canvases', walk(id))
      await trigger(id, await newPerson({ plan: 'gold' }))
      const longer = steps.map((step) => (step.id === 'wait' ? { ...step, for: 'P4D' } : step))
      await people.service.admin('PATCH', `/admin/canvases/${id}`, { steps: longer })
      await trigger(id, await newPerson({ plan: 'gold' }), await newPerson({ plan: 'gold' }))
      const [older, newer] = [await standing(id, '&version=1'), await standing(id)]
      assert.deepEqual(newer.versions, [
        { version: 2, waiting: 2 },
        { version: 1, waiting: 1 },
      ])
      assert.deepEqual([older.version, older.entered, older.steps.wait.waiting], [1, 1, 1])
      assert.deepEqual([newer.version, newer.entered, newer.steps.wait.waiting], [2, 2, 2])
      const unknown = await ask(`/admin/canvases/${id}/standing?version=3`)
      assert.deepEqual([unknown.status, unknown.body.message], [400, "'version' must be an integer from 1 to 2"])
    })

    test('people who wait for the hour at which they enter are not counted yet', async () => {
      const id = newId('later')
      await people.service.admin('POST', '/admin/canvases', walk(id))
      const { now } = (await people.service.admin('GET', '/admin/clock')).body
      const date = new Date(Date.parse(now) + 2 * 86_400_000).toISOString().slice(0, 10)
      const [there, later] = [await newPerson({ plan: 'gold' }), await newPerson({ plan: 'gold' })]
      const answer = await people.send('/canvas/trigger/schedule/create', {
        canvas_id: id,
        recipients: [{ external_user_id: later }],
        schedule: { time: `${date}T15:00:00`, at_optimal_time: true },
      })
      assert.equal(answer.status, 201, answer.text)
      await people.service.admin('POST', '/admin/clock', { now: `${date}T14:00:00Z` })
      await trigger(id, there)
      const listed = (await ask(`/admin/canvases/${id}/entries`)).body.entries
      assert.deepEqual(listed.map(({ state }: Any) => state).toSorted(), ['arriving', 'waiting'])
      const before = await standing(id)
      assert.deepEqual([before.entered, before.versions[0].waiting, before.steps.gold.waiting], [1, 1, 0])
      await people.service.advance('PT2H')
      const after = await standing(id)
      assert.deepEqual([after.entered, after.versions[0].waiting, after.steps.wait.waiting], [2, 2, 2])
    })

    test('people of a paused canvas are held', async () => {
      const id = newId('paused')
      await people.service.admin('POST', '/admin/canvases', walk(id))
      await trigger(id, await newPerson({ plan: 'gold' }))
      await people.service.admin('POST', `/admin/canvases/${id}/pause`)
      await people.service.advance('PT1S')
      const { steps: found } = await standing(id)
      assert.deepEqual([found.wait.waiting, found.wait.held], [1, 1])
    })

    test('the messages of a campaign are its steps', async () => {
      const recipients = [{ external_user_id: await newPerson() }]
      const sent = await people.send('/campaigns/trigger/send', { campaign_id: 'letter', recipients })
      assert.equal(sent.status, 201, sent.text)
      await people.service.advance('PT1S')
      const { entered, ended, steps: found } = await standing('letter', '', 'campaigns')
      assert.deepEqual([entered, ended, found.one.sent, found.one.by], [1, 1, 1, { '': 1 }])
    })

    for (const hours of [1, standingHoursMax]) {
      test(`counts go back ${hours} hours, by days`, async () => {
        const { body } = await people.service.admin('GET', `/admin/canvases/walk/standing?hours=${hours}`)
        assert.match(body.since, /^\d{4}-\d\d-\d\d$/)
      })
    }

    for (const query of [
      'hours=0',
      `hours=${standingHoursMax + 1}`,
      'hours=x',
      'version=0',
      'version=1.5',
      'version=',
    ]) {
      test(`the query ${query} is refused`, async () => {
        const { status, body } = await ask(`/admin/canvases/walk/standing?${query}`)
        assert.equal(status, 400)
        assert.match(body.message, new RegExp(`^'${query.split('=')[0]}' must be an integer`))
      })
    }

    test('an unknown canvas is not found', async () => {
      const { status, body } = await ask('/admin/canvases/nowhere/standing')
      assert.deepEqual([status, body.message], [404, 'There is no canvas "nowhere"'])
    })
  })
}
