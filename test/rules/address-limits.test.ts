import assert from 'node:assert/strict'
import test from 'node:test'
import { countedAddressWindowsMax, openAddressLimits } from '../../src/base/http/address-limits.ts'

const opened = () => {
  let nowMs = 0
  const { take } = openAddressLimits({ elapsed: () => nowMs })
  return { take, pass: (ms: number) => (nowMs += ms) }
}
const here = '192.0.2.1'
const refused = { kind: 'rateLimited', message: 'Rate limit exceeded' }

test('each window of a limit holds for each address and key', () => {
  const { take, pass } = opened()
  const limit = { burst_per_second: 2, per_minute: 3 }
  take('a', here, limit)
  take('a', here, limit)
  assert.throws(() => take('a', here, limit), { ...refused, details: { retryAfterS: 1, headers: limitHeaders(2, 1) } })
  take('b', here, limit)
  take('a', '192.0.2.2', limit)
  pass(1_000)
  // What a second refuses does not count for the minute.
  take('a', here, limit)
  assert.throws(() => take('a', here, limit), {
    ...refused,
    details: { retryAfterS: 59, headers: limitHeaders(3, 60) },
  })
  take('a', here, 'unlimited')
  pass(59_000)
  take('a', here, limit)
})

test('so many windows are counted at a time, and the one that has been idle longest is forgotten first', () => {
  const { take } = opened()
  const limit = { per_minute: 1 }
  const address = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
  for (let n = 0; n < countedAddressWindowsMax; n++) take('a', address(n), limit)
  assert.throws(() => take('a', address(0), limit), refused)
  take('a', address(countedAddressWindowsMax), limit)
  assert.throws(() => take('a', address(0), limit), refused, 'it was used last')
  assert.doesNotThrow(() => take('a', address(1), limit), 'it was forgotten')
})

function limitHeaders(size: number, endS: number) {
  return { 'X-RateLimit-Limit': `${size}`, 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': `${endS}` }
}
