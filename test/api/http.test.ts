import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { pathParameterCharsMax } from '../../src/base/http/server.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, type Service, startService } from '../support/harness.ts'

let service: Service
before(async () => {
  // Half a second instead of the default of 15 and 30 seconds.
  service = await startService({ timeouts: { bodyMs: 500, headersMs: 500 } })
})
after(() => service[Symbol.asyncDispose]())

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const person = { attributes: [{ external_id: 'ada', first_name: 'Ada' }] }
const accepted = { attributes_processed: 1, message: 'success' }
const asked = { external_ids: ['ada'], fields_to_export: ['external_id'] }

function assertJson(answer: Answer, status: number, what?: string): void {
  assert.equal(answer.status, status, what ?? answer.text)
  assert.equal(answer.headers['content-type'], 'application/json')
  assert.equal(typeof answer.body?.message, 'string', answer.text)
  assert.match(String(answer.headers['x-request-id']), uuid)
}

/** A refusal by a track endpoint that is about no object: a message, and an empty `errors`. */
function assertTrackRefusal(answer: Answer, status: number, what?: string): void {
  assertJson(answer, status, what)
  assert.deepEqual(answer.body.errors, [], what ?? answer.text)
}

test('paths are found with trailing and doubled slashes', async () => {
  for (const path of [
    '/users/track',
    '/users/track/',
    '//users/track',
    '/users//track',
    '//users/track/',
    '/users/track?x=1',
  ]) {
    assert.deepEqual((await service.post(path, person)).body, accepted, path)
  }
})

test('a parameter of a path has at most 1,500 characters', async () => {
  for (const [characters, status] of [
    [pathParameterCharsMax - 1, 404],
    [pathParameterCharsMax, 404],
    [pathParameterCharsMax + 1, 400],
  ] as const) {
    const answer = await service.get(`/catalogs/${'a'.repeat(characters)}/items`)
    assertJson(answer, status, `${characters} characters`)
  }
})

test('an unknown path is 404, an unknown method of a path is 405 with the methods that it has', async () => {
  for (const path of ['/nothing', '/users', '/users/track/more', '/admin/', '/Users/Track']) {
    assertJson(await service.post(path, {}), 404, path)
    assertJson(await service.get(path), 404, path)
  }
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const answer = await service.send(method, '/users/track')
    assertJson(answer, 405, method)
    assert.equal(answer.headers.allow, 'POST')
  }
  const health = await service.post('/health', {})
  assertJson(health, 405)
  assert.equal(health.headers.allow, 'GET, HEAD')
})

test('a URL that cannot be decoded is 400', async () => {
  assertJson(await service.get('/users/%zz'), 400)
  assertJson(await service.get(`/admin/keys/${'x'.repeat(2000)}`, { key: service.adminToken }), 400)
})

test('HEAD is answered like GET, without a body', async () => {
  for (const path of ['/health', '/nothing']) {
    const [head, get] = [await service.send('HEAD', path), await service.get(path)]
    assert.equal(head.status, get.status)
    assert.equal(head.headers['content-length'], get.headers['content-length'])
    assert.equal(head.text, '')
  }
})

const types: readonly [type: string, accepted: boolean][] = [
  ['application/json', true],
  ['Application/JSON', true],
  ['application/json; charset=utf-8', true],
  ['application/json;charset="UTF-8"', true],
  ['application/json; version=1', true],
  ['application/json; version=1; charset=utf8', true],
  ['application/vnd.api+json', true],
  ['application/scim+json; charset=utf-8', true],
  ['application/json; charset=latin1', false],
  ['application/json; version=1; charset=utf-16', false],
  ['application/jsonp', false],
  ['text/json', false],
  ['text/plain', false],
  ['application/x-www-form-urlencoded', false],
  ['multipart/form-data; boundary=x', false],
  ['json', false],
  ['', false],
]

test('a body must be declared as JSON in UTF-8, else it is 415', async () => {
  for (const [type, accepts] of types) {
    const answer = await service.post('/users/track', person, { headers: { 'content-type': type } })
    if (accepts) assert.deepEqual(answer.body, accepted, type)
    else assertTrackRefusal(answer, 415, type)
  }
  const deflated = await service.post('/users/track', person, { headers: { 'content-encoding': 'deflate' } })
  assertTrackRefusal(deflated, 415)
  const other = await service.post('/users/export/ids', asked, { headers: { 'content-type': 'text/plain' } })
  assertJson(other, 415)
  assert.deepEqual(Object.keys(other.body), ['message'])
})

const malformed: readonly (string | Buffer)[] = [
  '{',
  '{"attributes": [}',
  "{'attributes': []}",
  '{"attributes": []} {}',
  '\u0000',
  '{"attributes": [{"external_id": "a\u0000"}]}',
  '{"attributes": [{"external_id": "\\ud80"}]}',
  '{"a": NaN}',
  '\ufeff{}',
  Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from('{"attributes": [{"external_id": "\xed\xa0\x80"}]}', 'latin1'),
]

test('a body that is not JSON is 400 with `message` and `error`', async () => {
  for (const body of malformed) {
    const track = await service.post('/users/track', body)
    assertTrackRefusal(track, 400, body.toString())
    assert.equal(track.body.error, track.body.message)
    const exported = await service.post('/users/export/ids', body)
    assertJson(exported, 400)
    assert.deepEqual(Object.keys(exported.body), ['message', 'error'])
  }
})

