import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newDevice, tell } from '../support/devices.ts'
import { drawDatabases } from '../support/harness.ts'
import {
  event,
  type Item,
  isNow,
  many,
  newAlias,
  newEmail,
  newId,
  newPhone,
  only,
  peopleOf,
  texts as shared,
} from '../support/people.ts'

const idsMax = 50
const prioritization = ['identified', 'most_recently_updated']
const texts = {
  required: "'external_ids', 'user_aliases', 'service_ids', 'email_addresses' or 'phone_numbers' is required",
  onlyOne: 'Only one of external_ids, user_aliases, service_ids, or email_addresses may be specified',
  addresses: "'email_addresses' must be an array of objects with 'email' and 'prioritization'",
  numbers: "'phone_numbers' must be an array of objects with 'phone' and 'prioritization'",
} as const

for (const database of drawDatabases('users-delete')) {
  describe(`POST /users/delete (${database})`, () => {
    const people = peopleOf(database)
    const send = (body: unknown) => people.send('/users/delete', body)
    const refusal = async (body: unknown) => {
      const { status, body: answer, text } = await send(body)
      assert.equal(status, 400, text)
      const { message, details: _, ...rest } = answer
      assert.deepEqual(rest, {})
      return message
    }

    /** Creates a person with every kind of identifier. */
    const newPerson = async () => {
      const named = { external_id: newId(), user_alias: newAlias(), email: newEmail(), phone: newPhone() }
      const { external_id, user_alias, email, phone } = named
      await people.set({ external_id, email, phone, first_name: 'Anna' })
      const aliased = await people.send('/users/alias/new', { user_aliases: [{ external_id, ...user_alias }] })
      assert.equal(aliased.status, 201, aliased.text)
      const device_id = newDevice()
      await tell(people, device_id, { identifier: { external_id } })
      const { service_id } = await people.person(external_id)
      return { ...named, device_id, service_id: service_id! }
    }
    type Person = Awaited<ReturnType<typeof newPerson>>

    const waysTo = (who: Person): Item[] => [
      { external_ids: [who.external_id] },
      { user_aliases: [who.user_alias] },
      { service_id: who.service_id },
      { device_id: who.device_id },
      { email_address: who.email },
      { phone: who.phone },
    ]

    test('a request returns 201 with its count, and is done soon after', async () => {
      const who = await newPerson()
      const answer = await send({ external_ids: [who.external_id] })
      assert.equal(answer.status, 201)
      assert.deepEqual(answer.body, { deleted: 1, message: 'success' })
      assert.match(answer.text, /^\{"deleted":1,"message":"success"\}$/)
      assert.equal(only(await people.done(answer)).outcome, 'done')
      const { body } = await people.export({ external_ids: [who.external_id], fields_to_export: ['external_id'] })
      assert.deepEqual(body, { users: [], invalid_user_ids: [who.external_id], message: 'success' })
    })

    const kinds: Readonly<Record<string, (who: Person) => Item>> = {
      external_ids: ({ external_id }) => ({ external_ids: [external_id] }),
      user_aliases: ({ user_alias }) => ({ user_aliases: [user_alias] }),
      service_ids: ({ service_id }) => ({ service_ids: [service_id.toUpperCase()] }),
      email_addresses: ({ email }) => ({ email_addresses: [{ email: email.toUpperCase(), prioritization }] }),
      phone_numbers: ({ phone }) => ({ phone_numbers: [{ phone, prioritization }] }),
    }
    for (const [list, asked] of Object.entries(kinds)) {
      test(`a person who is deleted by ${list} cannot be found by any identifier`, async () => {
        const who = await newPerson()
        assert.equal(only(await people.delete(asked(who))).outcome, 'done')
        for (const way of waysTo(who)) assert.deepEqual(await people.find(way), [], JSON.stringify(way))
      })
    }

    test('many people are deleted at once, and unknown identifiers are counted too', async () => {
      const ids = many(3, () => newId())
      await people.set({ external_id: ids[0] }, { external_id: ids[2] })
      const answer = await send({ external_ids: [...ids, ids[0]] })
      assert.deepEqual(answer.body, { deleted: 4, message: 'success' })
      const outcomes = (await people.done(answer)).map(({ outcome }) => outcome)
      assert.deepEqual(outcomes, ['done', 'nobody_matched', 'done', 'nobody_matched'])
      assert.deepEqual(await people.find({ external_ids: ids }), [])
    })

    test('integers in a list are external ids', async () => {
      await people.set({ external_id: '7300001' })
      assert.equal(only(await people.delete({ external_ids: [7300001] })).outcome, 'done')
    })

    test('a single id cannot replace a list', async () => {
      const { external_id, service_id } = await newPerson()
      for (const external_ids of [external_id, 7300002]) {
        assert.equal(await refusal({ external_ids }), "'external_ids' must be an array")
      }
      assert.equal(await refusal({ service_ids: service_id }), "'service_ids' must be an array")
      await people.settled()
      assert.equal((await people.find({ service_id })).length, 1)
    })

    test('every invalid item of a list is listed with its index', async () => {
      const { body } = await send({ external_ids: [newId(), null, newId(), true] })
      const type = "'external_id' is not valid"
      const at = (index: number) => ({ type, input_array: 'external_ids', index })
      assert.deepEqual(body, { message: type, details: [at(1), at(3)] })
    })

    test('a new person with the same id has nothing of the deleted person', async () => {
      const who = await newPerson()
      await people.happen(event({ external_id: who.external_id }))
      const before = await people.person(who.external_id)
      await people.delete({ external_ids: [who.external_id] })
      const { external_id, email } = who
      await people.set({ external_id, email, n: 1 })
      const anew = await people.person(external_id)
      assert.ok(isNow(anew.created_at!))
      assert.notEqual(anew.service_id, before.service_id)
      assert.deepEqual([anew.custom_attributes, anew.custom_events, anew.first_name], [{ n: 1 }, undefined, undefined])
      assert.deepEqual(await people.find({ service_id: before.service_id }), [])
    })

    test('other people who share the address stay', async () => {
      const [email, phone] = [newEmail(), newPhone()]
      const [gone, other] = [newId(), newId()]
      await people.set({ external_id: gone, email, phone }, { external_id: other, email, phone, n: 1 })
      const before = await people.person(other)
      await people.delete({ external_ids: [gone] })
      assert.deepEqual(await people.person(other), before)
      for (const way of [{ email_address: email }, { phone }]) {
        assert.deepEqual(await people.find(way, ['external_id']), [{ external_id: other }])
      }
    })

    test('of several people with one address the prioritization selects the one to delete, or nobody', async () => {
      const email = newEmail()
      const ids = many(3, () => newId())
      for (const external_id of ids) await people.set({ external_id, email })
      const one = async (...words: string[]) =>
        only(await people.delete({ email_addresses: [{ email, prioritization: words }] })).outcome
      assert.equal(await one('identified'), 'several_matched')
      assert.equal(await one('unidentified'), 'nobody_matched')
      assert.equal(await one('identified', 'most_recently_updated'), 'done')
      assert.equal(await one('least_recently_updated'), 'done')
      assert.deepEqual(await people.find({ email_address: email }, ['external_id']), [{ external_id: ids[1] }])
      assert.equal(await one('identified'), 'done')
    })

    test('people who were merged into a deleted person are deleted too', async () => {
      const [gone, kept] = [newId(), newId()]
      await people.set({ external_id: gone, a: 1 }, { external_id: kept })
      await people.happen(event({ external_id: gone }))
      await people.merge({ external_id: gone }, { external_id: kept })
      await people.delete({ external_ids: [kept] })
      await people.set({ external_id: gone }, { external_id: kept })
      for (const id of [gone, kept]) {
        const { custom_attributes, custom_events } = await people.person(id)
        assert.deepEqual([custom_attributes, custom_events], [{}, undefined])
      }
    })

    test('a former external_id deletes the whole person', async () => {
      const [first, second] = [newId(), newId()]
      await people.set({ external_id: first })
      const renames = [{ current_external_id: first, new_external_id: second }]
      await people.send('/users/external_ids/rename', { external_id_renames: renames })
      assert.equal(only(await people.delete({ external_ids: [first] })).outcome, 'done')
      assert.deepEqual(await people.find({ external_ids: [first, second] }), [])
    })

    test('an unknown service_id is accepted', async () => {
      const { service_id } = await newPerson()
      const forged = `${service_id.slice(0, 23)}${service_id.endsWith('0') ? '1' : '0'}`
      const answer = await send({ service_ids: [forged, 'nonsense', '5de03768148b06556d18478b', '5'] })
      assert.deepEqual(answer.body, { deleted: 4, message: 'success' })
      assert.ok((await people.done(answer)).every(({ outcome }) => outcome === 'nobody_matched'))
      assert.equal((await people.find({ service_id })).length, 1)
    })

    test('exactly one kind of list is accepted; null and empty lists count as absent', async () => {
      const nothing: unknown[] = [
        {},
        { external_ids: [] },
        { external_ids: null, user_aliases: [] },
        { other: ['a'] },
        [],
        'null',
        '5',
      ]
      for (const body of nothing) assert.equal(await refusal(body), texts.required)
      const lists = {
        external_ids: [newId()],
        user_aliases: [newAlias()],
        service_ids: ['5de03768148b06556d18478b'],
        email_addresses: [{ email: newEmail(), prioritization }],
        phone_numbers: [{ phone: newPhone(), prioritization }],
      }
      for (const [name, list] of Object.entries(lists)) {
        for (const [other, second] of Object.entries(lists)) {
          if (name !== other) assert.equal(await refusal({ [name]: list, [other]: second }), texts.onlyOne)
        }
        const absent = Object.fromEntries(Object.keys(lists).map((other, i) => [other, i % 2 === 0 ? null : []]))
        const answer = await send({ ...absent, [name]: list })
        assert.deepEqual([answer.status, answer.body.deleted], [201, 1], name)
      }
      assert.equal(await refusal({ external_ids: 'a', user_aliases: 'b' }), texts.onlyOne)
    })

    test('49 and 50 are accepted, 51 are refused', async () => {
      const lists: Readonly<Record<string, unknown[]>> = {
        external_ids: many(idsMax + 1, () => newId()),
        user_aliases: many(idsMax + 1, () => newAlias()),
        service_ids: many(idsMax + 1, (i) => `5de03768148b06556d18${4000 + i}`),
        email_addresses: many(idsMax + 1, () => ({ email: newEmail(), prioritization })),
        phone_numbers: many(idsMax + 1, () => ({ phone: newPhone(), prioritization })),
      }
      for (const [name, list] of Object.entries(lists)) {
        for (const count of [idsMax - 1, idsMax]) {
          assert.deepEqual((await send({ [name]: list.slice(0, count) })).body, { deleted: count, message: 'success' })
        }
        assert.equal(await refusal({ [name]: list }), shared.tooManyIds)
      }
    })

    test('an invalid item refuses the request, and nothing is done', async () => {
      const { external_id, user_alias, email, phone } = await newPerson()
      const good = { email, prioritization }
      const refusals: readonly [Item, string | RegExp][] = [
        [{ external_ids: {} }, "'external_ids' must be an array"],
        [{ external_ids: true }, "'external_ids' must be an array"],
        [{ external_ids: [external_id, null] }, "'external_id' is not valid"],
        [{ external_ids: [external_id, ''] }, "'external_id' is not valid"],
        [{ external_ids: [external_id, 1.5] }, "'external_id' is not valid"],
        [{ external_ids: [external_id, {}] }, "'external_id' is not valid"],
        [{ external_ids: [external_id, 'a\u0000'] }, "'external_id' is not valid"],
        [{ external_ids: [external_id, 'x'.repeat(988)] }, shared.tooLong],
        [{ user_aliases: 'x' }, "'user_aliases' must be an array"],
        [{ user_aliases: user_alias }, "'user_aliases' must be an array"],
        [{ user_aliases: [user_alias, 'x'] }, "'user_alias' is not valid"],
        [{ user_aliases: [user_alias, { alias_name: 'x' }] }, "'user_alias' is not valid"],
        [{ service_ids: [null] }, "'service_id' is not valid"],
        [{ service_ids: [''] }, "'service_id' is not valid"],
        [{ service_ids: '' }, "'service_ids' must be an array"],
        [{ service_ids: [5] }, "'service_id' is not valid"],
        [{ service_ids: [{}] }, "'service_id' is not valid"],
        [{ email_addresses: email }, "'email_addresses' must be an array"],
        [{ email_addresses: [good, email] }, texts.addresses],
        [{ email_addresses: [good, null] }, texts.addresses],
        [{ email_addresses: [good, { prioritization }] }, texts.addresses],
        [{ email_addresses: [good, { email: 5, prioritization }] }, texts.addresses],
        [{ email_addresses: [good, { email: '', prioritization }] }, texts.addresses],
        [{ email_addresses: [good, { email: 'x', prioritization }] }, shared.badEmail],
        [{ email_addresses: [good, { email }] }, /^'prioritization' must be an array containing/],
        [
          { email_addresses: [good, { email, prioritization: ['identified', 'unidentified'] }] },
          /^'prioritization' must/,
        ],
        [{ phone_numbers: [phone] }, texts.numbers],
        [{ phone_numbers: [{ phone: '12', prioritization }] }, "'phone' is not valid"],
      ]
      for (const [body, text] of refusals) {
        const message = await refusal(body)
        if (typeof text === 'string') assert.equal(message, text, JSON.stringify(body))
        else assert.match(message, text, JSON.stringify(body))
      }
      await people.settled()
      assert.equal((await people.find({ external_ids: [external_id] })).length, 1)
    })
  })

  describe(`POST /users/delete with another service name (${database})`, () => {
    const people = peopleOf(database, { env: { EASEL_SERVICE_NAME: 'engage' } })

    test('the configured name is used for the ids of the service', async () => {
      const external_id = newId()
      await people.set({ external_id })
      const { engage_id } = await people.person(external_id, ['engage_id'])
      const refused = await people.send('/users/delete', { service_ids: [engage_id] })
      assert.equal(refused.status, 400)
      assert.match(refused.body.message, /'engage_ids'/)
      const both = await people.send('/users/delete', { engage_ids: [engage_id], external_ids: [external_id] })
      assert.equal(both.body.message, texts.onlyOne.replace('service', 'engage'))
      assert.equal(only(await people.delete({ engage_ids: [engage_id] })).outcome, 'done')
    })
  })
}
