import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { event, many, newEmail, newId, only, peopleOf, purchase, texts } from '../support/people.ts'

const path = '/users/track/bulk'
const objectsMax = 1000
const perPersonMax = 100
const bytesMax = 2_097_152

for (const database of drawDatabases('users-track-bulk')) {
  describe(`POST /users/track/bulk (${database})`, () => {
    const people = peopleOf(database)

    /** Returns a body of exactly this many bytes. */
    const bodyOf = (bytes: number, external_id: string): string => {
      const body = JSON.stringify({ attributes: [{ external_id, plan: 'free' }] })
      return body.replace(/\}$/, `${' '.repeat(bytes - Buffer.byteLength(body))}}`)
    }

    test('1,000 objects over the three arrays are accepted, 1,001 are refused as a whole', async () => {
      const body = (attributes: number, events: number, purchases: number) => {
        const ids = many(attributes + events + purchases, () => ({ external_id: newId() }))
        return {
          attributes: ids.slice(0, attributes).map((who) => ({ ...who, plan: 'free' })),
          events: ids.slice(attributes, attributes + events).map((who) => event(who)),
          purchases: ids.slice(attributes + events).map((who) => purchase(who)),
        }
      }
      assert.equal((await people.send(path, body(objectsMax - 1, 0, 0))).status, 201)
      const { status, body: answer } = await people.send(path, body(400, 400, 200))
      assert.equal(status, 201)
      const counts = { attributes_processed: 400, events_processed: 400, purchases_processed: 200 }
      assert.deepEqual(answer, { ...counts, message: 'success' })
      const over = body(400, 400, 201)
      const refused = await people.send(path, over)
      assert.equal(refused.status, 400)
      assert.ok(Array.isArray(refused.body.errors))
      const { external_id } = over.attributes[0] as unknown as { external_id: string }
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
    })

    test('100 objects for one person are accepted, 101 are refused as a whole, over one or more arrays', async () => {
      const send = (who: object, attributes: number, events: number, purchases: number) =>
        people.send(path, {
          attributes: [{ external_id: newId() }, ...many(attributes, (i) => ({ ...who, i }))],
          events: many(events, () => event({ ...who })),
          purchases: many(purchases, () => purchase({ ...who })),
        })
      const external_id = newId()
      assert.equal((await send({ external_id }, perPersonMax - 1, 0, 0)).status, 201)
      assert.equal((await send({ external_id }, perPersonMax, 0, 0)).status, 201)
      assert.equal((await send({ external_id }, 40, 40, 20)).status, 201)
      for (const who of [{ external_id: newId() }, { email: newEmail() }]) {
        const over: [number, number, number][] = [
          [perPersonMax + 1, 0, 0],
          [40, 40, 21],
        ]
        for (const counts of over) {
          const { status, body } = await send(who, ...counts)
          assert.equal(status, 400)
          assert.ok(Array.isArray(body.errors))
          assert.notEqual(body.message, '')
        }
      }
      const { custom_events, purchases } = await people.person(external_id)
      assert.deepEqual([only(custom_events ?? []).count, only(purchases ?? []).count], [40, 20])
    })

    test('2,097,152 bytes are accepted, one more is a 400', async () => {
      for (const bytes of [bytesMax - 1, bytesMax]) {
        const external_id = newId()
        assert.equal((await people.send(path, bodyOf(bytes, external_id))).status, 201, `${bytes} bytes`)
        assert.deepEqual(await people.custom(external_id), { plan: 'free' })
      }
      const external_id = newId()
      const { status, body } = await people.send(path, bodyOf(bytesMax + 1, external_id))
      assert.equal(status, 400)
      assert.ok(Array.isArray(body.errors))
      assert.deepEqual(await people.find({ external_ids: [external_id] }), [])
    })

    test('it answers like /users/track', async () => {
      const who = { external_id: newId() }
      const partly = await people.send(path, { attributes: [{ ...who, plan: 'free' }, {}], events: [event({})] })
      assert.equal(partly.status, 201)
      assert.deepEqual(partly.body, {
        attributes_processed: 1,
        events_processed: 0,
        errors: [
          { type: texts.required, input_array: 'attributes', index: 1 },
          { type: texts.required, input_array: 'events', index: 0 },
        ],
        message: 'success',
      })
      const nothing = await people.send(path, {})
      assert.equal(nothing.status, 400)
      assert.deepEqual(nothing.body, { message: texts.nothingValid, errors: [] })
    })

    test('the limit of 50 holds for /users/track only', async () => {
      const attributes = many(51, () => ({ external_id: newId() }))
      assert.equal((await people.track({ attributes })).body.message, texts.tooMany)
      assert.equal((await people.send(path, { attributes })).status, 201)
    })
  })
}
