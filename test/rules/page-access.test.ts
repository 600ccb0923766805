import assert from 'node:assert/strict'
import test from 'node:test'
import { Failure } from '../../src/base/errors.ts'
import { acceptsCoding } from '../../src/base/http/accepted.ts'
import { checkReader } from '../../src/base/http/metrics.ts'

const token = 'metrics-token-of-the-tests-0123456789'
const right = { authorization: `Bearer ${token}` }

const readers: readonly [
  host: string,
  token: string | undefined,
  ip: string,
  headers: Record<string, string>,
  outcome: string,
][] = [
  ['127.0.0.1', undefined, '127.0.0.1', {}, 'read'],
  ['localhost', undefined, '127.0.0.1', {}, 'read'],
  ['::1', undefined, '::1', {}, 'read'],
  ['0.0.0.0', undefined, '192.0.2.1', {}, 'notFound'],
  ['0.0.0.0', undefined, '127.0.0.1', {}, 'notFound'],
  ['::', undefined, '::1', {}, 'notFound'],
  ['easel.example.com', undefined, '127.0.0.1', {}, 'notFound'],
  // A proxy on this machine has strangers behind it.
  ['127.0.0.1', undefined, '192.0.2.1', {}, 'notFound'],
  ['127.0.0.1', undefined, '127.0.0.1', { 'x-forwarded-for': '192.0.2.1' }, 'notFound'],
  ['127.0.0.1', undefined, '127.0.0.1', { forwarded: 'for=192.0.2.1' }, 'notFound'],
  ['0.0.0.0', token, '192.0.2.1', right, 'read'],
  ['127.0.0.1', token, '127.0.0.1', right, 'read'],
  ['127.0.0.1', token, '127.0.0.1', {}, 'unauthenticated'],
  ['0.0.0.0', token, '192.0.2.1', { authorization: `Bearer ${token}x` }, 'unauthenticated'],
  ['0.0.0.0', token, '192.0.2.1', { authorization: token }, 'unauthenticated'],
]

for (const [host, given, ip, headers, outcome] of readers) {
  const how = given === undefined ? 'no token' : `a token, sent ${JSON.stringify(headers).length > 2}`
  test(`/metrics of HOST ${host} with ${how} for ${ip} ${Object.keys(headers)}: ${outcome}`, () => {
    assert.equal(
      outcomeOf(() => checkReader({ headers, ip }, { token: given, host })),
      outcome,
    )
  })
}

function outcomeOf(check: () => void): string {
  try {
    check()
    return 'read'
  } catch (error) {
    assert.ok(error instanceof Failure)
    return error.kind
  }
}

const encodings: readonly [header: string | undefined, accepts: boolean][] = [
  [undefined, true],
  ['gzip', true],
  ['gzip, deflate, br, zstd', true],
  ['br;q=1.0, GZIP;q=0.5', true],
  ['*', true],
  ['identity', false],
  ['', false],
  ['br', false],
  ['gzip;q=0', false],
  ['*;q=0', false],
  ['*, gzip;q=0', false],
  ['gzip;q=x', false],
]

for (const [header, accepts] of encodings) {
  test(`Accept-Encoding ${header} ${accepts ? 'takes' : 'does not take'} gzip`, () => {
    assert.equal(acceptsCoding(header, 'gzip'), accepts)
  })
}
