import assert from 'node:assert/strict'
import test from 'node:test'
import { invalid } from '../../src/base/errors.ts'
import { removeItems, trackPartially } from '../../src/emulator/faults/partial-track.ts'

const body = { attributes: ['a', 'b', 'c'], events: ['x', 'y'] }

test('objects are removed from their arrays, and positions are those of the request', () => {
  const partial = removeItems(body, [
    { input_array: 'attributes', index: 0 },
    { input_array: 'events', index: 1, type: 'no' },
    { input_array: 'purchases', index: 0 },
    { input_array: 'attributes', index: 9 },
  ])!
  assert.deepEqual(partial.body, { attributes: ['b', 'c'], events: ['x'] })
  assert.deepEqual(
    partial.errors.map(({ input_array, index }) => [input_array, index]),
    [
      ['attributes', 0],
      ['events', 1],
    ],
  )
  assert.equal(partial.positionOf('attributes', 1), 2)
  assert.equal(partial.positionOf('purchases', 3), 3)
  assert.ok(!partial.isEmpty)
  for (const other of [undefined, null, [], 5, 'text']) assert.equal(removeItems(other, []), undefined)
})

test('errors and notices of the verb get the positions of the request, and processed plus errors are what was sent', async () => {
  const reply = await trackPartially(body, [{ input_array: 'attributes', index: 0 }], async () => ({
    attributes_processed: 1,
    events_processed: 2,
    errors: [{ type: 'own', input_array: 'attributes', index: 1 }],
    notices: [{ input_array: 'attributes', index: 0, member: 'm', reason: 'r' }],
    message: 'success',
  }))
  assert.deepEqual(reply, {
    attributes_processed: 1,
    events_processed: 2,
    errors: [
      { type: 'An ordered fault refuses this object', input_array: 'attributes', index: 0 },
      { type: 'own', input_array: 'attributes', index: 2 },
    ],
    notices: [{ input_array: 'attributes', index: 1, member: 'm', reason: 'r' }],
    message: 'success',
  })
})

test('a count is 0 where every object of an array is refused', async () => {
  const items = [0, 1].map((index) => ({ input_array: 'events' as const, index }))
  const reply = (await trackPartially(body, items, async () => ({
    attributes_processed: 3,
    message: 'success',
  }))) as object
  assert.equal((reply as { events_processed: number }).events_processed, 0)
})

test('when the verb refuses the rest, both kinds of errors are in the refusal', async () => {
  const refused = trackPartially(body, [{ input_array: 'attributes', index: 0 }], async () => {
    throw invalid('No valid items were provided', [{ type: 'own', input_array: 'attributes', index: 0 }])
  })
  await assert.rejects(refused, ({ details }: { details: { errors: { index: number }[] } }) => {
    assert.deepEqual(
      details.errors.map(({ index }) => index),
      [0, 1],
    )
    return true
  })
})
