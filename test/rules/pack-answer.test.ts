import assert from 'node:assert/strict'
import test from 'node:test'
import { type Coding, chooseCoding, isPackable, packedBytesMin } from '../../src/base/http/pack-answer.ts'

const table: readonly [accepted: string | undefined, large: Coding | undefined, small: Coding | undefined][] = [
  [undefined, undefined, undefined],
  ['', undefined, undefined],
  ['gzip', 'gzip', undefined],
  ['x-gzip', 'gzip', undefined],
  ['GZIP', 'gzip', undefined],
  ['br', 'br', undefined],
  ['gzip, deflate, br, zstd', 'br', undefined],
  ['br;q=0.5, gzip;q=0.8', 'gzip', undefined],
  ['gzip;q=0.5, br;q=0.8', 'br', undefined],
  ['gzip;q=0', undefined, undefined],
  ['br;q=0, gzip', 'gzip', undefined],
  ['br;q=0.000, *', 'gzip', undefined],
  ['*', 'br', undefined],
  ['*;q=0', undefined, undefined],
  ['gzip;q=x', undefined, undefined],
  ['deflate, zstd', undefined, undefined],
  ['identity', undefined, undefined],
  ['identity, gzip;q=0.5', undefined, undefined],
  ['identity;q=0.5, gzip', 'gzip', undefined],
  ['gzip;q=0.5, identity;q=0.5', 'gzip', undefined],
  ['identity;q=0, gzip', 'gzip', 'gzip'],
  ['identity;q=0, br;q=0.1', 'br', 'br'],
  ['gzip, *;q=0', 'gzip', 'gzip'],
  ['identity;q=0', undefined, undefined],
]

for (const [accepted, large, small] of table) {
  test(`Accept-Encoding ${accepted}: a large answer is sent as ${large}, a small one as ${small}`, () => {
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted }
    for (const bytes of [packedBytesMin, packedBytesMin + 1]) assert.equal(chooseCoding(headers, bytes), large)
    assert.equal(chooseCoding(headers, packedBytesMin - 1), small)
    assert.equal(chooseCoding({ ...headers, cookie: 'easel_session=1' }, packedBytesMin), undefined)
  })
}

test('only text that is not packed yet is packed', () => {
  const types = { 'application/json': true, 'application/scim+json': true, 'text/html; charset=utf-8': true } as const
  for (const type of Object.keys(types)) assert.equal(isPackable({ 'Content-Type': type }), true, type)
  for (const type of ['application/zip', 'application/gzip', 'image/gif'])
    assert.equal(isPackable({ 'Content-Type': type }), false, type)
  assert.equal(isPackable({ 'Content-Type': 'text/javascript', 'Content-Encoding': 'gzip' }), false)
})
