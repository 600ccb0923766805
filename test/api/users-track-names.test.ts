import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { event, many, newAlias, newEmail, newId, only, peopleOf, purchase, texts } from '../support/people.ts'

// Existing clients use the name of a hosted product instead of the neutral one.
const word = 'acme'
const id = `${word}_id`
const required = `'external_id', '${id}', 'user_alias', 'email' or 'phone' is required`
const onlyOne = `You must specify only one of 'external_id', 'user_alias' or '${id}'`

for (const database of drawDatabases('users-track-names')) {
  describe(`EASEL_SERVICE_NAME (${database})`, () => {
    const people = peopleOf(database, { env: { EASEL_SERVICE_NAME: word, EASEL_BATCH_MAX: '75' } })

    test('the name is part of the error texts about the identifier', async () => {
      const service_id = 'f'.repeat(24)
      assert.equal(await people.refusal('attributes', { plan: 'free' }), required)
      assert.equal(await people.refusal('events', event({})), required)
      assert.equal(await people.refusal('purchases', purchase({})), required)
      const twice = { external_id: newId(), [id]: service_id }
      assert.equal(await people.refusal('attributes', twice), onlyOne)
      assert.equal(await people.refusal('events', event(twice)), onlyOne)
      assert.equal(await people.refusal('purchases', purchase({ user_alias: newAlias(), [id]: service_id })), onlyOne)
    })

    test('the name is part of the exported field and of the list of fields', async () => {
      const external_id = newId()
      await people.set({ external_id, plan: 'free' })
      const person = await people.person(external_id, [id])
      assert.deepEqual(Object.keys(person), [id])
      assert.match(String(person[id]), /^[0-9a-f]{24}$/)
      const { status, body } = await people.export({ external_ids: [external_id], fields_to_export: ['service_id'] })
      assert.equal(status, 400)
      assert.match(body.message, new RegExp(`the nearest field is '${id}'`))
      const wide = await people.person(external_id, [id, 'external_id'])
      assert.deepEqual(Object.keys(wide).toSorted(), [id, 'external_id'])
    })

    test('a person is tracked and exported by the identifier of this name', async () => {
      const external_id = newId()
      await people.set({ external_id })
      const own = (await people.person(external_id, [id]))[id]
      await people.accept({
        attributes: [{ [id]: own, plan: 'free' }],
        events: [event({ [id]: own })],
        purchases: [purchase({ [id]: own })],
      })
      const person = only(
        await people.find({ [id]: own }, ['external_id', 'custom_attributes', 'custom_events', 'purchases']),
      )
      assert.equal(person.external_id, external_id)
      assert.deepEqual(person.custom_attributes, { plan: 'free' })
      assert.equal(person.custom_events?.length, 1)
      assert.equal(person.purchases?.length, 1)
    })

    test('the neutral name is then no identifier', async () => {
      const service_id = 'f'.repeat(24)
      assert.equal(await people.refusal('attributes', { service_id }), required)
      const { status, body } = await people.export({ service_id, fields_to_export: ['email'] })
      assert.equal(status, 400)
      assert.doesNotMatch(body.message, /service_id/)
      const external_id = newId()
      await people.happen(event({ external_id, service_id }))
      assert.equal((await people.eventsOf(external_id)).length, 1)
    })

    test('an unknown identifier is listed in invalid_user_ids', async () => {
      const unknown = 'f'.repeat(24)
      const { status, body } = await people.export({ [id]: unknown, fields_to_export: [id] })
      assert.equal(status, 201)
      assert.deepEqual(body, { users: [], invalid_user_ids: [unknown], message: 'success' })
    })

    test('EASEL_BATCH_MAX is the maximum number of updates over the three arrays', async () => {
      const send = (attributes: number, events: number) =>
        people.track({
          attributes: many(attributes, () => ({ email: newEmail() })),
          events: many(events, () => event({ external_id: newId() })),
        })
      assert.equal((await send(75, 0)).status, 201)
      assert.equal((await send(40, 35)).status, 201)
      const { status, body } = await send(40, 36)
      assert.equal(status, 400)
      assert.deepEqual(body, { message: texts.tooMany, errors: [] })
    })
  })

  describe(`EASEL_BATCH_MAX_PER_ARRAY (${database})`, () => {
    const people = peopleOf(database, { env: { EASEL_BATCH_MAX_PER_ARRAY: '75' } })

    test('is the maximum number of updates in each array instead', async () => {
      const who = { external_id: newId() }
      const body = (attributes: number, events: number, purchases: number) => ({
        attributes: many(attributes, (i) => ({ ...who, i })),
        events: many(events, () => event(who)),
        purchases: many(purchases, () => purchase(who)),
      })
      assert.equal((await people.track(body(75, 75, 75))).status, 201)
      for (const over of [body(76, 0, 0), body(0, 76, 0), body(1, 1, 76)]) {
        const { status, body: answer } = await people.track(over)
        assert.equal(status, 400)
        assert.deepEqual(answer, { message: texts.tooMany, errors: [] })
      }
    })
  })
}
