import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { profileBytesMax, profileTooLarge } from '../../src/people/profile/size-limit.ts'
import { drawDatabases } from '../support/harness.ts'
import { event, many, newEmail, newId, only, peopleOf } from '../support/people.ts'
import { assertBelow } from '../support/waits.ts'

/** Different texts in a list of some 101,000 bytes; an attribute may have 102,400. */
const texts = 500
const attributes = (count: number, from = 0) =>
  Object.fromEntries(many(count, (i) => [`k${from + i}`, many(texts, (n) => 'x'.repeat(195 + (n % 5)) + n)]))
/** An update of a full profile takes a tenth of this. */
const floorMs = 500

for (const database of drawDatabases('users-track-size')) {
  describe(`the size of a profile (${database})`, () => {
    const people = peopleOf(database)
    const track = (...objects: object[]) => people.send('/users/track', { attributes: objects })

    test('an object that would make a profile larger than the limit is refused, and the others are not', async () => {
      const [full, other] = [newId(), newId()]
      for (let i = 0; i < 9; i++) assert.equal((await track({ external_id: full, ...attributes(1, i) })).status, 201)
      const over = { external_id: full, ...attributes(4, 20), city: 'Oslo' }
      const { status, body } = await track({ external_id: other, city: 'Rome' }, over, { external_id: full, plan: 'x' })
      assert.equal(status, 201)
      assert.equal(body.attributes_processed, 2)
      assert.deepEqual(body.errors, [{ index: 1, input_array: 'attributes', type: profileTooLarge }])
      const { custom_attributes } = only(await people.find({ external_ids: [full] }))
      assert.deepEqual(Object.keys(custom_attributes!).sort(), [...Object.keys(attributes(9)), 'plan'].sort())
      const alone = await track(over)
      assert.equal(alone.status, 400)
      assert.deepEqual(alone.body.errors, [{ index: 0, input_array: 'attributes', type: profileTooLarge }])
      // Removing makes room again.
      assert.equal((await track({ external_id: full, k0: null, k1: null, k2: null, k3: null })).status, 201)
      assert.equal((await track(over)).status, 201)
    })

    test('an object that is refused creates nobody, changes no address and keeps the events beside it', async () => {
      const [nobody, known, newcomer] = [newId(), newId(), newId()]
      const email = newEmail()
      await track({ external_id: known, ...attributes(9) })
      const { status, body } = await people.send('/users/track', {
        attributes: [
          { external_id: nobody, ...attributes(12) },
          { external_id: known, email: newEmail() },
          { external_id: known, email, ...attributes(3, 20) },
          { email, city: 'Oslo', _update_existing_only: false },
          { external_id: newcomer, ...attributes(8) },
          { external_id: newcomer, ...attributes(8, 10) },
        ],
        events: [event({ external_id: known })],
      })
      assert.equal(status, 201)
      assert.deepEqual(
        body.errors!.map(({ index, type }) => [index, type]),
        [
          [0, profileTooLarge],
          [2, profileTooLarge],
          [5, profileTooLarge],
        ],
      )
      assert.deepEqual(await people.find({ external_ids: [nobody] }), [])
      assert.equal(Object.keys(only(await people.find({ external_ids: [newcomer] })).custom_attributes!).length, 8)
      const owner = only(await people.find({ email_address: email }))
      assert.equal(owner.external_id, undefined)
      assert.equal(owner.custom_attributes!.city, 'Oslo')
      const one = only(await people.find({ external_ids: [known] }))
      assert.notEqual(one.email, email)
      assert.equal(one.custom_events!.length, 1)
    })

    test('numbers count as they are exported, without exponents', async () => {
      const external_id = newId()
      // Each number has 301 digits, each list 99,661 bytes.
      const list = (i: number) => `{"external_id":"${external_id}","n${i}":[${many(330, (n) => `${100 + n}e298`)}]}`
      const send = (i: number) => people.send('/users/track', `{"attributes":[${list(i)}]}`)
      for (let i = 0; i < 10; i++) assert.equal((await send(i)).status, 201)
      const { status, body } = await send(10)
      assert.equal(status, 400)
      assert.equal(body.errors![0]!.type, profileTooLarge)
      assert.ok(JSON.stringify(await people.custom(external_id)).length <= profileBytesMax)
    })

    test('operations are limited too', async () => {
      const external_id = newId()
      await track({ external_id, ...attributes(10) })
      const more = Object.fromEntries(
        many(10, (i) => [`list${i}`, { add: many(400, (n) => `${n}${'y'.repeat(240)}`) }]),
      )
      const { status, body } = await track({ external_id, ...more })
      assert.equal(status, 400)
      assert.equal(body.errors![0]!.type, profileTooLarge)
    })

    test('the attributes of a merged person are taken over as long as they fit', async () => {
      const [kept, merged] = [newId(), newId()]
      await track({ external_id: kept, ...attributes(7) })
      await track({ external_id: merged, ...attributes(7, 10), plan: 'gold' })
      await people.merge({ external_id: merged }, { external_id: kept })
      const { custom_attributes } = only(await people.find({ external_ids: [kept] }))
      assert.ok(Buffer.byteLength(JSON.stringify(custom_attributes)) <= profileBytesMax)
      assert.equal(custom_attributes!.plan, 'gold')
      assert.ok(Object.keys(attributes(7)).every((key) => key in custom_attributes!))
    })

    test('requests of almost 4 MB make no large profile, and others are served meanwhile', async () => {
      const { elapsed } = systemClock()
      const [full, small] = [newId(), newId()]
      const timed = async (external_id: string): Promise<number> => {
        const startedMs = elapsed()
        assert.equal((await track({ external_id, plan: newId() })).status, 201)
        return elapsed() - startedMs
      }
      const medianOf = async (external_id: string) => {
        const spentMs: number[] = []
        for (let i = 0; i < 9; i++) spentMs.push(await timed(external_id))
        return spentMs.sort((a, b) => a - b)[4]!
      }
      for (let i = 0; i < 10; i++) {
        const [attack] = await Promise.all([track({ external_id: full, ...attributes(39, i * 39) }), timed(small)])
        assert.equal(attack.status, 400)
        assert.equal((await track({ external_id: full, ...attributes(1, i) })).status, 201)
      }
      await assertBelow(floorMs, 'a request for a full profile', async () => {
        const quietMs = await medianOf(small)
        const fullMs = await medianOf(full)
        return fullMs < 5 * quietMs ? 0 : fullMs
      })
      const { custom_attributes } = only(await people.find({ external_ids: [full] }))
      assert.ok(Buffer.byteLength(JSON.stringify(custom_attributes)) <= profileBytesMax)
    })
  })
}
