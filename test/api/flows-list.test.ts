import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { mail } from '../support/messages.ts'
import { apps, many, peopleOf } from '../support/people.ts'
import { campaign, canvas } from '../support/triggers.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const unknownCanvas = 'canvas_id must be a string of the Canvas api identifier'
const unknownCampaign = 'campaign_id must be a string of the campaign api identifier'
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/

const bought = { event: 'bought' }
const whole = canvas('whole', {
  name: 'Whole',
  description: 'All of it',
  tags: ['a', 'b'],
  entry: { by: ['schedule'], schedule: { at: '09:00', zone: 'Europe/Paris', from: '2040-01-05' } },
  first: undefined,
  variants: [
    { name: 'A', percent: 50, first: 'hello' },
    { name: 'B', percent: 50, first: 'wait' },
  ],
  steps: [
    { id: 'hello', name: 'Say hello', type: 'message', channel: 'email', message: mail(), next: 'wait' },
    { id: 'wait', type: 'delay', for: 'P1D', next: 'gold' },
    { id: 'gold', type: 'decision', audience: isGold(), yes: 'hello2', no: 'act' },
    { id: 'hello2', type: 'message', channel: 'email', message: mail({ subject: 'Again' }) },
    { id: 'act', type: 'action_paths', within: 'P2D', paths: [{ ...bought, next: 'hello2' }] },
  ],
})

function isGold() {
  return { AND: [{ custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }] }
}

const news = campaign('news', {
  entry: {
    by: ['event', 'schedule'],
    event: { name: 'bought' },
    schedule: { at: '10:30', days: ['mon'], zone: 'local', from: '2040-01-05' },
  },
  conversions: [
    { on: bought, within: 'P7D' },
    { on: { purchase: 'any' }, within: 'P1D' },
    { on: { purchase: 'tea' }, within: 'P1D' },
    { on: { opened: 'email' }, within: 'PT1H' },
  ],
  messages: [
    { id: 'news-a', name: 'Plain', percent: 50, email: mail({ preheader: 'Soon' }) },
    { id: 'news-b', name: 'Loud', percent: 50, email: mail({ reply_to: 'NO_REPLY_TO' }) },
  ],
})

const states = ['draft', 'paused', 'archived'] as const
const planned = (id: string, schedule: object, more: object = {}) =>
  canvas(id, { entry: { by: ['schedule'], schedule }, ...more })

