import assert from 'node:assert/strict'
import test from 'node:test'
import { cached } from '../../src/base/work/cached.ts'

test('a value is read once for all callers, and again when it is too old', async () => {
  let [nowMs, reads] = [0, 0]
  const read = cached(async () => ++reads, 100, { elapsed: () => nowMs })
  assert.deepEqual(await Promise.all([read(), read(), read()]), [1, 1, 1])
  for (const [atMs, expected] of [
    [99, 1],
    [100, 2],
    [199, 2],
    [201, 3],
  ] as const) {
    nowMs = atMs
    assert.equal(await read(), expected, `${atMs} ms`)
  }
})

test('a reading that fails is not kept', async () => {
  let fails = true
  const read = cached(
    async () => {
      if (fails) throw new Error('away')
      return 'there'
    },
    100,
    { elapsed: () => 0 },
  )
  await assert.rejects(read())
  fails = false
  assert.equal(await read(), 'there')
})
