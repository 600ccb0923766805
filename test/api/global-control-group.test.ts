import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { download, type Entry, filesIn, overOf } from '../support/exports.ts'
import { drawDatabases } from '../support/harness.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { type Item, many, newId, peopleOf } from '../support/people.ts'

const rangesMax = 100

const steps = [
  { id: 'say', type: 'message', channel: 'email', message: mail({ subject: 'first' }), next: 'wait' },
  { id: 'wait', type: 'delay', for: 'PT1H', next: 'again' },
  { id: 'again', type: 'message', channel: 'email', message: mail({ subject: 'second' }), next: 'tag' },
  { id: 'tag', type: 'update_user', attributes: { finished: true } },
]
const canvas = (id: string, more: Item = {}): Item => ({
  ...{ id, name: id, state: 'active', entry: { by: ['api'], again: 'always' }, first: 'say', steps },
  ...more,
})
const campaign = (id: string, more: Item = {}): Item => ({
  ...{ id, name: id, state: 'active', ...more },
  messages: [{ id: 'one', name: 'One', percent: 100, email: mail({ subject: id }) }],
})

const workspace = {
  ...sendingWorkspace,
  settings: { time_zone: 'UTC' },
  canvases: [
    canvas('journey'),
    canvas('urgent', { class: 'transactional' }),
    canvas('signed', { entry: { by: ['event'], event: { name: 'signed up' }, again: 'always' } }),
  ],
  campaigns: [campaign('news'), campaign('receipt', { class: 'transactional' })],
}