for (const database of drawDatabases('flows-list')) {
  describe(`lists and details of canvases and campaigns (${database})`, () => {
    const people = peopleOf(database, {
      env: { EASEL_CLOCK: 'virtual' },
      workspace: {
        settings: { time_zone: 'Asia/Tokyo' },
        apps: Object.values(apps),
        canvases: [whole, ...states.map((state) => canvas(state, { state }))],
        campaigns: [news, campaign('plain'), campaign('gone', { state: 'archived' })],
      },
    })
    const get = async (path: string): Promise<Any> => {
      const { status, body, text } = await people.get(path)
      assert.equal(status, 200, `${path}: ${text}`)
      return body
    }
    const canvases = async (query = '') => (await get(`/canvas/list?${query}`)).canvases.map(({ id }: Any) => id)
    const refused = async (path: string, message: string) => {
      const { status, body } = await people.get(path)
      assert.deepEqual([path, status, body], [path, 400, { message }])
    }

    test('canvases are listed with their tags and the time of the last change', async () => {
      const { canvases: listed, message } = await get('/canvas/list')
      assert.equal(message, 'success')
      const { last_edited, ...rest } = listed.find(({ id }: Any) => id === 'whole')
      assert.deepEqual(rest, { id: 'whole', name: 'Whole', tags: ['a', 'b'] })
      assert.match(last_edited, moment)
      assert.deepEqual((await canvases()).toSorted(), ['draft', 'paused', 'whole'])
      for (const [flag, shows] of [
        ['true', true],
        ['1', true],
        ['True', true],
        ['0', false],
      ] as const) {
        assert.equal((await canvases(`include_archived=${flag}`)).includes('archived'), shows, flag)
      }
      assert.deepEqual((await canvases('sort_direction=desc')).toReversed(), await canvases('sort_direction=asc'))
      assert.deepEqual(await canvases('page=1'), [])
      assert.deepEqual(await canvases('app_group_id=x&page=&sort_direction='), await canvases())
    })

    test('a filter lists only what was changed after a given time', async () => {
      const all = await canvases()
      for (const time of ['2020-06-28T23:59:59-5:00', '2020-06-28T23:59:59%2B05:00', '2020-06-28T23:59:59+05:00', '']) {
        assert.deepEqual(await canvases(`last_edit.time[gt]=${time}`), all)
      }
      assert.deepEqual(await canvases('last_edit.time%5Bgt%5D=2090-04-20T04%3A20%3A00'), [])
      await refused('/canvas/list?last_edit.time[gt]=soon', "'last_edit.time[gt]' is not valid")
      await refused('/canvas/list?page=-1', "'page' is not valid")
      await refused('/campaigns/list?sort_direction=up', "'sort_direction' is not valid")
      await refused('/campaigns/list?include_archived=maybe', "'include_archived' must be true or false")
    })

    test('campaigns are listed, and whether they are triggered by requests', async () => {
      const { campaigns } = await get('/campaigns/list?include_archived=true')
      const shown = campaigns.map(({ id, name, is_api_campaign, tags }: Any) => [id, name, is_api_campaign, tags])
      assert.deepEqual(shown.toSorted(), [
        ['gone', 'Campaign gone', true, []],
        ['news', 'Campaign news', false, []],
        ['plain', 'Campaign plain', true, []],
      ])
      for (const { last_edited } of campaigns) assert.match(last_edited, moment)
    })

    test('a canvas is returned with its variants, its steps and their connections', async () => {
      const { created_at, updated_at, variants, steps, ...rest } = await get('/canvas/details?canvas_id=whole')
      assert.deepEqual(rest, {
        name: 'Whole',
        description: 'All of it',
        archived: false,
        draft: false,
        enabled: true,
        has_post_launch_draft: false,
        schedule_type: 'time_based',
        channels: ['email'],
        tags: ['a', 'b'],
        teams: [],
        ...{ first_entry: null, last_entry: null, first_sent: null, last_sent: null },
        message: 'success',
      })
      for (const each of [created_at, updated_at]) assert.match(each, moment)
      assert.deepEqual(
        variants.map(({ name, first_step_ids, first_step_id }: Any) => [name, first_step_ids, first_step_id]),
        [
          ['A', ['hello'], 'hello'],
          ['B', ['wait'], 'wait'],
        ],
      )
      const [hello, wait, gold, last, act] = steps
      assert.deepEqual(hello, {
        name: 'Say hello',
        type: 'message',
        id: 'hello',
        next_step_ids: ['wait'],
        next_paths: [{ name: 'Next', next_step_id: 'wait' }],
        channels: ['email'],
        messages: {
          hello: {
            channel: 'email',
            name: 'Say hello',
            subject: 'Hello',
            body: '<p>Hello</p>',
            from: 'Shop <shop@example.com>',
          },
        },
      })
      assert.deepEqual([wait.type, wait.channels, wait.messages], ['delay', [], {}])
      assert.deepEqual(gold.next_paths, [
        { name: 'Yes', next_step_id: 'hello2' },
        { name: 'No', next_step_id: 'act' },
      ])
      assert.deepEqual([last.next_step_ids, last.next_paths], [[], []])
      assert.deepEqual(act.next_step_ids, ['hello2'])
      assert.deepEqual(act.next_paths.at(-1), { name: 'Everyone else', next_step_id: null })
      const flags = async (id: string) => {
        const { archived, draft, enabled } = await get(`/canvas/details?canvas_id=${id}`)
        return [archived, draft, enabled]
      }
      assert.deepEqual(await flags('archived'), [true, false, false])
      assert.deepEqual(await flags('draft'), [false, true, false])
      assert.deepEqual(await flags('paused'), [false, false, false])
    })

    test('a campaign is returned with its messages and conversions', async () => {
      const shown = await get('/campaigns/details?campaign_id=news')
      const { schedule_type, channels, first_sent, last_sent, messages, conversion_behaviors } = shown
      assert.deepEqual([schedule_type, channels, first_sent, last_sent], ['action_based', ['email'], null, null])
      assert.deepEqual(Object.keys(messages), ['news-a', 'news-b'])
      assert.deepEqual([messages['news-a'].name, messages['news-a'].preheader], ['Plain', 'Soon'])
      assert.equal(messages['news-b'].reply_to, null)
      assert.deepEqual(conversion_behaviors, [
        { type: 'Performs Custom Event', window: 604_800, custom_event_name: 'bought' },
        { type: 'Makes Purchase', window: 86_400 },
        { type: 'Makes Specific Purchase', window: 86_400, product: 'tea' },
        { type: 'Opens Email', window: 3_600 },
      ])
    })

    test('a campaign has the times of its first and last send', async () => {
      await people.set({ external_id: 'ann', email: 'ann@example.com' })
      const recipients = [{ external_user_id: 'ann' }]
      await people.send('/campaigns/trigger/send', { campaign_id: 'plain', recipients })
      await people.service.advance('PT1M')
      const { first_sent, last_sent } = await get('/campaigns/details?campaign_id=plain')
      assert.match(first_sent, moment)
      assert.equal(first_sent, last_sent)
    })

    test('a canvas has the times of its first and last entry and send', async () => {
      const entered = async () => {
        const { first_entry, last_entry, first_sent, last_sent } = await get('/canvas/details?canvas_id=paused')
        return [first_entry, last_entry, first_sent, last_sent]
      }
      assert.deepEqual(await entered(), [null, null, null, null])
      await people.service.admin('POST', '/admin/canvases/paused/resume')
      await people.set({ external_id: 'bob', email: 'bob@example.com' })
      const recipients = [{ external_user_id: 'bob' }]
      const canvas_id = 'paused'
      const order = async () => {
        assert.equal((await people.send('/canvas/trigger/send', { canvas_id, recipients })).status, 201)
        await people.service.advance('PT1M')
      }
      await order()
      const first = await entered()
      for (const each of first) assert.match(each, moment)
      await order()
      const then = await entered()
      assert.deepEqual([then[0], then[2]], [first[0], first[2]])
      for (const i of [1, 3]) assert.ok(then[i] > first[i], `${first} ${then}`)
    })

    test('an unknown id is refused with the text of the interface', async () => {
      for (const query of ['', '?canvas_id=', '?canvas_id=non-existing', '?canvas_id=news', '?canvas_id=%00']) {
        await refused(`/canvas/details${query}`, unknownCanvas)
      }
      for (const query of ['', '?campaign_id=1', '?campaign_id=whole']) {
        await refused(`/campaigns/details${query}`, unknownCampaign)
      }
    })

    test('a page has a hundred entries', async () => {
      const more = many(98, (i) => canvas(`more-${i}`))
      await people.service.admin('POST', '/admin/apply', { canvases: more.slice(0, 96) })
      assert.equal((await canvases()).length, 99)
      await people.service.admin('POST', '/admin/apply', { canvases: more.slice(96, 97) })
      assert.deepEqual([(await canvases()).length, await canvases('page=1')], [100, []])
      await people.service.admin('POST', '/admin/apply', { canvases: more.slice(97) })
      assert.deepEqual([(await canvases()).length, (await canvases('page=1')).length], [100, 1])
    })

    test('flows that are sent by their own schedule are listed once, the earliest first', async () => {
      await people.service.admin('POST', '/admin/apply', {
        canvases: [
          planned('far', { at: '08:00', zone: 'UTC', from: '2040-06-01' }),
          planned('over', { at: '08:00', zone: 'UTC', until: '2020-01-03' }),
          planned('quiet', { at: '08:00', zone: 'UTC' }, { state: 'paused' }),
        ],
      })
      const until = async (end_time: string) =>
        (await get(`/messages/scheduled_broadcasts?end_time=${end_time}`)).scheduled_broadcasts
      const paris = {
        name: 'Whole',
        id: 'whole',
        type: 'Canvas',
        tags: ['a', 'b'],
        next_send_time: '2040-01-05T09:00:00+01:00',
        schedule_type: 'Europe/Paris',
      }
      const local = {
        name: 'Campaign news',
        id: 'news',
        type: 'Campaign',
        tags: [],
        next_send_time: '2040-01-09T10:30:00',
        schedule_type: 'local_time_zones',
      }
      assert.deepEqual(await until('2018-09-01T00:00:00-04:00'), [])
      assert.deepEqual(await until('2040-01-05T23:00:00Z'), [])
      assert.deepEqual(await until('2040-01-06'), [paris])
      assert.deepEqual(await until('2040-02-01'), [paris, local])
      const later = await until('9999-12-31')
      assert.deepEqual(
        later.map(({ id, next_send_time }: Any) => [id, next_send_time]),
        [
          ['whole', paris.next_send_time],
          ['news', local.next_send_time],
          ['far', '2040-06-01T08:00:00+00:00'],
        ],
      )
      const posted = (query: string, body?: unknown) =>
        people.service.post(`/messages/scheduled_broadcasts${query}`, body)
      for (const { status, body } of [
        await posted('', { end_time: '2040-01-06T08:00:00Z' }),
        await posted('?end_time=2040-01-06'),
        await posted('?end_time=2040-01-06', { end_time: '2040-02-01' }),
      ]) {
        assert.deepEqual([status, body], [200, { scheduled_broadcasts: [paris], message: 'success' }])
      }
      for (const body of [{}, [], { end_time: null }, { end_time: 20400106 }, { end_time: ['2040-01-06'] }]) {
        assert.equal((await posted('', body)).status, 400, JSON.stringify(body))
      }
      await refused('/messages/scheduled_broadcasts', "'end_time' is required")
      assert.deepEqual(await until('2040-01-06T00:00:00+04:00'), [paris])
      for (const text of ['soon', '2040-02-30', '2040-01-01x', '2040-01-01T', '01/02/2040', '%00']) {
        await refused(`/messages/scheduled_broadcasts?end_time=${text}`, "'end_time' is not valid")
      }
    })
  })
}
