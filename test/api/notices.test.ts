import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { noticesMax } from '../../src/base/http/notices.ts'
import { databases } from '../support/harness.ts'
import { many, newId, peopleOf } from '../support/people.ts'

const long = 'v'.repeat(256)
const tooLong = 'is longer than 255 characters'
const refused = `'nickname' ${tooLong}`

for (const database of databases) {
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
