import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { event, many, newId, peopleOf, purchase, reservedIds, texts } from '../support/people.ts'

const updatesMax = 50

for (const database of drawDatabases('users-track')) {
  describe(`POST /users/track answers (${database})`, () => {
    const people = peopleOf(database)

    test('a full success counts each array, has success last and no errors', async () => {
      const who = { external_id: newId() }
      const { status, body, text, headers } = await people.track({
        attributes: [{ ...who, plan: 'free' }],
        events: [event(who), event(who)],
        purchases: [purchase(who), purchase(who), purchase(who)],
      })
      assert.equal(status, 201)
      assert.deepEqual(body, {
        attributes_processed: 1,
        events_processed: 2,
        purchases_processed: 3,
        message: 'success',
      })
      assert.match(text, /"message":"success"\}$/)
      assert.equal(headers['content-type'], 'application/json')
    })

    test('an answer counts only non-empty arrays', async () => {
      const who = { external_id: newId() }
      const attributes = [{ ...who, plan: 'free' }]
      const events = [event(who)]
      const purchases = [purchase(who)]
      const counted = { message: 'success' }
      assert.deepEqual((await people.track({ attributes })).body, { attributes_processed: 1, ...counted })
      assert.deepEqual((await people.track({ events })).body, { events_processed: 1, ...counted })
      assert.deepEqual((await people.track({ purchases })).body, { purchases_processed: 1, ...counted })
      const withEmpty = await people.track({ attributes: [], events, purchases: [] })
      assert.deepEqual(withEmpty.body, { events_processed: 1, ...counted })
      const withNull = await people.send('/users/track', { attributes: null, events, purchases: null })
      assert.deepEqual(withNull.body, { events_processed: 1, ...counted })
    })

    test('refused objects are listed by array and index, and the others are applied', async () => {
      const id = newId()
      const who = { external_id: id }
      const { status, body } = await people.track({
        purchases: [purchase(who, { quantity: 0 }), purchase(who), purchase({})],
        events: [event(who), event({}), event(who), event(who, { name: undefined })],
        attributes: [{ colour: 'red' }, { ...who, colour: 'blue' }, { ...who, colour: 'green', email: 'no' }],
      })
      assert.equal(status, 201)
      assert.deepEqual(body, {
        attributes_processed: 1,
        events_processed: 2,
        purchases_processed: 1,
        errors: [
          { type: texts.required, input_array: 'attributes', index: 0 },
          { type: texts.badEmail, input_array: 'attributes', index: 2 },
          { type: texts.required, input_array: 'events', index: 1 },
          { type: "'name' is required", input_array: 'events', index: 3 },
          { type: texts.quantity, input_array: 'purchases', index: 0 },
          { type: texts.required, input_array: 'purchases', index: 2 },
        ],
        message: 'success',
      })
      const person = await people.person(id)
      assert.deepEqual(person.custom_attributes, { colour: 'blue' })
      assert.equal(person.email, undefined)
      assert.deepEqual(
        person.custom_events?.map(({ count }) => count),
        [2],
      )
      assert.deepEqual(
        person.purchases?.map(({ count }) => count),
        [1],
      )
    })

    test('the recorded partial success is answered word for word', async () => {
      const [good, twice, alsoGood, third] = many(4, () => newId())
      const alias = { alias_name: newId('alias'), alias_label: 'shop' }
      const { status, body } = await people.track({
        attributes: [
          { external_id: good, email_subscribe: 'opted_in' },
          { external_id: twice, email_subscribe: 'yes' },
          { external_id: alsoGood, push_subscribe: 'unsubscribed' },
          { external_id: third, push_subscribe: 'no' },
          { external_id: newId(), user_alias: alias },
        ],
      })
      assert.equal(status, 201)
      assert.deepEqual(body, {
        attributes_processed: 2,
        errors: [
          { index: 1, input_array: 'attributes', type: texts.emailSubscribe },
          { index: 3, input_array: 'attributes', type: texts.pushSubscribe },
          { index: 4, input_array: 'attributes', type: texts.onlyOne },
        ],
        message: 'success',
      })
    })

    test('an array whose objects are all refused is counted as 0', async () => {
      const who = { external_id: newId() }
      const { status, body } = await people.track({ attributes: [{ ...who, plan: 'free' }], events: [event({})] })
      assert.equal(status, 201)
      assert.deepEqual(body, {
        attributes_processed: 1,
        events_processed: 0,
        errors: [{ type: texts.required, input_array: 'events', index: 0 }],
        message: 'success',
      })
    })

    test('a request with only refused objects is a 400 with all entries', async () => {
      const who = { external_id: newId() }
      const { status, body } = await people.track({
        attributes: [{ plan: 'free' }],
        purchases: [purchase(who, { quantity: 101 }), purchase(who, { currency: 'BARTER' })],
      })
      assert.equal(status, 400)
      assert.deepEqual(body, {
        message: texts.nothingValid,
        errors: [
          { type: texts.required, input_array: 'attributes', index: 0 },
          { type: texts.quantity, input_array: 'purchases', index: 0 },
          { type: texts.currency, input_array: 'purchases', index: 1 },
        ],
      })
      assert.deepEqual((await people.find({ external_ids: [who.external_id] })).length, 0)
    })

    test('a request without any object is a 400 whose errors repeat the message', async () => {
      const nothing = { message: texts.nothingValid, errors: [] }
      for (const body of [{}, { attributes: [] }, { attributes: [], events: [], purchases: [] }, { events: null }]) {
        const answer = await people.send('/users/track', body)
        assert.equal(answer.status, 400, JSON.stringify(body))
        assert.deepEqual(answer.body, nothing, JSON.stringify(body))
      }
    })

    test('an array of another type makes the whole request a 400', async () => {
      const who = { external_id: newId() }
      for (const attributes of [{}, { external_id: 'x' }, 'text', 1, true]) {
        const answer = await people.send('/users/track', { attributes, events: [event(who)] })
        assert.equal(answer.status, 400, JSON.stringify(attributes))
        assert.equal(answer.body.message, texts.nothingValid)
        assert.ok(Array.isArray(answer.body.errors))
      }
      assert.deepEqual(await people.find({ external_ids: [who.external_id] }), [])
    })

    test('an entry that is no object is refused alone', async () => {
      const who = { external_id: newId() }
      const { status, body } = await people.track({ attributes: [null, 1, 'text', [], [who], true, { ...who, a: 1 }] })
      assert.equal(status, 201)
      assert.equal(body.attributes_processed, 1)
      assert.deepEqual(
        body.errors,
        many(6, (index) => ({ type: texts.notAnObject, input_array: 'attributes', index })),
      )
    })

    test('50 updates are accepted and 51 are refused as a whole, over one or more arrays', async () => {
      const send = (attributes: number, events: number, purchases: number) => {
        const who = { external_id: newId() }
        return people.track({
          attributes: many(attributes, (i) => ({ ...who, i })),
          events: many(events, () => event(who)),
          purchases: many(purchases, () => purchase(who)),
        })
      }
      assert.equal((await send(updatesMax - 1, 0, 0)).status, 201)
      assert.equal((await send(updatesMax, 0, 0)).status, 201)
      assert.equal((await send(20, 20, 10)).status, 201)
      const tooMany = { message: texts.tooMany, errors: [] }
      const over: [number, number, number][] = [
        [updatesMax + 1, 0, 0],
        [0, updatesMax + 1, 0],
        [0, 0, updatesMax + 1],
        [20, 20, 11],
      ]
      for (const counts of over) {
        const { status, body } = await send(...counts)
        assert.equal(status, 400, String(counts))
        assert.deepEqual(body, tooMany)
      }
    })

    test('refused objects count towards the 50, and nothing of a longer request is applied', async () => {
      const id = newId()
      const attributes = [...many(updatesMax, () => ({ plan: 'none' })), { external_id: id, plan: 'free' }]
      assert.equal((await people.track({ attributes })).body.message, texts.tooMany)
      assert.deepEqual(await people.find({ external_ids: [id] }), [])
      const { status, body } = await people.track({ attributes: attributes.slice(1) })
      assert.equal(status, 201)
      assert.equal(body.attributes_processed, 1)
      assert.equal(body.errors?.length, updatesMax - 1)
    })

    test('a reserved test user at any place refuses the whole request and names the objects', async () => {
      const id = newId()
      const [dummy, number] = reservedIds
      const { status, body } = await people.track({
        attributes: [
          { external_id: id, plan: 'free' },
          { external_id: dummy, plan: 'free' },
        ],
        events: [event({ external_id: id }), event({ external_id: id }), event({ external_id: Number(number) })],
        purchases: [purchase({ external_id: dummy })],
      })
      assert.equal(status, 400)
      assert.deepEqual(body, {
        message: texts.reserved,
        errors: [
          { type: texts.reserved, input_array: 'attributes', index: 1 },
          { type: texts.reserved, input_array: 'events', index: 2 },
          { type: texts.reserved, input_array: 'purchases', index: 0 },
        ],
      })
      const { body: exported } = await people.export({ external_ids: [id, dummy], fields_to_export: ['external_id'] })
      assert.deepEqual(exported.users, [])
      assert.deepEqual(exported.invalid_user_ids, [id, dummy])
    })

    test('unknown members are ignored', async () => {
      const id = newId()
      const { status, body } = await people.send('/users/track', {
        partner: 'someone',
        api_key: 'not-a-key',
        app_group_id: 'x',
        attributes: [{ external_id: id, plan: 'free' }],
      })
      assert.equal(status, 201)
      assert.deepEqual(body, { attributes_processed: 1, message: 'success' })
      assert.deepEqual(await people.custom(id), { plan: 'free' })
    })

    test('a trailing slash, a doubled leading slash and any Accept header make no difference', async () => {
      const body = { attributes: [{ external_id: newId(), plan: 'free' }] }
      for (const path of ['/users/track/', '//users/track', '//users/track/']) {
        const { status, body: answer } = await people.send(path, body, { accept: 'text/html' })
        assert.equal(status, 201, path)
        assert.deepEqual(answer, { attributes_processed: 1, message: 'success' })
      }
    })

    test('attributes are applied before events, and events before purchases', async () => {
      const user_alias = { alias_name: newId('alias'), alias_label: 'shop' }
      await people.accept({
        purchases: [purchase({ user_alias })],
        events: [event({ user_alias })],
        attributes: [{ user_alias, _update_existing_only: false, plan: 'free' }],
      })
      const [person] = await people.find({ user_aliases: [user_alias] })
      assert.deepEqual(
        person?.custom_events?.map(({ count }) => count),
        [1],
      )
      assert.deepEqual(
        person?.purchases?.map(({ count }) => count),
        [1],
      )
    })

    test('objects are counted, not people', async () => {
      const who = { external_id: newId() }
      const { status, body } = await people.track({
        attributes: [{ ...who, plan: 'free' }, { ...who, plan: 'paid' }, { plan: 'lost' }],
        events: [event(who), event(who)],
      })
      assert.equal(status, 201)
      assert.deepEqual([body.attributes_processed, body.events_processed, body.errors?.length], [2, 2, 1])
    })

    test('of two objects for one person the later wins', async () => {
      const who = { external_id: newId() }
      await people.set(
        { ...who, plan: 'free', first_name: 'Ann', kept: 1 },
        { ...who, plan: 'paid', first_name: 'Anna' },
        { ...who, visits: { inc: 2 } },
        { ...who, visits: { inc: 3 } },
      )
      const person = await people.person(who.external_id)
      assert.deepEqual(person.custom_attributes, { plan: 'paid', kept: 1, visits: 5 })
      assert.equal(person.first_name, 'Anna')
    })

    test('accepted data is visible in the next export', async () => {
      const ids = many(8, () => newId())
      await Promise.all(
        ids.map(async (external_id) => {
          await people.set({ external_id, step: 1 })
          assert.deepEqual(await people.custom(external_id), { step: 1 })
          await people.set({ external_id, step: 2 })
          assert.deepEqual(await people.custom(external_id), { step: 2 })
        }),
      )
    })

    test('with reserved_ids_partial a reserved test user is refused alone', async () => {
      const id = newId()
      await people.service.admin('POST', '/admin/apply', { settings: { reserved_ids_partial: true } })
      const { status, body } = await people.track({
        attributes: [
          { external_id: reservedIds[0], plan: 'free' },
          { external_id: id, plan: 'free' },
        ],
      })
      assert.equal(status, 201)
      assert.deepEqual(body, {
        attributes_processed: 1,
        errors: [{ type: texts.reserved, input_array: 'attributes', index: 0 }],
        message: 'success',
      })
      assert.equal(await people.refusal('events', event({ external_id: reservedIds[0] })), texts.reserved)
    })
  })
}
