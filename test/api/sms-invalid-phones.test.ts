import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { many, newPhone, peopleOf } from '../support/people.ts'

const path = '/sms/invalid_phone_numbers'
const phonesMax = 50
const tooMany = "'phone_numbers' must have at most 50 items"

for (const database of drawDatabases('sms-invalid-phones')) {
  describe(`${path} (${database})`, () => {
    const people = peopleOf(database)
    const phones = (count: number) => many(count, newPhone)

    test('the list is empty for every valid query', async () => {
      const range = 'start_date=2018-09-01&end_date=2018-09-01'
      const named = (list: readonly string[]) => list.map((phone) => `phone_numbers[]=${phone}`).join('&')
      const accepted = [
        `${range}&limit=100&offset=1&phone_numbers=12345678901&reason=provider_error`,
        `${range}&reason=deactivated&limit=501`,
        'phone_numbers=%2B15551234567&phone_numbers=+15551234568',
        named(phones(phonesMax - 1)),
        named(phones(phonesMax)),
      ]
      for (const query of accepted) {
        const { status, text } = await people.get(`${path}?${query}`)
        assert.deepEqual([status, text], [200, '{"sms":[],"message":"success"}'], query)
      }
      const refused: readonly [query: string, message: string][] = [
        ['', "Either 'start_date' or 'phone_numbers' must be provided"],
        ['start_date=2018-09-01', "'end_date' is required"],
        ['start_date=2018-09-02&end_date=2018-09-01', "'end_date' must be after 'start_date'"],
        ['start_date=soon&end_date=2018-09-01', "'start_date' is not valid"],
        [`${range}&limit=many`, "'limit' is not valid"],
        [`${range}&reason=else`, "'reason' must be 'provider_error' or 'deactivated'"],
        ['phone_numbers=12', '\'phone\' is not valid (phone_numbers[0]: "12")'],
        [named(phones(phonesMax + 1)), tooMany],
      ]
      for (const [query, message] of refused) {
        const { status, body } = await people.get(`${path}?${query}`)
        assert.deepEqual([status, body.message], [400, message], query)
      }
    })

    test('a removal checks its numbers', async () => {
      const remove = (phone_numbers: unknown) => people.send(`${path}/remove`, { phone_numbers })
      for (const list of [['+1 (555) 123-4567'], phones(phonesMax - 1), phones(phonesMax)]) {
        const { status, text } = await remove(list)
        assert.deepEqual([status, text], [201, '{"message":"success"}'])
      }
      const refused: readonly [given: unknown, message: string][] = [
        [undefined, "'phone_numbers' is required"],
        [[], "'phone_numbers' is required"],
        ['+15551234567', "'phone_numbers' is not valid"],
        [['+15551234567', 'string'], '\'phone\' is not valid (phone_numbers[1]: "string")'],
        [phones(phonesMax + 1), tooMany],
      ]
      for (const [given, message] of refused) {
        const { status, body } = await remove(given)
        assert.deepEqual([status, body.message], [400, message], JSON.stringify(given))
      }
    })
  })
}
