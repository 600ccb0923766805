import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  formatToken,
  parseToken,
  type TokenPurpose,
  type TokenTarget,
  tokenLength,
} from '../../src/people/addresses/message-token.ts'

const secret = Buffer.alloc(32, 7)
const purposes = [
  'unsubscribe',
  'preferences',
  'open',
  'link',
  'bounce',
  'message',
] as const satisfies readonly TokenPurpose[]
const id = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String)
const anyTarget = fc.record({ profile_id: id, message_id: id }) as fc.Arbitrary<TokenTarget>
const anyIndex = fc.nat(1_000_000)

test('a token has its target, in either case, and fits in the local part of an address', () => {
  fc.assert(
    fc.property(anyTarget, fc.constantFrom(...purposes), anyIndex, (named, purpose, index) => {
      const token = formatToken(named, purpose, secret, index)
      assert.match(token, /^[0-9a-v]{52}$/)
      assert.deepEqual(parseToken(token, purpose, secret, index), { ...named })
      assert.deepEqual(parseToken(token.toUpperCase(), purpose, secret, index), { ...named })
      assert.ok(`unsubscribe+${token}`.length <= 64)
    }),
  )
})

test('a token is valid for its purpose, index and installation only', () => {
  fc.assert(
    fc.property(anyTarget, anyIndex, fc.integer({ min: 1, max: 99 }), (named, index, more) => {
      const token = formatToken(named, 'link', secret, index)
      for (const purpose of purposes) {
        if (purpose !== 'link') assert.equal(parseToken(token, purpose, secret, index), undefined)
      }
      assert.equal(parseToken(token, 'link', secret, index + more), undefined)
      assert.equal(parseToken(token, 'link', Buffer.alloc(32, 8), index), undefined)
    }),
  )
})

test('a token with a changed digit is invalid', () => {
  const token = formatToken({ profile_id: '4611686018427387904', message_id: '1' }, 'unsubscribe', secret)
  for (let i = 0; i < tokenLength; i++) {
    for (const digit of '0123456789abcdefghijklmnopqrstuv') {
      if (digit === token[i]) continue
      assert.equal(parseToken(token.slice(0, i) + digit + token.slice(i + 1), 'unsubscribe', secret), undefined)
    }
  }
})

test('a malformed token has no target', () => {
  const odd = [
    '',
    'x',
    '0'.repeat(51),
    '0'.repeat(53),
    'v'.repeat(52),
    'w'.repeat(52),
    '\u0000'.repeat(52),
    'İ'.repeat(52),
    '١'.repeat(52),
  ]
  for (const text of [...odd, '0'.repeat(52)]) assert.equal(parseToken(text, 'unsubscribe', secret), undefined, text)
})
