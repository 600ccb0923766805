import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import {
  everyField,
  type Item,
  many,
  newAlias,
  newEmail,
  newId,
  newPhone,
  only,
  peopleOf,
  texts,
} from '../support/people.ts'

const idsMax = 50
const fields_to_export = ['external_id']

for (const database of drawDatabases('users-export-identifiers')) {
  describe(`POST /users/export/ids (${database})`, () => {
    const people = peopleOf(database)

    const asks = async (body: Item) => people.export({ fields_to_export, ...body })

    test('an export of known people is a 201 without invalid_user_ids, the message last', async () => {
      const external_id = newId()
      await people.set({ external_id })
      const { status, text, body } = await asks({ external_ids: [external_id] })
      assert.equal(status, 201)
      assert.deepEqual(body, { users: [{ external_id }], message: 'success' })
      assert.match(text, /"message":"success"\}$/)
    })

    test('a person is found by each kind of identifier', async () => {
      const external_id = newId()
      const [email, phone] = [newEmail(), newPhone()]
      await people.set({ external_id, email, phone })
      const { service_id } = await people.person(external_id)
      const wanted = { users: [{ external_id }], message: 'success' }
      const ways = [
        { external_ids: [external_id] },
        { service_id },
        { email_address: email },
        { email_address: email.toUpperCase() },
        { phone },
        { phone: phone.replace(/(\d{3})(\d{4})$/, ' ($1) $2') },
      ]
      for (const way of ways) assert.deepEqual((await asks(way)).body, wanted, JSON.stringify(way))
      const user_alias = newAlias()
      await people.set({ user_alias, _update_existing_only: false })
      const [found] = await people.find({ user_aliases: [user_alias] }, ['user_aliases'])
      assert.deepEqual(found, { user_aliases: [user_alias] })
    })

    test('integers are external ids, and are returned as text', async () => {
      const [known, unknown] = [8_100_001, 8_100_002]
      await people.set({ external_id: String(known) })
      const { body } = await asks({ external_ids: [known, unknown] })
      assert.deepEqual(body, { users: [{ external_id: '8100001' }], invalid_user_ids: ['8100002'], message: 'success' })
    })

    test('unknown identifiers are listed in invalid_user_ids as they were sent, an alias by its name', async () => {
      const external_id = newId()
      await people.set({ external_id })
      const nobody = newId('nobody')
      const alias = newAlias()
      const listed = await asks({
        external_ids: [nobody, external_id],
        user_aliases: [alias],
        service_id: 'not-an-id',
        email_address: 'Nobody@Example.com',
      })
      assert.equal(listed.status, 201)
      assert.deepEqual(listed.body.users, [{ external_id }])
      const invalid = [nobody, alias.alias_name, 'not-an-id', 'Nobody@Example.com']
      assert.deepEqual(listed.body.invalid_user_ids?.toSorted(), invalid.toSorted())
      for (const way of [{ phone: '+1 (555) 999-8877' }, { phone: 'call me' }, { device_id: 'no-such-device' }]) {
        const { status, body } = await asks(way)
        assert.equal(status, 201)
        assert.deepEqual(body, { users: [], invalid_user_ids: Object.values(way), message: 'success' })
      }
      const badEmail = await asks({ email_address: 'no e-mail' })
      assert.deepEqual(badEmail.body, { users: [], invalid_user_ids: ['no e-mail'], message: 'success' })
    })

    test('an alias is found by name and label only', async () => {
      const { alias_name, alias_label } = newAlias()
      await people.set({ user_alias: { alias_name, alias_label }, _update_existing_only: false })
      const { body } = await asks({ user_aliases: [{ alias_name, alias_label: 'other' }] })
      assert.deepEqual(body, { users: [], invalid_user_ids: [alias_name], message: 'success' })
    })

    test('everyone who shares an address is exported', async () => {
      const [email, phone] = [newEmail(), newPhone()]
      const ids = many(5, () => newId())
      await people.set(...ids.map((external_id) => ({ external_id, email, phone })))
      for (const way of [{ email_address: email }, { phone }]) {
        const { users, invalid_user_ids } = (await asks(way)).body
        assert.deepEqual(users?.map(({ external_id }) => external_id).toSorted(), ids.toSorted())
        assert.equal(invalid_user_ids, undefined)
      }
    })

    test('a person who is requested in several ways is exported once', async () => {
      const external_id = newId()
      const email = newEmail()
      await people.set({ external_id, email })
      const { service_id } = await people.person(external_id)
      const { body } = await asks({ external_ids: [external_id, external_id], service_id, email_address: email })
      assert.deepEqual(body, { users: [{ external_id }], message: 'success' })
    })

    test('50 ids and aliases together are accepted, 51 are refused', async () => {
      const ids = many(idsMax + 1, () => newId())
      const aliases = many(idsMax + 1, () => newAlias())
      const taken = [
        { external_ids: ids.slice(0, idsMax - 1) },
        { external_ids: ids.slice(0, idsMax) },
        { user_aliases: aliases.slice(0, idsMax) },
        { external_ids: ids.slice(0, 25), user_aliases: aliases.slice(0, 25) },
      ]
      for (const body of taken) assert.equal((await asks(body)).status, 201)
      const refused = [
        { external_ids: ids },
        { user_aliases: aliases },
        { external_ids: ids.slice(0, 25), user_aliases: aliases.slice(0, 26) },
      ]
      for (const body of refused) {
        const { status, body: answer } = await asks(body)
        assert.equal(status, 400)
        assert.equal(answer.message, texts.tooManyIds)
      }
    })

    test('at most one of device_id, email_address and phone is allowed', async () => {
      const [device_id, email_address, phone] = ['a-device', newEmail(), newPhone()]
      const external_ids = [newId()]
      const pairs = [
        { device_id, email_address },
        { email_address, phone },
        { device_id, phone },
      ]
      for (const pair of [...pairs, { device_id, email_address, phone }, { external_ids, email_address, phone }]) {
        const { status, body } = await asks(pair)
        assert.equal(status, 400, JSON.stringify(pair))
        assert.notEqual(body.message, 'success')
        assert.equal(body.users, undefined)
      }
      assert.equal((await asks({ external_ids, email_address, phone: null })).status, 201)
    })

    test('a request without an identifier is a 400; null and empty lists count as absent', async () => {
      const nothing = {
        external_ids: [],
        user_aliases: [],
        service_id: null,
        email_address: null,
        phone: null,
        device_id: null,
      }
      for (const body of [{}, nothing, { external_ids: null }, { user_aliases: [] }]) {
        const { status, body: answer } = await asks(body)
        assert.equal(status, 400, JSON.stringify(body))
        assert.notEqual(answer.message, 'success')
      }
    })

    test('null and empty lists next to an identifier are ignored', async () => {
      const external_id = newId()
      await people.set({ external_id })
      const absent = { user_aliases: [], service_id: null, email_address: null, phone: null, device_id: null }
      const { body } = await asks({ external_ids: [external_id], ...absent })
      assert.deepEqual(body, { users: [{ external_id }], message: 'success' })
    })

    test('fields_to_export is required and must be a list of texts', async () => {
      const external_ids = [newId()]
      const message = "'fields_to_export' is required and must be an array of strings"
      for (const body of [
        { external_ids },
        ...['email', {}, 5, null, [], [5], [null], ['email', 5], [['email']]].map((fields) => ({
          external_ids,
          fields_to_export: fields,
        })),
      ]) {
        const { status, body: answer } = await people.export(body)
        assert.deepEqual([status, answer], [400, { message }], JSON.stringify(body))
      }
    })

    test('an unknown field is refused, and the answer names the nearest one', async () => {
      const nearest = {
        frist_name: 'first_name',
        Email: 'email',
        emial: 'email',
        custom_atributes: 'custom_attributes',
        push_subscription: 'push_subscribe',
        'time zone': 'time_zone',
        constructor: 'country',
        '': 'dob',
      }
      for (const [field, known] of Object.entries(nearest)) {
        const { status, body } = await people.export({ external_ids: ['x'], fields_to_export: ['email', field] })
        const type = `'fields_to_export' has the unknown field ${JSON.stringify(field)}: the nearest field is '${known}'`
        const details = [{ type, input_array: 'fields_to_export', index: 1 }]
        assert.deepEqual([status, body], [400, { message: type, details }])
      }
    })

    test('the first 50 unknown fields are listed, however long they are', async () => {
      for (const count of [49, 50, 51, 10_000]) {
        const fields = many(count, () => 'x'.repeat(101))
        const { status, body } = await people.export({ external_ids: ['x'], fields_to_export: fields })
        assert.equal(status, 400)
        assert.equal(body.details?.length, Math.min(count, 50))
        assert.match(body.message, /"x{100}"/)
      }
    })

    test('unknown members are ignored', async () => {
      const external_id = newId()
      await people.set({ external_id })
      const { body } = await asks({
        external_ids: [external_id],
        api_key: 'x',
        app_group_id: 'y',
        custom_attributes_to_export: [],
      })
      assert.deepEqual(body, { users: [{ external_id }], message: 'success' })
    })

    test('identifiers of a wrong type are a 400', async () => {
      const wrong = [
        { external_ids: {} },
        { external_ids: 5 },
        { external_ids: 'x' },
        { external_ids: [{}] },
        { external_ids: [''] },
        { external_ids: [null] },
        { user_aliases: 'x' },
        { user_aliases: ['x'] },
        { user_aliases: [{ alias_name: 'x' }] },
        { user_aliases: [{ alias_name: 5, alias_label: 'x' }] },
        { user_aliases: [{ alias_name: 'x', alias_label: 5 }] },
        { email_address: 5 },
        { phone: ['+15551234567'] },
        { device_id: {} },
        { service_id: {} },
        { service_id: 5 },
        { service_id: [] },
        { email_address: [] },
      ]
      for (const body of wrong) {
        const { status, body: answer } = await asks(body)
        assert.equal(status, 400, JSON.stringify(body))
        assert.notEqual(answer.message, '')
      }
    })

    test('a NUL or a lone surrogate in an identifier never causes a 5xx', async () => {
      for (const bad of ['a\u0000b', '\ud800']) {
        const user_aliases = [{ alias_name: bad, alias_label: 'shop' }]
        const ways = [
          { external_ids: [bad] },
          { user_aliases },
          { email_address: bad },
          { phone: bad },
          { device_id: bad },
        ]
        for (const way of ways) assert.equal((await asks(way)).status, 400, JSON.stringify(way))
        const { status, body } = await asks({ service_id: bad })
        assert.deepEqual([status, body.users], [201, []])
        for (const field of [bad, '__proto__', 'toString']) {
          assert.equal((await asks({ external_ids: ['x'], fields_to_export: [field] })).status, 400)
        }
      }
    })

    test('an export creates nobody', async () => {
      const [external_id, email, phone] = [newId(), newEmail(), newPhone()]
      const user_alias = newAlias()
      for (let again = 0; again < 2; again++) {
        const byId = await asks({ external_ids: [external_id], user_aliases: [user_alias], email_address: email })
        assert.equal(byId.body.invalid_user_ids?.length, 3)
        assert.equal((await asks({ phone })).body.invalid_user_ids?.length, 1)
      }
    })

    test('50 people with 50 events each fit into one answer', async () => {
      const ids = many(idsMax, () => newId())
      await people.set(...ids.map((external_id) => ({ external_id, mine: external_id })))
      const users = await people.find({ external_ids: ids }, ['external_id', 'custom_attributes'])
      assert.deepEqual(users.map(({ external_id }) => external_id).toSorted(), ids.toSorted())
      for (const { external_id, custom_attributes } of users) assert.deepEqual(custom_attributes, { mine: external_id })
    })

    test('export_all_fields makes fields_to_export optional, and every field is exported by default', async () => {
      const external_id = newId()
      await people.set({ external_id, email: newEmail(), first_name: 'Ann', plan: 'free' })
      await people.service.admin('POST', '/admin/apply', { settings: { export_all_fields: true } })
      for (const fields of [{}, { fields_to_export: null }]) {
        const { status, body } = await people.export({ external_ids: [external_id], ...fields })
        assert.equal(status, 201)
        assert.deepEqual(only(body.users ?? []), await people.person(external_id, everyField))
      }
      assert.deepEqual(await people.person(external_id, ['first_name']), { first_name: 'Ann' })
      await people.service.admin('POST', '/admin/apply', { settings: { export_all_fields: false } })
      assert.equal((await people.export({ external_ids: [external_id] })).status, 400)
    })
  })
}
