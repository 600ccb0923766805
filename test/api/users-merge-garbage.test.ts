import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { seed, sizes } from '../sizes.ts'
import { drawDatabases } from '../support/harness.ts'
import { peopleOf } from '../support/people.ts'

const statusOf = { '/users/merge': 202, '/users/delete': 201, '/users/identify': 201 } as const
const bodiesPerRun = 10

const plausible = fc.constantFrom<unknown>(
  'ann',
  '',
  7,
  -0.5,
  2 ** 60,
  null,
  true,
  'ann@example.com',
  '+15551234567',
  ['identified'],
  ['unidentified', 'most_recently_updated'],
  ['ann', 7, null],
  { alias_name: 'ann', alias_label: 'shop' },
  [{ alias_name: 'ann', alias_label: 'shop' }],
  [{ email: 'ann@example.com', prioritization: ['identified'] }],
  'x'.repeat(100_000),
  Array(51).fill('ann'),
)
const value = fc.oneof(plausible, fc.jsonValue({ maxDepth: 3 }))
const words = [
  'external_id',
  'user_alias',
  'email',
  'phone',
  'service_id',
  'prioritization',
  'alias_name',
  'alias_label',
]
const naming = fc.oneof(fc.dictionary(fc.constantFrom(...words), value, { maxKeys: 3 }), value)
const update = fc.oneof(
  fc.record({ identifier_to_merge: naming, identifier_to_keep: naming }),
  fc.dictionary(fc.constantFrom('identifier_to_merge', 'identifier_to_keep', 'more'), naming),
  value,
)
const listOf = (item: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 4, arbitrary: fc.array(item, { maxLength: 4 }) }, { weight: 1, arbitrary: value })
const bodies = {
  '/users/merge': fc.record({ merge_updates: listOf(update) }),
  '/users/delete': fc.dictionary(
    fc.constantFrom('external_ids', 'user_aliases', 'service_ids', 'email_addresses', 'phone_numbers'),
    listOf(naming),
    { maxKeys: 2 },
  ),
  '/users/identify': fc.dictionary(
    fc.constantFrom('aliases_to_identify', 'emails_to_identify', 'phone_numbers_to_identify', 'merge_behavior'),
    listOf(naming),
    { maxKeys: 3 },
  ),
}
const request = fc.oneof(
  ...Object.entries(bodies).map(([path, body]) =>
    fc.tuple(
      fc.constant(path as keyof typeof statusOf),
      fc.oneof({ weight: 9, arbitrary: body }, { weight: 1, arbitrary: fc.jsonValue() }),
    ),
  ),
)
const escapes = fc.constantFrom('', '', '', '\\u0000', '\\ud800', '\\u001f', '__proto__')

for (const database of drawDatabases('users-merge-garbage')) {
  describe(`random input of merges, deletions and identifications (${database})`, () => {
    const people = peopleOf(database)

    test('every request is accepted or refused with a sentence, and accepted work is done', async () => {
      const property = fc.asyncProperty(
        fc.array(fc.tuple(request, escapes), { maxLength: bodiesPerRun }),
        async (sent) => {
          await people.set({ external_id: 'ann', email: 'ann@example.com', phone: '+15551234567' })
          await Promise.all(
            sent.map(async ([[path, body], more]) => {
              // Random text is added to one of the names.
              const answer = await people.send(
                path,
                JSON.stringify(body).replace(/ann|shop/, (text) => text + more),
              )
              assert.ok([400, statusOf[path]].includes(answer.status), `${path} ${answer.status} ${answer.text}`)
              assert.equal(answer.status !== 400, answer.body.message === 'success')
            }),
          )
          await people.settled()
        },
      )
      await fc.assert(property, { numRuns: sizes.databasePropertyRuns * 2, seed })
      const { counts } = await people.work('limit=1')
      assert.equal(counts.failed, 0)
      const metrics = (await people.service.get('/metrics')).text
      assert.match(metrics, /^easel_work_bisects_total 0$/m)
    })
  })
}
