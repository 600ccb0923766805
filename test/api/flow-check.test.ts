import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkedMistakesMax, draftBytesMax } from '../../src/messaging/drafts/schema.ts'
import { canvas, canvases, isPlan, message } from '../support/canvases.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { groups, type Item, newId } from '../support/people.ts'
import { campaign } from '../support/triggers.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const wait = { id: 'wait', type: 'delay', for: 'P3D' }

/** A canvas with a mistake in nearly every field. */
const wrong = {
  name: ' x',
  state: 'running',
  color: 'red',
  class: 'marketing',
  entry: {
    by: ['event'],
    event: { event: 'signed_up', properties: { plan: { comparison: 'is', value: 1 } } },
    again: 'twice',
    more: 1,
  },
  exit: {
    events: [{}, 'left'],
    audience: { AND: [isPlan('gold'), { custom_attribute: {} }, { segment: { segment_id: 'none' } }] },
  },
  conversions: [
    { on: 'bought', within: 'soon' },
    { on: { opened: 'sms' }, within: 'P1D' },
  ],
  control_percent: 101,
  quiet_hours: 'loud',
  rate: 'often',
  first: 'hello',
  steps: [
    {
      id: 'hello',
      type: 'message',
      message: { app_id: 'none', from: 'nobody', body: ' ', subject: '{{', colour: 1 },
      next: 'nowhere',
    },
    { id: 'wait', type: 'delay', for: 'P3D', until: '25:00', next: 'hello' },
    { id: 'gold?', type: 'decision', yes: 'wait', no: 'elsewhere', maybe: 'wait' },
    { id: 'split', type: 'experiment', paths: [{ percent: 50 }, { percent: 40, next: '' }] },
    {
      id: 'act',
      type: 'action_paths',
      within: 'P900D',
      paths: [
        { event: 'a', purchase: 'b' },
        { same: ['id'], event: 'c' },
      ],
    },
    { id: 'set', type: 'update_user', attributes: { email: 'x', external_id: 1 } },
    {
      id: 'call',
      type: 'webhook',
      url: 'ftp://a',
      method: 'SEND',
      headers: { Host: 'x', 'A B': 'c', T: { credential: 'no' } },
    },
    {
      id: 'split',
      type: 'paths',
      paths: [
        { name: 'A', audience: isPlan('a') },
        { name: 'A', audience: {} },
      ],
    },
    { id: 'what', type: 'sms' },
  ],
}

/** Where its mistakes are. */
const wrongPaths = [
  'color',
  'control_percent',
  'conversions[0].within',
  'conversions[1].on.opened',
  'entry.again',
  'entry.event.properties.plan.comparison',
  'entry.more',
  'exit.audience.AND[1].custom_attribute.custom_attribute_name',
  'exit.audience.AND[2].segment.segment_id',
  'exit.events[0]',
  'name',
  'quiet_hours',
  'rate',
  'state',
  'steps[0].message.app_id',
  'steps[0].message.body',
  'steps[0].message.colour',
  'steps[0].message.from',
  'steps[0].message.subject',
  'steps[0].next',
  'steps[1]',
  'steps[1].until',
  'steps[2].audience',
  'steps[2].id',
  'steps[2].maybe',
  'steps[2].no',
  'steps[3].paths',
  'steps[3].paths[1].next',
  'steps[4].paths[0]',
  'steps[4].within',
  'steps[5].attributes.email',
  'steps[5].attributes.external_id',
  'steps[6].headers',
  'steps[6].headers.Host',
  'steps[6].headers.T.credential',
  'steps[6].method',
  'steps[6].url',
  'steps[7].id',
  'steps[7].paths[1].audience',
  'steps[7].paths[1].name',
  'steps[8].type',
]

