import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { bodyBytesMax } from '../../src/base/http/body.ts'
import { type Answer, type Service, startService } from '../support/harness.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

const tooMany = 'Max Input Length Exceeded'
const nothingValid = "Valid data must be provided in the 'attributes', 'events', or 'purchases' fields."

function attributes(count: number): object {
  return { attributes: Array.from({ length: count }, (_, i) => ({ external_id: `limits-${i}`, visits: i })) }
}

/** Returns a track body of exactly this many bytes, spaces included. */
function bodyOf(bytes: number, external_id: string): string {
  const text = JSON.stringify({ attributes: [{ external_id }] })
  return text + ' '.repeat(bytes - text.length)
}

async function exists(external_id: string): Promise<boolean> {
  const { body } = await service.post('/users/export/ids', {
    external_ids: [external_id],
    fields_to_export: ['external_id'],
  })
  return body.users.length === 1
}

function assertFatal(answer: Answer, status: number, message?: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers['content-type'], 'application/json')
  assert.equal(typeof answer.body.message, 'string')
  if (message) assert.equal(answer.body.message, message)
  if (message !== nothingValid) assert.deepEqual(answer.body.errors, [])
}

test('a body of 4 MB is accepted, one byte more is 413 and changes nothing', async () => {
  for (const bytes of [bodyBytesMax - 1, bodyBytesMax]) {
    const answer = await service.post('/users/track', bodyOf(bytes, `large-${bytes}`))
    assert.equal(answer.status, 201, answer.text)
    assert.ok(await exists(`large-${bytes}`))
  }
  assertFatal(await service.post('/users/track', bodyOf(bodyBytesMax + 1, 'too-large')), 413)
  assert.ok(!(await exists('too-large')))
})

test('a body without a declared length is measured as it arrives', async () => {
  const piece = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
  const chunked = (body: string) =>
    `POST /users/track HTTP/1.1\r\nHost: easel\r\nConnection: close\r\nAuthorization: Bearer ${service.apiKey}\r\n` +
    `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${piece(body)}0\r\n\r\n`
  assert.match(await service.raw([chunked(bodyOf(bodyBytesMax, 'chunked'))]), /^HTTP\/1\.1 201/)
  assert.ok(await exists('chunked'))
  assert.match(await service.raw([chunked(bodyOf(bodyBytesMax + 1, 'chunked-too-large'))]), /^HTTP\/1\.1 413/)
  assert.ok(!(await exists('chunked-too-large')))
})

test('a body that is far too large is refused during the transfer, and memory stays bounded', async () => {
  const before = process.memoryUsage().rss
  const length = 100 * bodyBytesMax
  const head = `POST /users/track HTTP/1.1\r\nHost: easel\r\nAuthorization: Bearer ${service.apiKey}\r\nContent-Type: application/json\r\n`
  const text = await service.raw([`${head}Content-Length: ${length}\r\n\r\n`, ' '.repeat(100_000)])
  assert.match(text, /^HTTP\/1\.1 413/)
  assert.ok(process.memoryUsage().rss - before < length)
})

test('a request can have 50 updates, not 51', async () => {
  for (const count of [49, 50]) assert.equal((await service.post('/users/track', attributes(count))).status, 201)
  assertFatal(await service.post('/users/track', attributes(51)), 400, tooMany)
  const spread = { attributes: [{ external_id: 'a' }], events: Array.from({ length: 50 }, () => ({})) }
  assertFatal(await service.post('/users/track', spread), 400, tooMany)
})

test('the number of updates is a setting', async () => {
  await using wide = await startService({ env: { EASEL_BATCH_MAX_PER_ARRAY: '75' } })
  assert.equal((await wide.post('/users/track', attributes(75))).status, 201)
  assertFatal(await wide.post('/users/track', attributes(76)), 400, tooMany)
})

test('an external_id has at most 987 bytes', async () => {
  for (const id of ['x'.repeat(987), 'é'.repeat(493)]) {
    assert.equal((await service.post('/users/track', { attributes: [{ external_id: id }] })).status, 201)
    assert.ok(await exists(id))
  }
  for (const id of ['x'.repeat(988), 'é'.repeat(494)]) {
    const answer = await service.post('/users/track', { attributes: [{ external_id: id }] })
    assertFatal(answer, 400, nothingValid)
    assert.equal(answer.body.errors[0].type, "'external_id' must be fewer than 988 bytes")
  }
})

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const manyKeys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])))

const bad: readonly [what: string, item: string][] = [
  ['a depth of 60', `"deep": ${nested(60)}`],
  ['a depth of 100,000', `"deep": ${nested(100_000)}`],
  ['1,001 keys in one object', `"wide": ${manyKeys(1001)}`],
  ['NUL in a value', '"text": "a\\u0000b"'],
  ['NUL in a key', '"a\\u0000b": 1'],
  ['a lone surrogate', '"text": "\\ud800"'],
  ['a lone surrogate in a list', '"texts": ["\\udc00"]'],
  ['an integer of 1,001 digits', `"count": ${'7'.repeat(1001)}`],
  ['1e999', '"count": 1e999'],
]

for (const [what, member] of bad) {
  test(`an object with ${what} is refused alone`, async () => {
    const id = `bad-${what}`
    const text = `{"attributes": [{"external_id": ${JSON.stringify(id)}, ${member}}, {"external_id": "good"}]}`
    const { status, body } = await service.post('/users/track', text)
    assert.equal(status, 201)
    assert.equal(body.attributes_processed, 1)
    assert.equal(body.errors.length, 1)
    assert.match(body.errors[0].type, /^'.+' is not valid$/)
    assert.deepEqual([body.errors[0].input_array, body.errors[0].index], ['attributes', 0])
    assert.ok(!(await exists(id)))
    assert.ok(await exists('good'))
  })
}

test('keys that could reach the prototype of an object are dropped', async () => {
  const text =
    '{"attributes": [{"external_id": "proto", "__proto__": {"x": 1}, "constructor": 2, "kept": {"__proto__": 1, "ok": 1}}]}'
  assert.equal((await service.post('/users/track', text)).status, 201)
  const asked = { external_ids: ['proto'], fields_to_export: ['custom_attributes'] }
  const { body } = await service.post('/users/export/ids', asked)
  assert.equal(JSON.stringify(body.users), '[{"custom_attributes":{"kept":{"ok":1}}}]')
})
