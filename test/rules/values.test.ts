import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ExactNumber, numberCharactersMax } from '../../src/base/exact-number.ts'
import { parseJson } from '../../src/base/parse-json.ts'
import {
  broken,
  collapse,
  depthMax,
  fits,
  holdsNull,
  holdsTime,
  holdsUnsafeKey,
  inspect,
  isLong,
  type Json,
  keysMax,
  long,
  oddKey,
  tidy,
  wide,
} from '../../src/people/values/values.ts'
import { seed, sizes } from '../sizes.ts'

/** Returns a value inside this many arrays or objects. */
function nested(containers: number, member?: string): unknown {
  let value: unknown = 1
  for (let i = 0; i < containers; i++) value = member === undefined ? [value] : { [member]: value }
  return value
}

function withKeys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))
}

/** Returns the bytes of a value as JSON in which `1e300` has 301 digits. */
function bytesWithoutExponents(value: unknown): number {
  const json = JSON.stringify(value, (_key, each) => {
    if (typeof each !== 'number') return each
    const [digits, exponent] = String(each).split('e')
    if (exponent === undefined) return each
    const sign = each < 0 ? 1 : 0
    const count = digits!.replaceAll(/[-.]/g, '').length
    const characters = exponent.startsWith('-') ? 1 - Number(exponent) + count : Number(exponent) + 1
    return JSON.rawJSON('7'.repeat(sign + characters))
  })
  return Buffer.byteLength(json)
}

describe('values', () => {
  test('at most fifty arrays and objects may be inside each other', () => {
    for (const member of [undefined, 'm']) {
      assert.equal(inspect(nested(depthMax - 1, member), false), 0)
      assert.equal(inspect(nested(depthMax, member), false), 0)
      assert.equal(inspect(nested(depthMax + 1, member), false), broken)
    }
    assert.equal(inspect(nested(100_000), false), broken)
  })

  test('an object has at most a thousand keys', () => {
    assert.equal(inspect(withKeys(keysMax - 1), false), 0)
    assert.equal(inspect(withKeys(keysMax), false), 0)
    assert.equal(inspect(withKeys(keysMax + 1), false), broken)
    assert.equal(inspect([{ deep: withKeys(keysMax + 1) }], false), broken)
  })

  test('a number that cannot be stored refuses its object', () => {
    for (const number of [
      0,
      -0,
      1.5,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
      4_503_599_627_370_495.5,
      2 ** 53,
      new ExactNumber('12345678901234567890'),
    ]) {
      assert.equal(inspect({ a: [number] }, false), 0, String(number))
    }
    for (const number of [-1e-300, Number.MAX_VALUE]) assert.equal(inspect({ a: [number] }, false), wide)
    for (const text of ['1e999', '-1e999', '7'.repeat(400), `1.${'7'.repeat(numberCharactersMax)}`]) {
      assert.equal(inspect(parseJson(`{"a":[${text}]}`), false), broken, text)
    }
  })

  test('NUL and lone surrogates in texts and keys refuse their object', () => {
    for (const text of ['\u0000', 'a\u0000b', '\ud800', 'a\udfff', '\ude00\ud83d']) {
      assert.equal(inspect([text], true), broken)
      assert.equal(inspect({ a: { [text]: 1 } }, true), broken)
    }
    assert.equal(inspect(['😀', '\ufffd'], true), 0)
    assert.equal(inspect(['\u0001'], true), wide)
  })

  test('texts and keys of 256 characters are too long, however many UTF-16 units they have', () => {
    for (const character of ['a', 'ü', '😀']) {
      assert.equal(inspect(character.repeat(254), false), 0)
      assert.equal(inspect(character.repeat(255), false), 0)
      assert.equal(inspect(character.repeat(256), false), long)
      assert.equal(inspect({ [character.repeat(255)]: 1 }, false), 0)
      assert.equal(inspect({ [character.repeat(256)]: 1 }, false), long)
    }
    assert.ok(isLong(`${'😀'.repeat(255)}a`))
    assert.ok(!isLong(`${'😀'.repeat(254)}a`))
  })

  test('null, odd keys and times are reported from any depth', () => {
    assert.equal(inspect({ a: [{ b: null }] }, false), holdsNull)
    for (const key of ['', 'a b', 'a.b', '$a', 'a$']) assert.equal(inspect([{ [key]: 1 }], false), oddKey, key)
    assert.equal(inspect({ a: { $time: '2020-01-01' } }, false), holdsTime)
    for (const time of ['soon', '2020-02-30', '3001-01-01', 5, {}, null]) {
      assert.ok(inspect({ a: { $time: time } }, false) & oddKey, String(time))
    }
    assert.ok(inspect({ $time: '2020-01-01', other: 1 }, false) & oddKey)
  })

  test('keys that reach a prototype are reported and not copied', () => {
    const value = JSON.parse(
      '{"a":{"__proto__":{"x":1},"constructor":2,"prototype":3,"b":[{"__proto__":1}]},"t":{"$time":"2020-01-01"}}',
    )
    assert.equal(inspect(value, true), holdsUnsafeKey | holdsTime)
    assert.deepEqual(tidy(value), { a: { prototype: 3, b: [{}] }, t: '2020-01-01' })
  })

  test('an array keeps each scalar at its last position, and every object', () => {
    assert.deepEqual(collapse(['hotdog', 'hotdog', 'hotdog', 'pizza']), ['hotdog', 'pizza'])
    assert.deepEqual(collapse(['a', 'b', 'a']), ['b', 'a'])
    assert.deepEqual(collapse([1, '1', true, 1]), ['1', true, 1])
    const twin = { a: 1 }
    assert.deepEqual(collapse([twin, 1, twin, 1]), [twin, twin, 1])
    assert.deepEqual(collapse([]), [])
  })

  test('a value fits exactly when its JSON fits, for every value and size', () => {
    const property = fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 200 }), (value, bytes) => {
      assert.equal(fits(value as Json, bytes), bytesWithoutExponents(value) <= bytes)
    })
    fc.assert(property, { seed, numRuns: sizes.propertyRuns })
    const exact = Buffer.byteLength(JSON.stringify({ a: ['\u0001', '€', '-0.00000015'] })) - 2
    for (const bytes of [exact - 1, exact, exact + 1])
      assert.equal(fits({ a: ['\u0001', '€', -1.5e-7] }, bytes), bytes >= exact)
  })

  test('a copy of clean JSON is equal to it', () => {
    const property = fc.property(fc.jsonValue(), (value) => {
      const parsed = JSON.parse(JSON.stringify(value))
      if (inspect(parsed, true) & (holdsUnsafeKey | holdsTime | broken)) return
      assert.deepEqual(tidy(parsed), parsed)
    })
    fc.assert(property, { seed, numRuns: sizes.propertyRuns })
  })
})
