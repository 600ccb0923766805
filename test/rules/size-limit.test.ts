import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AttributeChange, blankChange } from '../../src/people/profile/attributes.ts'
import { addWithinLimit, isTooLarge, profileBytesMax, refusedChanges } from '../../src/people/profile/size-limit.ts'
import { type Json, storedBytes } from '../../src/people/values/values.ts'

const set = (custom: Record<string, Json>): AttributeChange => ({ ...blankChange(), custom })
const remove = (...removed: string[]): AttributeChange => ({ ...blankChange(), removed })
const state = (custom: Record<string, Json>) => ({ custom, typed: {} })
/** Attributes whose JSON has this many bytes: `{"k":"xxx"}`. */
const sized = (bytes: number) => ({ k: 'x'.repeat(bytes - 8) })

describe('the size of a profile', () => {
  for (const [bytes, refused] of [
    [profileBytesMax - 1, false],
    [profileBytesMax, false],
    [profileBytesMax + 1, true],
  ] as const) {
    test(`of ${bytes} bytes is ${refused ? 'refused' : 'accepted'}`, () => {
      assert.equal(isTooLarge(state(sized(bytes))), refused)
      assert.equal(refusedChanges(state({}), [set(sized(bytes))]).length, refused ? 1 : 0)
    })
  }

  test('counts numbers as the database writes them, without exponents', () => {
    // `{"n":[1000…,0.000…1,"xxx"]}` with 301 and 302 characters.
    const withNumbers = (bytes: number) => ({ n: [1e300, 1e-300, 'x'.repeat(bytes - 12 - 301 - 302)] })
    for (const [bytes, refused] of [
      [999, false],
      [1000, false],
      [1001, true],
    ] as const) {
      const custom = withNumbers(bytes)
      assert.equal(storedBytes(custom), bytes)
      assert.equal(isTooLarge(state(custom), 1000), refused)
      assert.equal(refusedChanges(state({}), [set(custom)], 1000).length, refused ? 1 : 0)
      assert.equal(Object.keys(addWithinLimit({}, custom, 1000)).length, refused ? 0 : 1)
    }
  })

  test('is counted change by change', () => {
    const limit = 40
    const changes = [set({ a: 'x'.repeat(20) }), set({ b: 'x'.repeat(20) }), remove('a'), set({ b: 'x'.repeat(20) })]
    assert.deepEqual(refusedChanges(state({}), changes, limit), [changes[1]])
    assert.deepEqual(refusedChanges(state({ c: 1 }), changes, limit), [changes[1]])
  })

  test('counts what an operation adds', () => {
    const add = (text: string): AttributeChange => ({
      ...blankChange(),
      operations: [{ kind: 'array', key: 'a', add: [text], remove: [], removeWhere: [], update: [], merging: false }],
    })
    const changes = [add('x'.repeat(10)), add('y'.repeat(10)), add('z')]
    assert.deepEqual(refusedChanges(state({}), changes, 30), [changes[1]])
  })

  test('can get smaller when it is over the limit', () => {
    const before = state({ a: 'x'.repeat(50), b: 'y'.repeat(50) })
    const smaller = set({ a: 'x'.repeat(49) })
    const larger = set({ a: 'x'.repeat(51) })
    assert.deepEqual(refusedChanges(before, [smaller, larger], 40), [larger])
  })

  test('counts characters as the bytes of their JSON', () => {
    assert.equal(refusedChanges(state({}), [set({ k: 'é'.repeat(10) })], 27).length, 1)
    assert.equal(refusedChanges(state({}), [set({ k: 'é'.repeat(10) })], 28).length, 0)
    assert.equal(refusedChanges(state({}), [set({ k: '"'.repeat(10) })], 27).length, 1)
  })

  test('limits what a merge adds, and keeps what the profile has', () => {
    const kept = { a: 'x'.repeat(20) }
    assert.deepEqual(addWithinLimit(kept, { a: 1, b: 2 }), { a: kept.a, b: 2 })
    assert.deepEqual(addWithinLimit(kept, { b: 'y'.repeat(20), c: 3 }, 40), { a: kept.a, c: 3 })
  })
})
