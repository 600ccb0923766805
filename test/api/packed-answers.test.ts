import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { packedBytesMin } from '../../src/base/http/pack-answer.ts'
import { type Service, startService } from '../support/harness.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

type Got = { status: number; headers: import('node:http').IncomingHttpHeaders; body: Buffer }

function fetchRaw(method: string, path: string, headers: Record<string, string>, body?: object): Promise<Got> {
  const { promise, resolve, reject } = Promise.withResolvers<Got>()
  const sent = request(`${service.url}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
  })
  sent.on('error', reject).on('response', async (response) => {
    const answer = Buffer.concat(await response.toArray())
    resolve({ status: response.statusCode!, headers: response.headers, body: answer })
  })
  sent.end(body && JSON.stringify(body))
  return promise
}

const unpack = { br: brotliDecompressSync, gzip: gunzipSync }

test('a large answer is packed as the client asks, and unpacked it is the same', async () => {
  const plain = await fetchRaw('GET', '/openapi.json', {})
  assert.ok(plain.body.length > packedBytesMin)
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(plain.headers['content-length'], String(plain.body.length))
  assert.equal(plain.headers.vary, 'Accept-Encoding')
  for (const coding of ['br', 'gzip'] as const) {
    const packed = await fetchRaw('GET', '/openapi.json', { 'Accept-Encoding': coding })
    assert.equal(packed.headers['content-encoding'], coding)
    assert.equal(packed.headers.vary, 'Accept-Encoding')
    assert.equal(packed.headers['content-length'], undefined)
    assert.ok(packed.body.length < plain.body.length / 3)
    assert.ok(unpack[coding](packed.body).equals(plain.body))
    const head = await fetchRaw('HEAD', '/openapi.json', { 'Accept-Encoding': coding })
    assert.deepEqual([head.status, head.headers['content-encoding'], head.body.length], [200, coding, 0])
    assert.equal(head.headers['content-type'], packed.headers['content-type'])
  }
})

test('an export of people is packed; small answers are not, unless the client refuses them so', async () => {
  const key = { Authorization: `Bearer ${service.apiKey}` }
  const ids = Array.from({ length: 50 }, (_, i) => `packed-${i}`)
  const attributes = ids.map((external_id) => {
    const text = external_id.repeat(25)
    return { external_id, one: text, two: text, three: text }
  })
  const tracked = await fetchRaw('POST', '/users/track', { ...key, 'Accept-Encoding': 'gzip, br' }, { attributes })
  assert.equal(tracked.headers['content-encoding'], undefined)
  assert.equal(tracked.headers.vary, undefined)
  const asked = { external_ids: ids, fields_to_export: ['external_id', 'custom_attributes'] }
  const exported = await fetchRaw('POST', '/users/export/ids', { ...key, 'Accept-Encoding': 'gzip' }, asked)
  assert.equal(exported.headers['content-encoding'], 'gzip')
  assert.equal(JSON.parse(gunzipSync(exported.body).toString()).users.length, 50)
  const refusing = { 'Accept-Encoding': 'gzip, identity;q=0' }
  const health = await fetchRaw('GET', '/health', refusing)
  assert.equal(health.headers['content-encoding'], 'gzip')
  assert.equal(JSON.parse(gunzipSync(health.body).toString()).message, 'success')
})

test('an answer to a request with a cookie is not packed', async () => {
  const headers = { 'Accept-Encoding': 'gzip, br', Cookie: 'theme=dark' }
  const { headers: got, body } = await fetchRaw('GET', '/openapi.json', headers)
  assert.equal(got['content-encoding'], undefined)
  assert.equal(got['content-length'], String(body.length))
})

test('a client that leaves in the middle of a packed answer harms nobody', async () => {
  await new Promise<void>((resolve) => {
    const sent = request(`${service.url}/openapi.json`, { headers: { 'Accept-Encoding': 'br' } })
    sent.on('response', (response) => response.once('data', () => sent.destroy())).on('close', resolve)
    sent.on('error', () => {}).end()
  })
  assert.equal((await fetchRaw('GET', '/health', {})).status, 200)
})
