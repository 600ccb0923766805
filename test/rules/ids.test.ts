import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { formatServiceId, generateToken, nextProfileId, parseServiceId, sameSecret } from '../../src/base/ids.ts'

const elapsedMs = Date.UTC(2026, 5, 1)
const bucketsMax = 4095

test('A profile id is a positive bigint that starts with its bucket.', () => {
  for (const bucket of [0, 1, 2048, bucketsMax]) {
    const id = BigInt(nextProfileId(bucket, elapsedMs))
    assert.ok(id >= 0n && id < 2n ** 63n)
    assert.equal(id >> 51n, BigInt(bucket))
  }
})

test('A process never makes the same profile id twice, however many it makes in one millisecond.', () => {
  const count = 10_000
  const ids = Array.from({ length: count }, () => nextProfileId(7, elapsedMs))
  assert.equal(new Set(ids).size, count)
  const later = Array.from({ length: count }, (_, i) => nextProfileId(7, elapsedMs + Math.floor(i / 3000)))
  assert.equal(new Set([...ids, ...later]).size, 2 * count)
})

test('Machine time that goes back does not bring old profile ids back.', () => {
  const before = Array.from({ length: 3000 }, () => nextProfileId(1, elapsedMs + 5000))
  const after = Array.from({ length: 3000 }, () => nextProfileId(1, elapsedMs))
  assert.equal(new Set([...before, ...after]).size, 6000)
})

test('A service id is 24 lower-case hex digits from which the profile id can be read.', () => {
  const secret = randomBytes(32)
  for (const bucket of [0, 9, bucketsMax]) {
    const profile_id = nextProfileId(bucket, elapsedMs)
    const service_id = formatServiceId(profile_id, secret)
    assert.match(service_id, /^[0-9a-f]{24}$/)
    assert.equal(parseServiceId(service_id, secret), profile_id)
  }
})

test('A service id of another installation has no profile id.', () => {
  const secret = randomBytes(32)
  const service_id = formatServiceId(nextProfileId(9, elapsedMs), secret)
  const other = service_id.startsWith('0') ? `1${service_id.slice(1)}` : `0${service_id.slice(1)}`
  for (const text of [other, service_id.toUpperCase().replace(/\d/g, 'A'), service_id.slice(1), `${service_id}0`, '']) {
    assert.equal(parseServiceId(text, secret), undefined, text)
  }
  assert.equal(parseServiceId(service_id, randomBytes(32)), undefined)
})

test('Tokens begin with their kind and are unique.', () => {
  assert.match(generateToken('easel_key'), /^easel_key_[\w-]{32}$/)
  assert.notEqual(generateToken('easel_key'), generateToken('easel_key'))
  assert.ok(sameSecret('one', 'one'))
  assert.ok(!sameSecret('one', 'two'))
})