for (const database of drawDatabases('global-control-group')) {
  describe(`the global control group (${database})`, () => {
    const people = peopleOf(database, { workspace, env: { EASEL_CLOCK: 'virtual' } })
    const admin = (method: string, path: string, body?: unknown) => people.service.admin(method, path, body)
    const taken = new Set<number>()

    async function bucketOf(external_id: string): Promise<number> {
      const [found] = await people.find({ external_ids: [external_id] }, ['random_bucket'])
      return Number(found!.random_bucket)
    }

    async function serviceId(external_id: string): Promise<string> {
      const [found] = await people.find({ external_ids: [external_id] }, ['service_id'])
      return String(found!.service_id)
    }

    /** Returns a new person whose random bucket no other person of these tests has. */
    async function newPerson(more: Item = {}): Promise<{ id: string; bucket: number }> {
      for (;;) {
        const id = newId()
        await people.set({ external_id: id, email: `${id}@example.com`, ...more })
        const bucket = await bucketOf(id)
        if (taken.has(bucket)) continue
        taken.add(bucket)
        return { id, bucket }
      }
    }

    const setGroup = (...buckets: number[]) =>
      change({ global_control_group: { ranges: buckets.map((bucket) => ({ from: bucket, to: bucket })) } })

    const change = (settings: Item) => admin('PATCH', '/admin/settings', settings)

    async function send(path: string, body: Item): Promise<string> {
      const answer = await people.send(path, body)
      assert.equal(answer.status, 201, answer.text)
      await people.service.advance('PT1S')
      return String((answer.body as Item).dispatch_id)
    }

    const named = (...ids: string[]) => ({ recipients: ids.map((external_user_id) => ({ external_user_id })) })
    const trigger = (canvas_id: string, ...ids: string[]) =>
      send('/canvas/trigger/send', { canvas_id, ...named(...ids) })
    const call = (campaign_id: string, ...ids: string[]) =>
      send('/campaigns/trigger/send', { campaign_id, ...named(...ids) })
    const message = (ids: readonly string[], subject: string, more: Item = {}) =>
      send('/messages/send', { external_user_ids: ids, messages: { email: mail({ subject }) }, ...more })

    async function subjects(id: string): Promise<string[]> {
      const { body } = await admin('GET', `/admin/inbox?to=${id}@example.com`)
      return body.messages.toReversed().map(({ subject }: Item) => subject)
    }

    async function decisions(id: string): Promise<Item[]> {
      const { body } = await admin('GET', `/admin/why?external_id=${id}`)
      return body.decisions
    }

    const reasons = async (id: string) => (await decisions(id)).map(({ reason }) => reason)

    test('a person in the group gets no marketing, but what is transactional, and why has the range', async () => {
      const [inside, outside] = [await newPerson(), await newPerson()]
      await setGroup(inside.bucket)
      const both = [inside.id, outside.id]
      const dispatch_id = await call('news', ...both)
      await call('receipt', ...both)
      await message(both, 'plain')
      await message(both, 'order', { recipient_subscription_state: 'all' })
      await trigger('journey', ...both)
      await trigger('urgent', ...both)
      assert.deepEqual((await subjects(outside.id)).toSorted(), ['first', 'first', 'news', 'order', 'plain', 'receipt'])
      assert.deepEqual((await subjects(inside.id)).toSorted(), ['first', 'order', 'receipt'])
      const kept = (await decisions(inside.id)).filter(({ reason }) => reason === 'global_control_group')
      const { bucket } = inside
      for (const { family, rule, inputs } of kept) {
        assert.equal(family, 'control')
        assert.equal(rule, `random buckets ${bucket} to ${bucket} get no marketing messages`)
        assert.deepEqual(inputs, { random_bucket: bucket, from: bucket, to: bucket })
      }
      assert.deepEqual(kept.map(({ channel }) => channel ?? null).toSorted(), ['email', null, null])
      const shown = (await admin('GET', `/admin/dispatches/${dispatch_id}`)).body.dispatch
      const outcome = shown.outcomes.find((each: Item) => each.reason === 'global_control_group')
      assert.deepEqual([outcome.count, outcome.family], [1, 'control'])
    })

    test('a person in the group does not enter marketing canvases, by an order or by an event', async () => {
      const { id, bucket } = await newPerson()
      await setGroup(bucket)
      await trigger('journey', id)
      await people.happen({ external_id: id, name: 'signed up', time: (await admin('GET', '/admin/clock')).body.now })
      await people.service.advance('PT2H')
      assert.deepEqual(await subjects(id), [])
      assert.deepEqual(await reasons(id), ['global_control_group', 'global_control_group'])
      const { body } = await admin('GET', `/admin/people/${await serviceId(id)}/entries`)
      assert.deepEqual(body.entries, [], 'a person who did not enter has decisions alone')
      const why = (await admin('GET', `/admin/why?external_id=${id}&canvas_id=journey`)).body
      const [never] = why.never_entered
      assert.equal(never.reason, 'global_control_group')
      assert.match(never.because, /^the person is in the global control group, on /)
    })

    test('a change of the group decides about the next message, and steps that send nothing go on', async () => {
      const { id, bucket } = await newPerson()
      await setGroup()
      await trigger('journey', id)
      assert.deepEqual(await subjects(id), ['first'])
      await setGroup(bucket)
      await people.service.advance('PT1H')
      assert.deepEqual(await subjects(id), ['first'])
      assert.ok((await reasons(id)).includes('global_control_group'))
      const [{ custom_attributes }] = (await people.find({ external_ids: [id] }, ['custom_attributes'])) as [Item]
      assert.deepEqual(custom_attributes, { finished: true })
      await admin('DELETE', '/admin/settings/global_control_group')
      await message([id], 'later')
      assert.deepEqual(await subjects(id), ['first', 'later'])
    })

    test('a merged person is in the group if the kept profile is', async () => {
      const merge = async (away: string, kept: string) => {
        const update = { identifier_to_merge: { external_id: away }, identifier_to_keep: { external_id: kept } }
        const merged = await people.send('/users/merge', { merge_updates: [update] })
        assert.ok(merged.status < 300, merged.text)
        await people.service.advance('PT1M')
      }
      const [inside, outside, other] = [await newPerson(), await newPerson(), await newPerson()]
      await setGroup(inside.bucket)
      await merge(other.id, inside.id)
      await message([inside.id], 'kept inside')
      assert.deepEqual(await subjects(inside.id), [])
      await merge(inside.id, outside.id)
      assert.equal(await bucketOf(outside.id), outside.bucket)
      await message([outside.id], 'kept outside')
      assert.deepEqual(await subjects(outside.id), ['kept outside'])
    })

    test('a dry run counts the people of the group by the same reason, for marketing alone', async () => {
      const [inside, outside] = [await newPerson(), await newPerson()]
      await setGroup(inside.bucket)
      const run = async (path: string) =>
        (await admin('POST', `/admin/${path}/dry_run`, named(inside.id, outside.id))).body
      for (const path of ['canvases/journey', 'campaigns/news']) {
        const { counts, sample } = await run(path)
        assert.deepEqual(counts, { would_enter: 1, global_control_group: 1 }, path)
        const [one] = sample.filter(({ outcome }: Item) => outcome === 'global_control_group')
        assert.equal(one.inputs.random_bucket, inside.bucket)
      }
      for (const path of ['canvases/urgent', 'campaigns/receipt']) {
        assert.deepEqual((await run(path)).counts, { would_enter: 2 }, path)
      }
    })

    test('lists of messages can be searched for the reason, and the overview counts it as control', async () => {
      const { id, bucket } = await newPerson()
      await setGroup(bucket)
      await message([id], 'withheld')
      const { body } = await admin('GET', `/admin/messages?reason=global_control_group&person=${await serviceId(id)}`)
      assert.deepEqual(
        body.messages.map(({ reason, family, state }: Item) => [reason, family, state]),
        [['global_control_group', 'control', 'suppressed']],
      )
    })

    test('the export has the people of the group as of its writing', async () => {
      const path = '/users/export/global_control_group'
      const asked = { fields_to_export: ['external_id', 'random_bucket'], callback_endpoint: '', output_format: 'zip' }
      await setGroup()
      const none = 'There is no global control group: set the setting global_control_group of the workspace first'
      await people.refused(path, asked, none)
      const [one, other] = [await newPerson(), await newPerson()]
      await newPerson()
      await setGroup(one.bucket, other.bucket)
      const fields = "'fields_to_export' is required and must be an array of strings"
      await people.refused(path, { ...asked, fields_to_export: [] }, fields)
      await people.refused(path, { ...asked, output_format: 'rar' }, "'output_format' must be zip or gzip")
      const { status, text, body } = await people.send(path, asked)
      assert.equal(status, 201, text)
      assert.deepEqual(Object.keys(body), ['object_prefix', 'url', 'message'])
      const list = async () => (await admin('GET', '/admin/exports')).body.exports as Entry[]
      const entry = await overOf(String((body as unknown as Item).object_prefix), list)
      assert.deepEqual([entry.segment_id, entry.people, entry.failure], [null, 2, null])
      const { bytes } = await download(people.service.url, entry.url!)
      const lines = Object.values(filesIn(bytes)).flat()
      assert.deepEqual(
        lines.toSorted((a, b) => Number(a.random_bucket) - Number(b.random_bucket)),
        [one, other]
          .toSorted((a, b) => a.bucket - b.bucket)
          .map(({ id, bucket }) => ({ external_id: id, random_bucket: bucket })),
      )
      const answers = await Promise.all(many(3, () => people.send(path, { ...asked, output_format: 'gzip' })))
      const taken = answers.filter((answer) => answer.status === 201)
      assert.ok(taken.length > 0)
      for (const answer of answers.filter((each) => each.status !== 201)) {
        assert.deepEqual(answer.body, { message: 'An export of the global control group is already in progress' })
      }
      for (const answer of taken) await overOf(String((answer.body as Item).object_prefix), list)
    })

    test('ranges are checked with their place, and have a limit', async () => {
      const refused = async (group: unknown) => {
        const { service } = people
        const body = { global_control_group: group }
        const { status, text } = await service.send('PATCH', '/admin/settings', body, { key: service.adminToken })
        assert.equal(status, 400, text)
        return text
      }
      const ranges = (count: number) => ({ ranges: many(count, (i) => ({ from: i * 2, to: i * 2 })) })
      for (const count of [rangesMax - 1, rangesMax]) await change({ global_control_group: ranges(count) })
      assert.match(await refused(ranges(rangesMax + 1)), /global_control_group.ranges must be a list of at most 100/)
      assert.match(
        await refused({
          ranges: [
            { from: 0, to: 1 },
            { from: 5, to: 4 },
          ],
        }),
        /global_control_group.ranges\[1\]/,
      )
      assert.match(await refused({ ranges: [{ from: -1, to: 1 }] }), /ranges\[0\].from must be a whole number from 0/)
      assert.match(await refused({ ranges: [{ from: 0, to: 10_000 }] }), /ranges\[0\].to must be .* to 9999/)
      assert.match(await refused({ ranges: [{ from: 0.5, to: 1 }] }), /ranges\[0\].from must be a whole number/)
      assert.match(await refused({ ranges: [{ from: 0 }] }), /ranges\[0\].to is missing/)
      assert.match(await refused({}), /global_control_group.ranges is missing/)
      assert.match(await refused([]), /global_control_group must be an object with ranges/)
      await change({ global_control_group: { ranges: [{ from: 0, to: 9_999 }] } })
      await change({ global_control_group: null })
    })
  })
}
