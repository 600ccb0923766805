import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { wrongBearersMax } from '../../src/base/http/wrong-bearers.ts'
import { type Attacked, attackedService } from '../support/attacked.ts'
import { requestOrigin, scimToken } from '../support/harness.ts'
import { many } from '../support/people.ts'
import { assertServed } from '../support/waits.ts'

const shortKey = 'short-key-of-a-workspace-file'
const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } })
const attacker = '203.0.113.1'
const guessers = 8
const guessesOfEach = 50

let service: Attacked
before(async () => {
  service = await attackedService()
  await service.admin('POST', '/admin/keys', { name: 'short', key: shortKey, permissions: ['users.track'] })
})

const track = (key: string, ip: string) => service.post('/users/track', {}, { key, ...from(ip) })

test('wrong tokens of an address are throttled on every kind of route, and right ones are served from the same address', async () => {
  const guess = (n: number) => {
    const key = `guess-${n}`
    const paths = ['/users/export/ids', '/admin/apply', '/scim/v2/Users']
    return service.post(paths[n % paths.length]!, {}, { key, ...from(attacker) })
  }
  const statuses = []
  for (let n = 0; n <= wrongBearersMax + 2; n++) statuses.push((await guess(n)).status)
  assert.deepEqual(statuses, [...Array(wrongBearersMax).fill(401), 429, 429, 429])
  const refused = await guess(0)
  assert.equal(refused.body.message, 'Too many unknown tokens came from this address')
  assert.ok(Number(refused.headers['retry-after']) <= 60)
  const inScim = await guess(2)
  assert.deepEqual([inScim.status, inScim.body.status], [429, 429])

  assert.equal((await track(service.apiKey, attacker)).status, 400)
  const admin = await service.get('/admin/keys', { key: service.adminToken, ...from(attacker) })
  assert.equal(admin.status, 200)
  const headers = { 'x-forwarded-for': attacker, 'x-request-origin': requestOrigin }
  assert.equal((await service.get('/scim/v2/Users', { key: scimToken, headers })).status, 200)
  const none = await service.post('/users/track', {}, { key: null, ...from(attacker) })
  assert.equal(none.status, 401, 'a request without a token is no guess')
})

test('a short key cannot be found out from a throttled address, and works from others', async () => {
  assert.equal((await track(shortKey, attacker)).status, 429)
  assert.equal((await track('another-key-that-is-as-short', attacker)).status, 429)
  assert.equal((await track(shortKey, '203.0.113.2')).status, 400)
  assert.equal((await track('another-key-that-is-as-short', '203.0.113.2')).status, 401)
})

test('others are served while many addresses guess tokens', async (t) => {
  let guesses = 0
  const guess = async () => {
    for (let n = 0; n < guessesOfEach; n++) {
      const { status } = await track(`guess-${guesses}`, `198.51.100.${++guesses % 200}`)
      assert.ok([401, 429].includes(status), String(status))
    }
  }
  await assertServed(t, service, () => Promise.all(many(guessers, guess)))
})
