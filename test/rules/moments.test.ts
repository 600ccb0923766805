import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { formatMoment, parseMoment } from '../../src/people/values/moments.ts'
import { seed, sizes } from '../sizes.ts'

test('A moment is written with milliseconds or microseconds, and read to the microsecond.', () => {
  for (const [us, text] of [
    [0, '1970-01-01T00:00:00.000Z'],
    [1, '1970-01-01T00:00:00.000001Z'],
    [-1, '1969-12-31T23:59:59.999999Z'],
    [1_700_000_000_123_456, '2023-11-14T22:13:20.123456Z'],
    [-62_167_219_200_000_000, '0000-01-01T00:00:00.000Z'],
  ] as const) {
    assert.equal(formatMoment(us), text)
    assert.equal(parseMoment(text), us)
  }
  assert.equal(parseMoment('2023-11-14T22:13:20Z'), 1_700_000_000_000_000)
})

test('Every number of microseconds is the same after it is written and read.', () => {
  const near = fc.integer({ min: -(2 ** 52), max: 2 ** 52 })
  const far = fc.double({ min: -62_167_219_200_000_000, max: 253_402_300_799_000_000, noNaN: true }).map(Math.round)
  const property = fc.property(fc.oneof(near, far), (us) => assert.equal(parseMoment(formatMoment(us)), us || 0))
  fc.assert(property, { seed, numRuns: sizes.propertyRuns })
})

test('An invalid moment is refused.', () => {
  for (const text of [
    '',
    '2023-11-14',
    '2023-11-14T22:13:20',
    '2023-11-14T22:13:20+01:00',
    '2023-02-30T00:00:00Z',
    '2023-13-01T00:00:00Z',
    '2023-11-14T24:13:20Z',
    '2023-11-14T22:13:20.1Z',
    '2023-11-14T22:13:20.1234567Z',
    '+010000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '2023-11-14T22:13:20Z\n',
  ]) {
    assert.equal(parseMoment(text), undefined, text)
  }
})
