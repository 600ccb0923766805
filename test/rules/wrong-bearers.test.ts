import assert from 'node:assert/strict'
import test from 'node:test'
import {
  countedSourcesMax,
  openWrongBearers,
  unguessableCharacters,
  wrongBearersMax,
  wrongBearersWindowMs,
} from '../../src/base/http/wrong-bearers.ts'

const opened = () => {
  let nowMs = 0
  const wrong = openWrongBearers({ elapsed: () => nowMs })
  const counts = (ip: string, times: number) => {
    for (let n = 0; n < times; n++) wrong.count(ip)
  }
  return { ...wrong, counts, pass: (ms: number) => (nowMs += ms) }
}
const here = '192.0.2.1'
const refused = { kind: 'rateLimited', message: 'Too many unknown tokens came from this address' }
const short = 'x'.repeat(unguessableCharacters - 1)

test('the hundred and first wrong token of an address within a minute is refused', () => {
  const { count, counts, pass } = opened()
  counts(here, wrongBearersMax - 1)
  counts(here, 1)
  pass(wrongBearersWindowMs - 1)
  assert.throws(() => count(here), { ...refused, details: { retryAfterS: 1 } })
  assert.doesNotThrow(() => count('192.0.2.2'), 'another address')
  pass(1)
  assert.doesNotThrow(() => counts(here, wrongBearersMax), 'the next window')
  assert.throws(() => count(here), { ...refused, details: { retryAfterS: 60 } })
})

test('a token that could be guessed is refused from an address with too many wrong ones', () => {
  const { count, counts, check, pass } = opened()
  counts(here, wrongBearersMax)
  assert.doesNotThrow(() => check(here, short))
  assert.throws(() => count(here), refused)
  assert.throws(() => check(here, short), refused)
  assert.doesNotThrow(() => check(here, `${short}x`), 'a token that nobody can guess')
  assert.doesNotThrow(() => check('192.0.2.2', short), 'another address')
  pass(wrongBearersWindowMs)
  assert.doesNotThrow(() => check(here, short))
})

test('the addresses of an IPv6 network are one source', () => {
  const { count, counts } = opened()
  counts('2001:db8:1:2::1', wrongBearersMax)
  assert.throws(() => count('2001:0db8:0001:0002:ffff::9'), refused)
  assert.doesNotThrow(() => count('2001:db8:1:3::1'))
  assert.doesNotThrow(() => count(''), 'a connection that has ended')
})

test('so many sources are counted at a time, and the oldest is forgotten first', () => {
  const { count, counts } = opened()
  const source = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
  counts(source(0), wrongBearersMax)
  for (let n = 1; n < countedSourcesMax; n++) count(source(n))
  assert.throws(() => count(source(0)), refused)
  count(source(countedSourcesMax))
  assert.doesNotThrow(() => count(source(0)), 'it was forgotten')
  assert.doesNotThrow(() => counts(source(2), wrongBearersMax - 1))
  assert.throws(() => count(source(2)), refused, 'the others are still counted')
})