test('JSON of the wrong shape is 400 and changes nothing', async () => {
  for (const body of [
    '[]',
    '[{"attributes": []}]',
    'null',
    '1',
    '"text"',
    'true',
    '{}',
    '{"attributes": {}}',
    '{"events": 1}',
    '',
  ]) {
    assertTrackRefusal(await service.post('/users/track', body), 400, body)
    assertJson(await service.post('/users/export/ids', body), 400, body)
  }
})

test('the last member of an answer says success', async () => {
  const track = await service.post('/users/track', person)
  assertJson(track, 201)
  assert.equal(Object.keys(track.body).at(-1), 'message')
  const exported = await service.post('/users/export/ids', asked)
  assertJson(exported, 201)
  assert.equal(Object.keys(exported.body).at(-1), 'message')
  const clock = await service.get('/admin/clock', { key: service.adminToken })
  assertJson(clock, 200)
  assert.equal(Object.keys(clock.body).at(-1), 'message')
})

test('every answer has headers that restrict browsers', async () => {
  for (const answer of [
    await service.post('/users/track', person),
    await service.get('/nothing'),
    await service.get('/health'),
  ]) {
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.match(String(answer.headers['content-security-policy']), /^default-src 'none'; frame-ancestors 'none'/)
    assert.equal(answer.headers['access-control-allow-origin'], undefined)
  }
})

function head(length: number | string): string {
  const size = typeof length === 'number' ? `Content-Length: ${length}` : length
  const bearer = `Authorization: Bearer ${service.apiKey}`
  return `POST /users/track HTTP/1.1\r\nHost: easel\r\n${bearer}\r\nContent-Type: application/json\r\n${size}\r\n\r\n`
}

function assertLastAnswer(text: string, status: string): void {
  const last = text.slice(text.lastIndexOf('HTTP/1.1'))
  const [headers = '', body = ''] = last.split('\r\n\r\n')
  assert.ok(headers.startsWith(`HTTP/1.1 ${status}`), text)
  assert.match(headers, /^Content-Type: application\/json\r?$/im)
  assert.match(headers, /^X-Request-Id: [0-9a-f-]{36}\r?$/im)
  assert.match(headers, /^Connection: close\r?$/im)
  assert.equal(typeof JSON.parse(body).message, 'string')
}

test('a half-sent body is 408', async () => {
  const text = await service.raw([head(100), '{"attributes": ['])
  assertLastAnswer(text, '408')
  assert.match(text, /"errors":\[\]/)
})

test('a body that arrives too slowly is 408', async () => {
  const drops = Array.from({ length: 12 }, () => ' ')
  assertLastAnswer(await service.raw([head(1000), ...drops], 100), '408')
  assertLastAnswer(await service.raw([head('Transfer-Encoding: chunked'), '1\r\n{\r\n', '1\r\n}\r\n'], 300), '408')
})

test('headers that never end are 408', async () => {
  assertLastAnswer(await service.raw(['POST /users/track HTTP/1.1\r\nHost: easel\r\n']), '408')
})

test('an unauthenticated request is answered before its body has arrived', async () => {
  const text = await service.raw(['POST /users/track HTTP/1.1\r\nHost: easel\r\nContent-Length: 1000\r\n\r\n{"attri'])
  assert.match(text, /^HTTP\/1\.1 401/)
})

test('text that is not HTTP is answered in JSON', async () => {
  assertLastAnswer(await service.raw(['what is this?\r\n\r\n']), '400')
  assertLastAnswer(await service.raw([head('Content-Length: x')]), '400')
  assertLastAnswer(await service.raw([`GET / HTTP/1.1\r\nHost: easel\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`]), '431')
})

test('a client that disconnects in the middle does no harm', async () => {
  const { connect } = await import('node:net')
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  socket.write(`${head(1000)}{"attributes": [`)
  await eventually('the request is in flight', () => service.app.inFlight() === 1)
  socket.resetAndDestroy()
  await eventually('nothing is in flight', () => service.app.inFlight() === 0)
  assert.deepEqual((await service.post('/users/track', person)).body, accepted)
})

test('several requests on one connection are answered in their order', async () => {
  const body = JSON.stringify(person)
  const one = head(Buffer.byteLength(body)) + body
  const last = 'GET /health HTTP/1.1\r\nHost: easel\r\nConnection: close\r\n\r\n'
  const statuses = (await service.raw([one + one + last])).match(/HTTP\/1\.1 \d+/g)
  assert.deepEqual(statuses, ['HTTP/1.1 201', 'HTTP/1.1 201', 'HTTP/1.1 200'])
})

test('unknown members, parameters and headers are ignored', async () => {
  const answer = await service.post(
    '/users/track?api_key=x',
    { ...person, partner: 'x', api_key: 'y' },
    { headers: { 'x-bulk': 'true', accept: 'text/xml' } },
  )
  assert.deepEqual(answer.body, accepted)
})

test('unusual HTTP is answered in JSON too', async () => {
  const ask = (line: string, ...headers: string[]) =>
    service.raw([[line, 'Connection: close', ...headers, '', ''].join('\r\n')])
  assertLastAnswer(await ask('GET /health HTTP/1.1'), '200')
  assertLastAnswer(await ask('GET /health HTTP/1.1', 'Host: easel', 'Expect: a-miracle'), '200')
  assertLastAnswer(await ask('PROPFIND /health HTTP/1.1', 'Host: easel'), '404')
  assertLastAnswer(await ask('BREW /health HTTP/1.1', 'Host: easel'), '400')
  assertLastAnswer(await ask('GET http://easel/health HTTP/1.1', 'Host: easel'), '200')
  assertLastAnswer(await ask('GET /health HTTP/1.0'), '200')
})
