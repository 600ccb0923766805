import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { seed, sizes } from '../sizes.ts'
import { drawDatabases } from '../support/harness.ts'
import { groups, peopleOf } from '../support/people.ts'

const requestsPerRun = 10

const names = [
  'subscription_groups',
  'subscription_group_id',
  'subscription_state',
  'use_double_opt_in_logic',
  'external_id',
  'external_ids',
  'email',
  'emails',
  'phone',
  'phones',
]
const queryNames = [
  ...names,
  'external_id[]',
  'email[]',
  'phone[]',
  'limit',
  'offset',
  'start_date',
  'end_date',
  'sort_direction',
]
const texts = fc.constantFrom(
  groups.news.id,
  groups.alerts.id,
  groups.bygone.id,
  'ann',
  'ann@example.com',
  '+15551234567',
  'subscribed',
  'unsubscribed',
  'opted_in',
  '2026-01-01',
  '2027-01-01',
  'asc',
  '7',
  '',
)
const value = fc.oneof(
  { weight: 6, arbitrary: texts },
  { weight: 4, arbitrary: fc.array(texts, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)
const item = fc
  .tuple(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 }), fc.boolean())
  .map(([given, sound]) =>
    sound ? { ...given, subscription_group_id: groups.news.id, subscription_state: 'subscribed' } : given,
  )
const body = fc
  .oneof(item, fc.record({ subscription_groups: fc.oneof(fc.array(item, { maxLength: 4 }), value) }), fc.jsonValue())
  .map((each) => JSON.stringify(each))
const odd = fc
  .tuple(body, fc.constantFrom('\\u0000', '\\ud800', '__proto__', '9'.repeat(400), '1e999', '"', '\u0000', '[', '{'))
  .map(([text, what]) => text.replace(/[a-z]+|\d+/, what))
const posted = fc.tuple(
  fc.constantFrom('/subscription/status/set', '/v2/subscription/status/set', '/email/status'),
  fc.oneof({ weight: 4, arbitrary: body }, { weight: 1, arbitrary: odd }),
)
const asked = fc
  .tuple(
    fc.constantFrom('/subscription/status/get', '/subscription/user/status', '/email/unsubscribes'),
    fc.array(fc.tuple(fc.constantFrom(...queryNames), fc.oneof(texts, fc.string())), { maxLength: 6 }),
    fc.boolean(),
  )
  .map(([path, pairs, sound]) => {
    const needed = sound ? [['subscription_group_id', groups.news.id] as [string, string]] : []
    return `${path}?${new URLSearchParams([...needed, ...pairs.map(([name, text]) => [name, text.toWellFormed()])])}`
  })

for (const database of drawDatabases('subscription-garbage')) {
  describe(`random requests about subscriptions and e-mail states (${database})`, () => {
    const people = peopleOf(database)

    test('are accepted or refused with a message, and never cause a 5xx', async () => {
      const requests = fc.array(fc.oneof(posted, asked), { minLength: requestsPerRun, maxLength: requestsPerRun })
      await fc.assert(
        fc.asyncProperty(requests, async (list) => {
          for (const request of list) {
            const answer = typeof request === 'string' ? await people.get(request) : await people.send(...request)
            const { status, text } = answer
            assert.ok([200, 201, 400].includes(status), `${JSON.stringify(request)}: ${status} ${text}`)
            assert.equal(answer.body.message === 'success', status !== 400, text)
          }
        }),
        { seed, numRuns: sizes.databasePropertyRuns },
      )
      await people.set({ external_id: 'ann', email: 'ann@example.com' })
      assert.equal((await people.get('/subscription/user/status?external_id=ann')).body.total_count, 1)
    })
  })
}
