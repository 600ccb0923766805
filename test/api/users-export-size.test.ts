import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exportBytesMax, exportTooLarge } from '../../src/people/export/schema.ts'
import { drawDatabases } from '../support/harness.ts'
import { many, newEmail, newId, peopleOf } from '../support/people.ts'

/** Attributes of almost 1 MB: ten lists of 500 different texts. */
const large = Object.fromEntries(many(10, (i) => [`k${i}`, many(500, (n) => 'x'.repeat(195 + (n % 5)) + n)]))
const largeBytes = JSON.stringify(large).length
/** As many as fit into an answer, with room for their other fields. */
const fitting = Math.floor(exportBytesMax / (largeBytes + 1_000))
const perRequest = 3

for (const database of drawDatabases('users-export-size')) {
  describe(`the size of an export (${database})`, () => {
    const people = peopleOf(database)
    const ask = (who: object) =>
      people.send('/users/export/ids', { ...who, fields_to_export: ['external_id', 'custom_attributes'] })

    test('an answer is complete up to its limit and refused beyond it, also for the people of one address', async () => {
      const ids = many(fitting + 1, () => newId())
      const email = newEmail()
      for (let from = 0; from < ids.length; from += perRequest) {
        await people.set(...ids.slice(from, from + perRequest).map((external_id) => ({ external_id, email, ...large })))
      }
      const { status, body } = await ask({ external_ids: ids.slice(0, fitting) })
      assert.equal(status, 201)
      assert.deepEqual(
        body.users!.map(({ external_id }) => external_id),
        ids.slice(0, fitting),
      )
      assert.ok(body.users!.every(({ custom_attributes }) => JSON.stringify(custom_attributes).length === largeBytes))
      for (const who of [{ external_ids: ids }, { email_address: email }]) {
        const refused = await ask(who)
        assert.equal(refused.status, 400)
        assert.equal(refused.body.message, exportTooLarge)
      }
      assert.equal((await ask({ external_ids: ids.slice(0, 1) })).status, 201)
    })
  })
}
