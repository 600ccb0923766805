import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kept } from '../../src/base/work/kept.ts'

test('a value is read again when it is too old, when reading it failed, and when too many others came', async () => {
  const read = kept<number>(60, 2)
  let count = 0
  const next = async () => ++count
  assert.deepEqual(await Promise.all([read('a', 0, next), read('a', 0, next)]), [1, 1])
  assert.deepEqual([await read('a', 59, next), await read('a', 60, next), await read('a', 61, next)], [1, 2, 2])
  await assert.rejects(read('b', 61, () => Promise.reject(new Error('gone'))))
  assert.equal(await read('b', 61, next), 3)
  assert.equal(await read('c', 61, next), 4)
  assert.equal(await read('b', 61, next), 3)
  assert.equal(await read('a', 61, next), 5)
})
