import assert from 'node:assert/strict'
import test from 'node:test'
import { AttributeNameCache } from '../../src/people/profile/attribute-name-cache.ts'
import { typeBits } from '../../src/people/profile/attribute-types.ts'
import { many } from '../support/people.ts'

const { string, number } = typeBits
const rows = many(10, (i) => ({ name: `name ${i}`, types: string }))

test('a name has all types that were added', () => {
  const cache = new AttributeNameCache(10_000)
  cache.add(1, { name: 'a', types: string })
  cache.add(1, { name: 'a', types: number })
  assert.deepEqual([...cache.typesOf(1)], [['a', string | number]])
  assert.deepEqual([...cache.typesOf(2)], [])
})

// Ten names have 1,120 bytes.
for (const bytesMax of [100, 500, 1_100, 1_121, 1_500, 2_000, 10_000]) {
  test(`a full workspace is known with all of its names in a cache of ${bytesMax} bytes`, () => {
    const cache = new AttributeNameCache(bytesMax)
    for (const { name } of rows.slice(0, 5)) cache.add(2, { name, types: string })
    for (const row of rows.slice(0, 5)) cache.add(1, row)
    cache.addFull(1, rows)
    assert.ok(cache.isFull(1))
    assert.equal(cache.typesOf(1).size, rows.length)
    // What empties the cache forgets also that the workspace is full.
    for (let i = 0; cache.isFull(1) && i < 200; i++) cache.add(3, { name: `other ${i}`, types: string })
    assert.deepEqual([cache.isFull(1), cache.typesOf(1).size], [false, 0])
  })
}
