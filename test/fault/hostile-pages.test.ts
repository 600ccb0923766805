import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { finished } from 'node:stream/promises'
import test from 'node:test'
import { attackedService } from '../support/attacked.ts'
import { startService } from '../support/harness.ts'
import { many } from '../support/people.ts'
import { assertServed } from '../support/waits.ts'

const open = { key: null }
const script = '/docs/reference.js'

test('clients that fetch the script of /docs delay no other request', async (t) => {
  const attacked = await attackedService()
  const fetchScript = async () => {
    for (let i = 0; i < 10; i++) {
      const response = once(get(`${attacked.url}${script}`), 'response') as Promise<[IncomingMessage]>
      const [message] = await response
      assert.equal(message.statusCode, 200)
      await finished(message.resume())
    }
  }
  await assertServed(t, attacked, () => Promise.all(many(8, () => fetchScript())))
})

test('the script of /docs is one compressed text with an ETag', async () => {
  await using service = await startService()
  const response = await fetch(`${service.url}${script}`)
  const text = await response.text()
  assert.ok(text.length > 1_000_000 && text.includes('api-reference'))
  const etag = response.headers.get('etag') ?? ''
  const length = response.headers.get('content-length') ?? ''
  assert.equal(response.headers.get('content-encoding'), 'gzip')
  assert.ok(Number(length) < text.length / 2, length)
  for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await service.get(script, { key: null, headers: { 'if-none-match': sent } })
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag])
  }
  const other = await service.get(script, { key: null, headers: { 'if-none-match': '"other"' } })
  assert.equal(other.status, 200)
  const plain = await service.get(script, { key: null, headers: { 'accept-encoding': 'identity' } })
  assert.equal(plain.status, 406)
})

test('metrics need their token when there is one', async () => {
  const token = 'metrics-token-of-the-tests-0123456789'
  await using service = await startService({ env: { EASEL_METRICS_TOKEN: token } })
  assert.equal((await service.get('/metrics', { key: token })).status, 200)
  for (const key of [null, service.adminToken, service.apiKey]) {
    const { status, headers } = await service.get('/metrics', { key })
    assert.deepEqual([status, headers['www-authenticate']], [401, 'Bearer'])
  }
})

test('metrics are off when HOST is not a loopback address and there is no token', async () => {
  await using service = await startService({ env: { HOST: '0.0.0.0' } })
  const { status, body } = await service.get('/metrics', open)
  assert.equal(status, 404)
  assert.match(body.message, /EASEL_METRICS_TOKEN/)
})
