import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cursorPageMax } from '../../src/people/lists/schema.ts'
import { blocklisted } from '../../src/people/values/drops.ts'
import { attributeBlocklistMax } from '../../src/workspace/settings/settings.ts'
import { lendDatabase } from '../servers/spare.ts'
import { drawDatabases, startService } from '../support/harness.ts'
import { type Item, many, newId, peopleOf } from '../support/people.ts'
import { restore } from '../support/people-lines.ts'

type Attribute = {
  readonly array_length: number | null
  readonly data_type: string
  readonly description: null
  readonly name: string
  readonly status: string
  readonly tag_names: readonly string[]
}

const detected = (types: string) => `${types} (Automatically Detected)`

for (const database of drawDatabases('custom-attributes-list')) {
  describe(`the list of custom attributes (${database})`, () => {
    const people = peopleOf(database)

    /** Creates a workspace and returns how to write and read it with a key. */
    const workspaceOf = async (permissions: readonly string[]) => {
      const id = newId()
      await people.service.admin('POST', '/admin/workspace', { id, name: id })
      const { body } = await people.service.admin('POST', `/admin/keys?workspace=${id}`, {
        name: 'Client',
        permissions,
      })
      const options = { key: body.key.key as string }
      const get = (path: string) => people.service.get(path, options)
      const send = (path: string, sent: unknown) => people.service.post(path, sent, options)
      const post = async (path: string, sent: Item) => {
        const answer = await send(path, sent)
        assert.ok(answer.status < 300, answer.text)
        return answer.body
      }
      const read = async (path = '/custom_attributes') => {
        const answer = await get(path)
        assert.equal(answer.status, 200, answer.text)
        return answer.body.attributes as unknown as Attribute[]
      }
      return {
        id,
        get,
        send,
        post,
        read,
        statuses: async () => Object.fromEntries((await read()).map(({ name, status }) => [name, status])),
        types: async () => Object.fromEntries((await read()).map(({ name, data_type }) => [name, data_type])),
        track: (attributes: Item, external_id = newId()) =>
          post('/users/track', { attributes: [{ external_id, ...attributes }] }),
      }
    }
    const allowed = ['users.track', 'custom_attributes.get']
    const blocklist = 'custom_attributes.blocklist'

    test('values of every type have theirs, and a name has all types of its values', async () => {
      const { read, track, types } = await workspaceOf(allowed)
      assert.deepEqual(await read(), [])
      await track({ first_name: 'Ada', email: 'ada@example.com', _update_existing_only: false, left_out: null })
      assert.deepEqual(await read(), [])
      await track({ array: ['a'], boolean: true })
      const member = { description: null, status: 'Active', tag_names: [] }
      assert.deepEqual(await read(), [
        { ...member, array_length: 500, data_type: detected('Array'), name: 'array' },
        { ...member, array_length: null, data_type: detected('Boolean'), name: 'boolean' },
      ])
      await track({ double: 1.5, integer: 7, list: [], nested: { deep: [1] }, objects: [{ a: 1 }] })
      await track({ text: 'x', time: '2026-01-02', moment: { $time: '2026-01-02' }, toString: 'x' })
      await track({ count: { inc: 1 }, added: { add: ['a'] }, absent: { remove: ['a'] }, more: { $add: [{ a: 1 }] } })
      await track({ merged: { a: 1 }, _merge_objects: true })
      const expected: Record<string, string> = {
        ...{ added: 'Array', array: 'Array', boolean: 'Boolean', count: 'Number', double: 'Number', integer: 'Number' },
        ...{ list: 'Array', merged: 'Object', moment: 'Time', more: 'Object Array', nested: 'Object' },
        ...{ objects: 'Object Array', text: 'String', time: 'Time', toString: 'String' },
      }
      const texts = Object.fromEntries(Object.entries(expected).map(([name, type]) => [name, detected(type)]))
      assert.deepEqual(await types(), texts)
      await track({ text: 5, list: 'x' })
      await track({ text: '2026-01-02' })
      assert.deepEqual(await types(), {
        ...texts,
        text: detected('Number, String, Time'),
        list: detected('String, Array'),
      })
    })

    test('the header Link leads through all pages of 50, forward and back', async () => {
      for (const count of [cursorPageMax, cursorPageMax + 1, 2 * cursorPageMax + 1]) {
        const { get, track } = await workspaceOf(allowed)
        const names = many(count, (i) => `name ${String(i).padStart(4, '0')}`)
        await track(Object.fromEntries(names.toReversed().map((name) => [name, true])))
        const pages: string[][] = []
        for (let path: string | undefined = '/custom_attributes'; path !== undefined; ) {
          const { status, headers, body, text } = await get(path)
          assert.equal(status, 200, text)
          assert.equal(body.message, 'success')
          pages.push((body.attributes as unknown as Attribute[]).map(({ name }) => name))
          const isFirst: boolean = path === '/custom_attributes'
          assert.equal(linkIn(headers.link, 'prev') === undefined, isFirst || count <= cursorPageMax)
          // The links are absolute, of the host that was asked.
          path = linkIn(headers.link, 'next')?.replace(people.service.url, '')
          assert.ok((path ?? '/custom_attributes?').startsWith('/custom_attributes?'), path ?? '')
        }
        assert.deepEqual(pages.flat(), names)
        assert.equal(pages.length, Math.ceil(count / cursorPageMax))
      }
    })

    test('a wrong cursor is refused, and keys need the permission', async () => {
      const { get } = await workspaceOf(['custom_attributes.get'])
      const { status, body } = await get('/custom_attributes?cursor=x')
      assert.deepEqual([status, body.message], [400, 'Invalid cursor'])
      const other = await workspaceOf(['events.list'])
      assert.equal((await other.get('/custom_attributes')).status, 403)
    })

    test('names stay when the values and the people are gone, and workspaces have their own', async () => {
      const { post, read, track, types } = await workspaceOf([...allowed, 'users.delete'])
      const other = await workspaceOf(allowed)
      await track({ plan: 'gold', old: true }, 'ada')
      await track({ plan: null }, 'ada')
      await post('/users/delete', { external_ids: ['ada'] })
      assert.deepEqual(await types(), { old: detected('Boolean'), plan: detected('String') })
      assert.equal((await read()).length, 2)
      assert.deepEqual(await other.read(), [])
    })

    test('tracking one object, edits by administrators, imports and steps of canvases name attributes too', async () => {
      const steps = [{ id: 'tag', type: 'update_user', attributes: { tagged: 'gold', score: { inc: 1 }, hidden: 1 } }]
      const head = { id: 'c', name: 'c', state: 'active', class: 'transactional', first: 'tag', steps }
      const canvas = { ...head, entry: { by: ['event'], event: { name: 'begun' }, again: 'always' } }
      const settings = { attribute_blocklist: ['hidden'] }
      const env = { EASEL_CLOCK: 'virtual' }
      await using service = await startService({ database, env, workspace: { settings, canvases: [canvas] } })
      const external_id = 'ada'
      await service.post('/users/track/sync', { attributes: [{ external_id, synchronous: 1 }] })
      const { body } = await service.post('/users/export/ids', {
        external_ids: [external_id],
        fields_to_export: ['service_id'],
      })
      const [{ service_id }] = body.users
      await service.admin('POST', `/admin/people/${service_id}/track`, { attributes: { edited: true } })
      const { body: clock } = await service.admin('GET', '/admin/clock')
      const profile = { random_bucket: 1, created_at: clock.now, updated_at: clock.now, external_id: 'bob' }
      const line = { profile, custom_attributes: { born: '2026-01-02', restored: [1] } }
      assert.equal((await restore(service, [line])).imported, 1)
      for (let i = 0; i < 2; i++) {
        await service.post('/users/track', { events: [{ external_id, name: 'begun', time: clock.now }] })
        await service.advance('PT1M')
      }
      const { body: listed } = await service.get('/custom_attributes')
      assert.deepEqual(
        (listed.attributes as Attribute[]).map(({ name, data_type }) => [name, data_type]),
        Object.entries({
          ...{ born: detected('Time'), edited: detected('Boolean'), restored: detected('Array') },
          ...{ score: detected('Number'), synchronous: detected('Number'), tagged: detected('String') },
        }),
      )
    })

    test('new values of blocklisted attributes are left out, and the rest of the object is applied', async () => {
      const { post, read, track, types, statuses } = await workspaceOf([...allowed, blocklist, 'users.export.ids'])
      const block = (blocklisted: boolean, ...custom_attributes: string[]) =>
        post('/custom_attributes/blocklist', { custom_attribute_names: custom_attributes, blocklisted })
      const stored = async () => {
        const asked = { external_ids: ['ada'], fields_to_export: ['custom_attributes'] }
        return (await post('/users/export/ids', asked)).users[0].custom_attributes
      }
      await track({ plan: 'gold', visits: 1 }, 'ada')
      assert.deepEqual(await block(true, 'plan', 'visits', 'unused'), { message: 'success' })
      await block(true, 'plan')
      assert.deepEqual(await statuses(), { plan: 'Blocklisted', visits: 'Blocklisted' })
      const answer = await track({ plan: 7, visits: { inc: 1 }, unused: true, kept: true }, 'ada')
      const index = { index: 0, input_array: 'attributes' }
      const notices = ['plan', 'visits', 'unused'].map((member) => ({ ...index, member, reason: blocklisted }))
      assert.deepEqual(answer, { attributes_processed: 1, notices, message: 'success' })
      assert.deepEqual(await stored(), { plan: 'gold', visits: 1, kept: true })
      assert.deepEqual((await types()).plan, detected('String'))
      await track({ visits: null }, 'ada')
      assert.deepEqual(await stored(), { plan: 'gold', kept: true })
      await block(false, 'plan', 'visits')
      assert.equal((await track({ plan: 'silver', visits: { inc: 2 } }, 'ada')).notices, undefined)
      assert.deepEqual(await stored(), { plan: 'silver', visits: 2, kept: true })
      assert.equal((await read()).length, 3)
      assert.deepEqual(await statuses(), { kept: 'Active', plan: 'Active', visits: 'Active' })
    })

    test('a blocklist is a setting, is audited, and has 300 names', async () => {
      const { id, get, post, send } = await workspaceOf([...allowed, blocklist])
      const setting = async () => {
        const { body } = await people.service.admin('GET', `/admin/settings?workspace=${id}`)
        return body.settings.attribute_blocklist as string[]
      }
      await post('/custom_attributes/blocklist', { custom_attributes: ['plan'], blocklisted: true })
      const audited = `/admin/audit?workspace=${id}&target=setting:attribute_blocklist`
      const [row] = (await people.service.admin('GET', audited)).body.audit
      assert.deepEqual([row.action, row.before, row.after], ['setting.update', { value: null }, { value: ['plan'] }])
      const names = ['plan', ...many(attributeBlocklistMax - 2, (i) => `name ${i}`)]
      await post('/custom_attributes/blocklist', { custom_attributes: names, blocklisted: true })
      await post('/custom_attributes/blocklist', { custom_attributes: ['last', 'last'], blocklisted: true })
      assert.deepEqual(await setting(), [...names, 'last'])
      const only = `'custom_attributes' must be an array of 1 to ${attributeBlocklistMax} names`
      const both = "'custom_attributes' and 'custom_attribute_names' are the same: give one of them"
      const notAName = "'custom_attributes[0]' is not the name of a custom attribute"
      const wrong: readonly (readonly [sent: unknown, message: string])[] = [
        [[], 'The request body must be an object'],
        [{ blocklisted: true }, only],
        [{ custom_attributes: ['a'], custom_attribute_names: ['a'], blocklisted: true }, both],
        [{ custom_attributes: [], blocklisted: true }, only],
        [{ custom_attributes: [...names, 'last', 'more'], blocklisted: true }, only],
        [{ custom_attributes: 'plan', blocklisted: true }, only],
        [{ custom_attributes: ['plan'] }, "'blocklisted' must be true or false"],
        [{ custom_attributes: ['plan'], blocklisted: 1 }, "'blocklisted' must be true or false"],
        ...[7, '', 'x'.repeat(256), 'a\u0000', '_a', '__proto__', 'email', 'external_id', 'push_tokens'].map(
          (name) => [{ custom_attributes: [name], blocklisted: true }, notAName] as const,
        ),
        [
          { custom_attributes: ['more'], blocklisted: true },
          `A workspace may have ${attributeBlocklistMax} blocklisted custom attributes`,
        ],
      ]
      for (const [sent, message] of wrong) {
        const answer = await send('/custom_attributes/blocklist', sent)
        assert.deepEqual([answer.status, answer.body.message], [400, message], JSON.stringify(sent))
      }
      assert.equal((await setting()).length, attributeBlocklistMax)
      await post('/custom_attributes/blocklist', { custom_attributes: [...names, 'last'], blocklisted: false })
      assert.deepEqual(await setting(), [])
      assert.equal((await get('/custom_attributes')).status, 200)
      const reader = await workspaceOf(allowed)
      const refused = await reader.send('/custom_attributes/blocklist', { custom_attributes: ['a'], blocklisted: true })
      assert.equal(refused.status, 403)
    })

    test('names survive a restart, and get more types after it', async () => {
      const place = await lendDatabase(database)
      try {
        const types: unknown[] = []
        for (const plan of ['gold', 'gold', 7]) {
          await using service = await startService({ on: place })
          const before = await service.get('/custom_attributes')
          await service.post('/users/track', { attributes: [{ external_id: 'ada', plan }] })
          const after = await service.get('/custom_attributes')
          types.push([before, after].map(({ body }) => body.attributes.map((each: Attribute) => each.data_type)))
        }
        const [text, both] = [[detected('String')], [detected('Number, String')]]
        assert.deepEqual(types, [
          [[], text],
          [text, text],
          [text, both],
        ])
      } finally {
        await place.db.close()
      }
    })
  })
}

function linkIn(header: unknown, relation: string): string | undefined {
  return new RegExp(`<([^>]*)>; rel="${relation}"`).exec(String(header ?? ''))?.[1]
}
