import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import test, { after, before } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { type Service, startService } from '../support/harness.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

const wrongKey = 'easel_key_that_nobody_made'

test('a refused key is not repeated, and the answer names the scheme', async () => {
  const { headers, text } = await service.post('/users/track', {}, { key: wrongKey })
  assert.equal(headers['www-authenticate'], 'Bearer')
  assert.ok(!text.includes(wrongKey))
})

const schemes: readonly [header: string, status: number][] = [
  ['Bearer KEY', 400],
  ['bearer KEY', 400],
  ['BEARER  KEY ', 400],
  ['KEY', 401],
  ['Basic KEY', 401],
  ['Bearer', 401],
  ['Bearer KEY KEY', 401],
  ['', 401],
]

test('the key is read from a bearer token and from nowhere else', async () => {
  for (const [header, status] of schemes) {
    const authorization = header.replaceAll('KEY', service.apiKey)
    const answer = await service.post('/users/track', {}, { key: null, headers: { authorization } })
    assert.equal(answer.status, status, header)
  }
  const inQuery = await service.post(
    `/users/track?api_key=${service.apiKey}`,
    { api_key: service.apiKey },
    { key: null },
  )
  assert.equal(inQuery.status, 401)
})

const addresses: readonly [allowed: string[], from: string, allows: boolean][] = [
  [['127.0.0.1'], '127.0.0.1', true],
  [['127.0.0.1'], '127.0.0.2', false],
  [['127.0.0.0/30'], '127.0.0.2', true],
  [['127.0.0.0/30'], '127.0.0.4', false],
  [['10.0.0.0/8', '127.0.0.7'], '127.0.0.7', true],
  [['::1', '2001:db8::/32'], '127.0.0.1', false],
  [['0.0.0.0/0'], '127.0.0.9', true],
]

// Every 127.x address belongs to this machine on Linux; elsewhere only the first does.
const manyAddresses = process.platform === 'linux'

test('a key with an allow-list is accepted from its addresses and networks only', {
  skip: manyAddresses ? false : 'needs 127.0.0.2',
}, async () => {
  for (const [allowed, from, allows] of addresses) {
    const key = await service.key(['users.track'], allowed)
    const { status } = await service.post('/users/track', {}, { key, from })
    assert.equal(status, allows ? 400 : 403, `${from} with ${allowed}`)
  }
})

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))

test('an IPv4 client on an IPv6 socket counts as IPv4', {
  skip: hasIpv6 ? false : 'this machine has no IPv6',
}, async () => {
  await using service = await startService({ env: { HOST: '::' } })
  const port = new URL(service.url).port
  const key = await service.key(['users.track'], ['127.0.0.0/8'])
  const response = await fetch(`http://127.0.0.1:${port}/users/track`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  })
  assert.equal(response.status, 400, await response.text())
})

test('a deleted key is soon refused by every process', async () => {
  const { body } = await service.admin('POST', '/admin/keys', { name: 'short-lived', permissions: ['users.track'] })
  const { id, key } = body.key
  assert.equal((await service.post('/users/track', {}, { key })).status, 400)
  await service.admin('DELETE', `/admin/keys/${id}`)
  await eventually('the key is refused', async () => (await service.post('/users/track', {}, { key })).status === 401)
})