for (const database of drawDatabases('flow-check')) {
  describe(`POST /admin/canvases/check (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    const ask = (path: string, body?: unknown) =>
      people.service.send('POST', path, body, { key: people.service.adminToken })
    const check = async (definition: unknown, more: Item = {}, kind = 'canvases'): Promise<Any> => {
      const { status, text, body } = await ask(`/admin/${kind}/check`, { definition, ...more })
      assert.equal(status, 200, text)
      return body
    }
    const paths = async (definition: unknown, more: Item = {}, kind = 'canvases'): Promise<string[]> =>
      (await check(definition, more, kind)).mistakes.map(({ path }: Any) => path).toSorted()

    test('a valid canvas has no mistake, a sentence for each step and the outline of its versions', async () => {
      for (const given of canvases) {
        const id = newId('checked')
        const whole = { ...given, id, name: id }
        const { mistakes, has_more_mistakes, sentences, outline } = await check(whole)
        assert.deepEqual([mistakes, has_more_mistakes], [[], false], String(given.id))
        const made = await ask('/admin/canvases', whole)
        assert.equal(made.status, 201, made.text)
        const { body } = await people.service.get(`/admin/canvases/${id}/versions/1`, {
          key: people.service.adminToken,
        })
        assert.deepEqual(outline, body.outline, String(given.id))
        assert.deepEqual(
          Object.values(sentences),
          outline.steps.map(({ sentence }: Any) => sentence),
        )
      }
    })

    test('sentences have the names of segments and subscription groups instead of their ids', async () => {
      const subscribed = {
        subscription_group: { subscription_group_id: groups.news.id, comparison: 'is', value: 'subscribed' },
      }
      const gold = { id: 'gold', type: 'decision', segment: { segment_id: 'gold' }, yes: 'news', no: 'hello' }
      const news = { id: 'news', type: 'decision', audience: { AND: [subscribed] }, yes: 'hello', no: 'hello' }
      const named = canvas(newId('named'), [gold, news, message('hello')])
      const { mistakes, sentences } = await check(named)
      assert.deepEqual([mistakes, Object.keys(sentences)], [[], ['gold', 'news', 'hello']])
      assert.match(sentences.gold, /in the segment "Gold members"/)
      assert.match(sentences.news, /in subscription group `News`/)
    })

    test('every mistake is told at its field', async () => {
      const { mistakes, outline, sentences } = await check(wrong)
      const found = mistakes.map(({ path }: Any) => path)
      assert.equal(new Set(found).size, found.length, 'each path once')
      assert.deepEqual(found.toSorted(), wrongPaths)
      assert.deepEqual(
        outline.steps.map(({ id, sentence }: Any) => [id, sentence]),
        ['hello', 'wait', 'gold?', 'split', 'act', 'set', 'call'].map((id) => [id, '']),
      )
      assert.equal(sentences.hello, '')
      assert.deepEqual(outline.steps[0].paths, [{ name: '', words: '', next: null }])
      assert.deepEqual(outline.steps[1].paths, [{ name: '', words: '', next: 'hello' }])
    })

    test('the mistakes of a check are those of the write, and a write is accepted when there are none', async () => {
      const broken = [
        { first: 'nowhere' },
        { steps: [message('hello', 'hello')] },
        { steps: [message('hello'), message('alone', 'hello')] },
        {
          variants: [
            { percent: 50, first: 'hello' },
            { percent: 40, first: 'hello' },
          ],
          first: undefined,
        },
        { steps: [] },
        { steps: 'none' },
        { entry: { schedule: { at: '9' } } },
        { recipient_subscription_state: 'all', class: 'marketing' },
      ]
      for (const more of broken) {
        const given = { ...canvas(newId('broken'), [message('hello')]), ...more }
        const { mistakes } = await check(given)
        const { status, body } = await ask('/admin/canvases', given)
        assert.equal(status, 400)
        for (const { path, message: text } of body.errors) {
          assert.ok(
            mistakes.some((one: Any) => one.path === path && one.message === text),
            `${path} ${text}`,
          )
        }
      }
    })

    test('what follows from a mistake is no mistake of its own', async () => {
      const given = (more: Item) => ({ ...canvas(newId('one'), [message('hello', 'wait'), wait]), ...more })
      assert.deepEqual(await paths(given({ entry: 'event' })), ['entry'])
      assert.deepEqual(await paths(given({ entry: { by: ['schedule'], schedule: { at: '09:00', on: 1 } } })), [
        'entry.schedule.on',
      ])
      assert.deepEqual(await paths(given({ first: '?' })), ['first'])
      assert.deepEqual(await paths(given({ steps: [message('hello', 'wait'), { ...wait, type: 'pause' }] })), [
        'steps[1].type',
      ])
      assert.deepEqual(await paths(given({ steps: [message('hello', '?'), wait] })), ['steps[0].next', 'steps[1]'])
      assert.deepEqual(await paths(given({ steps: [message('hello', 'wait'), { ...wait, id: undefined }] })), [
        'steps[0].next',
        'steps[1].id',
      ])
      assert.deepEqual(await paths({ ...canvas('x', [{ id: 'a', type: 'decision' }]), name: newId() }), [
        'steps[0].audience',
      ])
    })

    test('a name that is taken and a state that cannot be again are mistakes', async () => {
      const [one, other] = [newId('one'), newId('other')]
      for (const id of [one, other]) await ask('/admin/canvases', canvas(id, [message('hello')]))
      const { mistakes } = await check(canvas(one, [message('hello')], { name: other, state: 'draft' }))
      assert.deepEqual(mistakes, [
        { path: 'name', message: `is taken: id ${other} has it` },
        { path: 'state', message: 'must not be draft again: it is active' },
      ])
      assert.deepEqual(await paths(canvas(one, [message('hello')]), { id: one }), [])
      assert.deepEqual(await paths({ ...canvas(one, [message('hello')]), id: undefined }), ['name'])
    })

    test('a campaign is checked and outlined by its messages', async () => {
      const given = campaign(newId('campaign'))
      const good = await check(given, {}, 'campaigns')
      assert.deepEqual([good.mistakes, good.outline.steps.length, good.outline.starts.length], [[], 1, 1])
      const bad = {
        ...given,
        messages: [
          { name: 'A', percent: 60, email: mail({ subject: 'a\nb' }) },
          { name: 'A', percent: 'x', email: 1 },
          7,
        ],
      }
      assert.deepEqual(await paths(bad, {}, 'campaigns'), [
        'messages[0].email.subject',
        'messages[1].email',
        'messages[1].name',
        'messages[1].percent',
        'messages[2]',
      ])
    })

    test('no definition is refused, however wrong it is', async () => {
      for (const definition of [undefined, null, 7, 'text', [], [1], true]) {
        assert.deepEqual((await check(definition)).mistakes, [
          { path: '', message: 'must be an object with name, first and steps' },
        ])
      }
      const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
      const { body } = await ask('/admin/canvases/check', `{"definition":${deep}}`)
      assert.deepEqual(body.mistakes, [{ path: '', message: 'must be nested at most 100 deep' }])
      const odd =
        '{"__proto__":{"x":1},"constructor":1,"steps":[{"__proto__":1,"id":"__proto__","type":"constructor"},null,[]],"name":"\\u0000"}'
      const answer = await ask('/admin/canvases/check', `{"id":"\\u0000","definition":${odd}}`)
      assert.equal(answer.status, 200, answer.text)
      assert.ok(answer.body.mistakes.length >= 4)
      const many = await check({
        name: newId(),
        first: 'a',
        steps: Array.from({ length: 199 }, () => ({ id: '?', type: 'delay', x: 1 })),
      })
      assert.deepEqual([many.mistakes.length, many.has_more_mistakes], [checkedMistakesMax, true])
      const large = canvas('large', [{ ...message('hello'), message: mail({ body: 'x'.repeat(draftBytesMax) }) }], {
        name: newId(),
      })
      assert.ok((await paths(large)).includes('steps'))
      assert.equal((await ask('/admin/canvases/check', [])).status, 400)
      assert.equal((await ask('/admin/canvases/check', { id: 7, definition: {} })).status, 400)
      assert.equal((await ask('/admin/canvases/check?workspace=none', { definition: {} })).status, 404)
    })

    test('a check writes nothing', async () => {
      const count = async () => (await people.service.admin('GET', '/admin/audit?limit=1')).body.audit[0]?.id
      const before = await count()
      const given = canvas(newId('unwritten'), [message('hello')])
      await check(given)
      assert.equal(
        (await people.service.get(`/admin/canvases/${given.id}`, { key: people.service.adminToken })).status,
        404,
      )
      assert.equal(await count(), before)
    })
  })
}
