import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { noticesMax } from '../../src/base/http/notices.ts'
import { arrayItemsMax } from '../../src/people/values/values.ts'
import { drawDatabases } from '../support/harness.ts'
import {
  apps,
  type ErrorEntry,
  event,
  hourMs,
  many,
  type NoticeEntry,
  newAlias,
  newEmail,
  newId,
  peopleOf,
  purchase,
  type TrackBody,
  texts,
} from '../support/people.ts'

const long = 'v'.repeat(256)
const tooLong = 'is longer than 255 characters'
/** Replaces the object with this id in a list. */
const update = (name: string, id: number) => ({
  [name]: { $update: [{ $identifier_key: 'id', $identifier_value: id, $new_object: { id: 9 } }] },
})

const refused = `'nickname' ${tooLong}`

for (const database of drawDatabases('notices')) {
  describe(`notices (${database})`, () => {
    const people = peopleOf(database)

    const strictKey = async () => {
      const given = { name: randomUUID(), permissions: ['users.track'], strict: true }
      const { body } = await people.service.admin('POST', '/admin/keys', given)
      assert.equal(body.key.strict, true)
      return body.key.key as string
    }

    test('an answer names what was accepted but not kept, beside the counts', async () => {
      const external_id = newId()
      const attributes = [{ external_id }, { external_id, plan: 'pro', nickname: long }, { nickname: long }]
      const { status, body } = await people.service.post('/users/track', { attributes })
      assert.equal(status, 201)
      assert.deepEqual(Object.keys(body), ['attributes_processed', 'errors', 'notices', 'message'])
      assert.deepEqual(body.notices, [{ index: 1, input_array: 'attributes', member: 'nickname', reason: tooLong }])
      assert.equal(body.attributes_processed, 2)
      assert.deepEqual(await people.custom(external_id), { plan: 'pro' })
    })

    test('an answer without notices is as in the contract', async () => {
      const { body } = await people.service.post('/users/track', {
        attributes: [{ external_id: newId(), plan: 'pro' }],
      })
      assert.deepEqual(body, { attributes_processed: 1, message: 'success' })
    })

    test('an answer has at most 100 notices, and counts the others', async () => {
      for (const [count, further] of [
        [noticesMax - 1, undefined],
        [noticesMax, undefined],
        [noticesMax + 1, 1],
      ] as const) {
        const lost = Object.fromEntries(many(count, (i) => [`n${i}`, long]))
        const { body } = await people.service.post('/users/track', { attributes: [{ external_id: newId(), ...lost }] })
        assert.equal(body.notices.length, Math.min(count, noticesMax))
        assert.equal(body.further_notices, further)
      }
    })

    test('a strict key gets an error instead of a notice, and the object is not processed', async () => {
      const key = await strictKey()
      const [lost, kept] = [newId(), newId()]
      const attributes = [
        { external_id: lost, plan: 'pro', nickname: long },
        { external_id: kept, plan: 'pro' },
      ]
      const { status, body } = await people.service.post('/users/track', { attributes }, { key })
      assert.equal(status, 201)
      assert.deepEqual(body, {
        attributes_processed: 1,
        errors: [{ index: 0, input_array: 'attributes', type: refused }],
        message: 'success',
      })
      assert.deepEqual(await people.custom(kept), { plan: 'pro' })
      assert.deepEqual(await people.find({ external_ids: [lost] }), [])
      const alone = await people.service.post('/users/track', { attributes: [attributes[0]] }, { key })
      assert.equal(alone.status, 400)
      assert.deepEqual(alone.body.errors, [{ index: 0, input_array: 'attributes', type: refused }])
    })

    /** Sends objects in one request. Returns what its notices say, each with its position. */
    const noticed = async (body: TrackBody, key?: string): Promise<string[]> => {
      const { status, text, body: answer } = await people.service.post('/users/track', body, { ...(key && { key }) })
      assert.equal(status, 201, text)
      assert.equal(answer.errors, undefined, text)
      return (answer.notices ?? []).map(
        ({ input_array, index, member, reason }: NoticeEntry) => `${input_array}[${index}] ${member} ${reason}`,
      )
    }

    test('operations that have no effect on what is stored are named', async () => {
      const external_id = newId()
      const item = (attribute: object) => ({ attributes: [{ external_id }, { external_id, ...attribute }] })
      const items = many(arrayItemsMax, (i) => `i${i}`)
      await people.set({ external_id, text: 'x', list: items, objects: [{ id: 1 }], big: Number.MAX_VALUE })
      for (const [attribute, reason] of [
        [{ text: { inc: 1 } }, 'text is not a number: nothing was added to it'],
        [{ big: { inc: Number.MAX_VALUE } }, 'big would be larger than any double: nothing was added to it'],
        [{ text: { add: ['a'] } }, 'text is not a list: it was not changed'],
        [{ list: { add: ['new'] } }, 'list would have more than 500 items: the oldest were dropped'],
        [update('objects', 2), 'objects has no object that $update selects'],
        [update('absent', 1), 'absent has no object that $update selects'],
        [{ _merge_objects: true, nested: { a: items } }, undefined],
      ] as const) {
        assert.deepEqual(await noticed(item(attribute)), reason === undefined ? [] : [`attributes[1] ${reason}`])
      }
      const large = 'x'.repeat(255)
      const half = Object.fromEntries(many(200, (i) => [`k${i}`, large]))
      await people.set({ external_id, _merge_objects: true, deep: { a: half } })
      assert.deepEqual(await noticed(item({ _merge_objects: true, deep: { b: half } })), [
        'attributes[1] deep has more than 102400 bytes',
      ])
      assert.deepEqual((await people.custom(external_id)).text, 'x')
      assert.deepEqual(await noticed(item({ text: { remove: ['a'] }, absent: { remove: ['a'] } })), [
        'attributes[1] text is not a list: it was not changed',
      ])
    })

    test('a strict key gets an error for an operation without effect, and the object changes nothing', async () => {
      const key = await strictKey()
      const external_id = newId()
      await people.set({ external_id, text: 'x' })
      const attributes = [
        { external_id, plan: 'lost', text: { inc: 1 }, first_name: 'Lost' },
        { external_id, seats: 1 },
        { external_id: newId(), email: newEmail(), absent: { $update: [] }, list: { add: many(501, String) } },
      ]
      const { status, body } = await people.service.post('/users/track', { attributes }, { key })
      assert.equal(status, 201)
      assert.deepEqual(body, {
        attributes_processed: 1,
        errors: [
          { index: 0, input_array: 'attributes', type: "'text' is not a number: nothing was added to it" },
          {
            index: 2,
            input_array: 'attributes',
            type: "'list' would have more than 500 items: the oldest were dropped",
          },
        ],
        message: 'success',
      })
      assert.deepEqual(await people.custom(external_id), { text: 'x', seats: 1 })
      assert.deepEqual(await people.find({ external_ids: [attributes[2]!.external_id] }), [])
    })

    test('objects about nobody are named, unless they ask for updates only', async () => {
      const user_alias = newAlias()
      const unknown = 'ffffffffffffffffffffffff'
      const alias = 'user_alias matches nobody, and _update_existing_only is not false: nothing was stored'
      const only = { _update_existing_only: true }
      const body = {
        attributes: [
          { user_alias },
          { user_alias, ...only },
          { service_id: unknown },
          { external_id: newId(), ...only },
        ],
        events: [event({ user_alias }), event({ external_id: newId() }), event({ user_alias, ...only })],
        purchases: [purchase({ email: newEmail(), ...only }), purchase({ user_alias })],
      }
      assert.deepEqual(await noticed(body), [
        `attributes[0] ${alias}`,
        'attributes[2] service_id matches nobody: nothing was stored',
        `events[0] ${alias}`,
        `purchases[1] ${alias}`,
      ])
      const { body: strict } = await people.service.post('/users/track', body, { key: await strictKey() })
      const { attributes_processed, events_processed, purchases_processed, errors, notices } = strict
      assert.deepEqual([attributes_processed, events_processed, purchases_processed, notices], [2, 2, 1, undefined])
      assert.deepEqual(
        errors.map(({ input_array, index }: ErrorEntry) => [input_array, index]),
        [
          ['attributes', 0],
          ['attributes', 2],
          ['events', 0],
          ['purchases', 1],
        ],
      )
      await people.set({ user_alias, _update_existing_only: false })
      assert.deepEqual(await noticed({ attributes: [{ user_alias, plan: 'pro' }] }), [])
    })

    test('an import of tokens names what else it has', async () => {
      const push_tokens = [{ app_id: apps.phone.id, token: newId('token') }]
      assert.deepEqual(await noticed({ attributes: [{ push_token_import: true, push_tokens, plan: 'pro' }] }), [
        'attributes[0] plan was not stored: an object with push_token_import has only tokens',
      ])
    })

    test('notices of all kinds have the order of the objects', async () => {
      const external_id = newId()
      await people.set({ external_id, text: 'x' })
      const time = new Date(Date.now() + hourMs).toISOString()
      const body = {
        attributes: [
          { external_id, text: { inc: 1 }, gender: 'X' },
          { external_id, purchases: 3 },
        ],
        events: [event({ external_id }, { colour: 'red' }), event({ user_alias: newAlias() }, { time })],
      }
      const members = (await noticed(body)).map((each) => each.split(' ').slice(0, 2).join('.'))
      assert.deepEqual(members, [
        'attributes[0].gender',
        'attributes[0].text',
        'attributes[1].purchases',
        'events[0].colour',
        'events[1].time',
        'events[1].user_alias',
      ])
    })

    test('an e-mail address of a domain without a dot needs the setting local_email_domains', async () => {
      const address = `${newId('mail')}@localhost`
      const set = (value: boolean | null) =>
        people.service.admin('POST', '/admin/apply', { settings: { local_email_domains: value } })
      const items = [{ email: address }, { external_id: newId(), email: address }]
      for (const item of items) assert.equal(await people.refusal('attributes', item), texts.badEmail)
      assert.equal(await people.refusal('events', event({ email: address })), texts.badEmail)
      await set(true)
      await people.set(...items)
      await set(null)
      assert.equal((await people.find({ email_address: address })).length, 2)
    })

    test('the setting strict of the workspace holds for every key', async () => {
      const set = (strict: boolean | null) => people.service.admin('POST', '/admin/apply', { settings: { strict } })
      const attributes = [{ external_id: newId() }, { external_id: newId(), nickname: long }]
      const send = async () => (await people.service.post('/users/track', { attributes })).body
      await set(true)
      const strict = await send()
      assert.deepEqual(
        [strict.errors, strict.notices],
        [[{ index: 1, input_array: 'attributes', type: refused }], undefined],
      )
      await set(null)
      const lenient = await send()
      assert.deepEqual([lenient.errors, lenient.notices.length], [undefined, 1])
    })
  })
}
