import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { areIndependent, batchBytesMax, batchesOf, type TrackBatch, type TrackItem } from '../../cli/track-batches.ts'
import { bulkItemsMax, bulkItemsPerPersonMax } from '../../src/people/intake/schema.ts'
import { inputArrays } from '../../src/people/intake/split-track.ts'
import { seed, sizes } from '../sizes.ts'
import { many } from '../support/people.ts'

type Fields = Record<string, unknown>
type ArrayName = (typeof inputArrays)[number]

function itemOf(number: number, fields: Fields, array: ArrayName = 'attributes', text = ''): TrackItem {
  return { number, index: 0, text, array, fields }
}

async function batched(items: readonly TrackItem[]): Promise<TrackBatch[]> {
  async function* all() {
    yield* items
  }
  return Array.fromAsync(batchesOf(all()))
}

async function sizesOf(items: readonly TrackItem[]): Promise<number[]> {
  return (await batched(items)).map((batch) => batch.items.length)
}

test('A batch has at most 1,000 objects, 100 about one person, and 1.5 MB.', async () => {
  for (const [count, expected] of [
    [bulkItemsMax - 1, [999]],
    [bulkItemsMax, [1000]],
    [bulkItemsMax + 1, [1000, 1]],
  ] as const)
    assert.deepEqual(await sizesOf(many(count, (i) => itemOf(i + 1, { external_id: `p${i}` }))), expected)
  for (const [count, expected] of [
    [bulkItemsPerPersonMax - 1, [99]],
    [bulkItemsPerPersonMax, [100]],
    [bulkItemsPerPersonMax + 1, [100, 1]],
  ] as const)
    assert.deepEqual(await sizesOf(many(count, (i) => itemOf(i + 1, { external_id: 'p' }))), expected)
  for (const [bytes, expected] of [
    [batchBytesMax - 1, [2]],
    [batchBytesMax, [2]],
    [batchBytesMax + 1, [1, 1]],
  ] as const) {
    const items = [
      itemOf(1, { external_id: 'a' }, 'events', 'x'.repeat(10)),
      itemOf(2, { external_id: 'b' }, 'events', 'x'.repeat(bytes - 10)),
    ]
    assert.deepEqual(await sizesOf(items), expected)
  }
  assert.deepEqual(await sizesOf([itemOf(1, { external_id: 'a' }, 'events', 'x'.repeat(2 * batchBytesMax))]), [1])
})

test('Objects about one person stay in the order of the file, also when a request takes them in another.', async () => {
  const [a, b] = [{ external_id: 'a', email: 'A@example.com' }, { external_id: 'b' }]
  assert.deepEqual(await sizesOf([itemOf(1, a), itemOf(2, a, 'events'), itemOf(3, b), itemOf(4, b, 'purchases')]), [4])
  assert.deepEqual(await sizesOf([itemOf(1, a, 'events'), itemOf(2, b), itemOf(3, a)]), [2, 1])
  // An address may find the same person.
  assert.deepEqual(await sizesOf([itemOf(1, a, 'events'), itemOf(2, { email: 'a@example.com' })]), [1, 1])
})

test('Batches are in flight together when they are found in one way and share nobody.', async () => {
  const of = async (...fields: Fields[]) => (await batched(fields.map((each, i) => itemOf(i + 1, each))))[0]!.people
  const [a, b, mail] = [{ external_id: 'a' }, { external_id: 'b' }, { email: 'a@example.com' }]
  const cases: [Fields[], Fields[], boolean][] = [
    [[a], [b], true],
    [[a, b], [b], false],
    [[a], [mail], false],
    [[mail], [{ email: 'b@example.com' }], true],
    [[{ ...a, ...mail }], [{ ...b, ...mail }], false],
    [
      [{ user_alias: { alias_label: 'l', alias_name: 'a' } }],
      [{ user_alias: { alias_label: 'l', alias_name: 'b' } }],
      true,
    ],
    [[{ other_id: 'x' }], [{ other_id: 'y' }], false],
  ]
  for (const [one, other, expected] of cases)
    assert.equal(areIndependent(await of(...one), await of(...other)), expected)
})

test('What is sent from the start of a batch on does not depend on what came before.', async () => {
  const item = fc.record({
    person: fc.integer({ min: 0, max: 5 }),
    array: fc.constantFrom(...inputArrays),
    isBad: fc.boolean(),
    bytes: fc.constantFrom(1, 700_000),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 40 }), async (drawn) => {
      const items = drawn.map(({ person, array, isBad, bytes }, i): TrackItem => {
        const place = { number: 1 + (i >> 1), index: i % 2, text: 'x'.repeat(bytes) }
        return isBad ? { ...place, problem: 'bad' } : { ...place, array, fields: { external_id: `p${person}` } }
      })
      const all = await batched(items)
      assert.deepEqual(
        all.flatMap((batch) => batch.items),
        items.filter((each) => each.problem === undefined),
      )
      for (const [i, { start, next }] of all.entries()) {
        const rest = items.filter(
          ({ number, index }) => number > start.line || (number === start.line && index >= start.index),
        )
        assert.deepEqual(await batched(rest), all.slice(i))
        if (i + 1 < all.length) assert.deepEqual(next, all[i + 1]!.start)
      }
    }),
    { seed, numRuns: sizes.propertyRuns / 10 },
  )
})
