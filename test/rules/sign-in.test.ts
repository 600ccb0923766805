import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { createSessionCookie, readCookie } from '../../src/accounts/sessions/cookies.ts'
import { networkOf } from '../../src/accounts/sign-in/limit-attempts.ts'
import { openSignInLinks } from '../../src/accounts/sign-in/links.ts'
import { noRequest } from '../../src/base/call.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'

test('a cookie has the strictest flags that the public URL allows', () => {
  const flags = 'HttpOnly; SameSite=Lax'
  const table = {
    'http://127.0.0.1:8080': `easel_session=x; Max-Age=60; Path=/; ${flags}`,
    'https://easel.example': `__Host-easel_session=x; Max-Age=60; Path=/; ${flags}; Secure`,
    'https://example.com/easel': `easel_session=x; Max-Age=60; Path=/easel; ${flags}; Secure`,
  }
  for (const [publicUrl, expected] of Object.entries(table)) {
    assert.equal(createSessionCookie(publicUrl).set('x', 60), expected)
  }
})

test('a cookie that is sent twice is ignored', () => {
  const table: Record<string, string | undefined> = {
    'a=1': '1',
    'b=2; a=1': '1',
    'a=1;b=2': '1',
    'a=1=2': '1=2',
    'a=': '',
    'aa=1': undefined,
    'b=a=1': undefined,
    'a=1; a=2': undefined,
    'a=1; a=1': undefined,
    '': undefined,
  }
  for (const [header, value] of Object.entries(table)) assert.equal(readCookie(header, 'a'), value, header)
  assert.equal(readCookie(undefined, 'a'), undefined)
})

test('addresses of one /24 or /64 are one network, in any notation', () => {
  const same = [
    ['192.0.2.1', '192.0.2.254'],
    ['192.0.2.1', '::ffff:192.0.2.77'],
    ['2001:db8:1:2::1', '2001:0db8:0001:0002:ffff::9'],
  ]
  const apart = [
    ['192.0.2.1', '192.0.3.1'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['::1', '127.0.0.1'],
  ]
  for (const [one, other] of same) assert.equal(networkOf(one!), networkOf(other!))
  for (const [one, other] of apart) assert.notEqual(networkOf(one!), networkOf(other!))
})

test('a request for a link does not wait for the account, and at most two hundred are in progress', () => {
  const never = new Promise<never>(() => {})
  const links = openSignInLinks({
    db: { query: () => never } as unknown as Db,
    clock: systemClock(),
    log: pino({ level: 'silent' }),
    publicUrl: 'http://127.0.0.1',
    auditObserver: { note: () => undefined },
    sendNotice: () => never,
  })
  for (let i = 0; i < 200; i++) assert.equal(links.request(`ada.${i}@example.com`, noRequest), undefined)
  assert.throws(() => links.request('one.more@example.com', noRequest), { kind: 'unavailable' })
})
