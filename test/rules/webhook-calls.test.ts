import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryAfterOf, saidBytesMax } from '../../src/base/fetch/answers.ts'
import { FetchError } from '../../src/base/fetch/fetch-error.ts'
import { webhook } from '../../src/messaging/channels/webhook/channel.ts'
import { readWebhook } from '../../src/messaging/channels/webhook/content.ts'
import { askedMsMax, outcomeOfCall } from '../../src/messaging/channels/webhook/outcome.ts'
import {
  callKey,
  callRequest,
  receiverOf,
  renderedRequest,
  webhookTexts,
} from '../../src/messaging/channels/webhook/request.ts'
import { busyForMs, callsMax, putOffForMs, webhookRetry } from '../../src/messaging/channels/webhook/retry.ts'
import { outcomeOfSend } from '../../src/messaging/delivery/send-outcome.ts'
import type { LeasedMessage } from '../../src/messaging/messages/message.ts'

const nowMs = Date.UTC(2027, 2, 1, 12)
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const url = 'https://example.com'
const answer = (status: number, headers = {}, body = '') => ({ status, headers, body: Buffer.from(body), url })

test('the status of an answer decides what becomes of a call', () => {
  const kindOf = (status: number) => outcomeOfCall(answer(status)).kind
  for (const status of [200, 201, 204, 299]) assert.equal(kindOf(status), 'accepted', `${status}`)
  for (const status of [408, 425, 500, 501, 503, 599]) assert.equal(kindOf(status), 'deferred', `${status}`)
  assert.equal(kindOf(429), 'busy')
  for (const status of [300, 302, 304, 399, 400, 401, 404, 410, 418, 499])
    assert.equal(kindOf(status), 'refused', `${status}`)
})

test('an error says whether the receiver may have taken the call', () => {
  const kindOf = (...error: ConstructorParameters<typeof FetchError>) => outcomeOfCall(new FetchError(...error)).kind
  assert.equal(kindOf('host', 'not known'), 'unreached')
  assert.equal(kindOf('unreachable', 'x', { code: 'ECONNREFUSED' }), 'unreached')
  assert.equal(kindOf('timeout', 'x', { code: 'UND_ERR_CONNECT_TIMEOUT' }), 'unreached')
  // The certificate of a receiver with a private authority: nothing was sent.
  assert.equal(kindOf('unreachable', 'x', { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }), 'unreached')
  assert.equal(kindOf('unreachable', 'x', { code: 'UND_ERR_SOCKET' }), 'uncertain')
  assert.equal(kindOf('timeout', 'late'), 'uncertain')
  assert.equal(kindOf('closed', 'stopping'), 'uncertain')
  for (const reason of ['url', 'request', 'port', 'address', 'redirects'] as const) {
    assert.equal(kindOf(reason, 'x'), 'refused', reason)
  }
})

test('the beginning of an answer is kept', () => {
  const kept = (body: string) => (outcomeOfCall(answer(404, {}, body)) as { response: string }).response
  for (const by of [-1, 0, 1]) {
    const body = 'x'.repeat(saidBytesMax + by)
    assert.equal(kept(body), `404 ${body.slice(0, saidBytesMax)}`)
  }
  assert.equal(kept('a\u0000b'), '404 a\ufffdb')
  assert.equal(kept('<p>\n  no\n</p>\n'), '404 <p> no </p>')
  assert.equal(kept(''), '404')
})

test('a receiver may ask for a pause, in seconds or as a date, up to a limit', () => {
  const asked = (text: string, date?: string) =>
    retryAfterOf({ headers: { 'retry-after': text, ...(date && { date }) } })
  assert.deepEqual(
    ['7', '999999999', '9999999999', '0', '-1', 'soon', ''].map((text) => asked(text)),
    [7_000, 999_999_999_000, 0, 0, 0, 0, 0],
  )
  assert.equal(asked('Mon, 01 Mar 2027 12:01:00 GMT', 'Mon, 01 Mar 2027 12:00:00 GMT'), minuteMs)
  assert.equal(asked('Mon, 01 Mar 2027 11:00:00 GMT', 'Mon, 01 Mar 2027 12:00:00 GMT'), 0)
  assert.equal(asked('Mon, 01 Mar 2027 12:01:00 GMT'), 0)
  const pause = (seconds: number) => outcomeOfCall(answer(503, { 'retry-after': `${seconds}` })) as { askedMs?: number }
  const limit = askedMsMax / 1_000
  assert.deepEqual(
    [limit - 1, limit, limit + 1].map((seconds) => pause(seconds).askedMs),
    [askedMsMax - 1_000, askedMsMax, askedMsMax],
  )
  assert.equal(pause(0).askedMs, undefined)
})

test('a call is repeated with growing pauses until it was made so often', () => {
  const tried = (attempts: number) => ({ message_id: '1', plannedMs: nowMs, attempts })
  const pauses = [1, 4, 16, 64].map((minutes) => minutes * minuteMs)
  for (const kind of ['deferred', 'unreached'] as const) {
    const at = (attempts: number, askedMs = 0) => webhookRetry.at(tried(attempts), kind, nowMs, askedMs, 0)
    assert.deepEqual(
      [1, 2, 3, 4].map((attempts) => at(attempts)! - nowMs),
      pauses,
    )
    assert.equal(at(1, hourMs), nowMs + hourMs)
    assert.notEqual(at(callsMax - 1), undefined)
    for (const attempts of [callsMax, callsMax + 1]) assert.equal(at(attempts, hourMs), undefined)
  }
})

test('a call is given up when its receiver has taken none for a day, or puts it off for three, and not when it waits for others', () => {
  const again = (kind: 'busy' | 'waiting', lateMs: number, busyMs: number) => {
    const message = { message_id: '1', plannedMs: nowMs - lateMs, attempts: 9 }
    return webhookRetry.at(message, kind, nowMs, 5_000, busyMs) === nowMs + 5_000
  }
  const around = (ms: number) => [ms - 1, ms, ms + 1]
  for (const kind of ['busy', 'waiting'] as const) {
    assert.deepEqual(
      around(busyForMs).map((ms) => again(kind, ms, ms)),
      [true, false, false],
    )
    for (const ms of around(busyForMs))
      assert.ok(again(kind, ms, 0) && again(kind, 0, ms) && again(kind, ms, busyForMs - 1))
    assert.deepEqual(
      around(putOffForMs).map((ms) => again(kind, ms, 0)),
      [true, kind === 'waiting', kind === 'waiting'],
    )
  }
})

test('a call that was put back or postponed does not count, and keeps the response to an earlier call', () => {
  const message = { message_id: '1', channel: 'webhook', class: 'transactional', attempts: 3, plannedMs: nowMs }
  const after = (response: string) => {
    return outcomeOfSend(message as LeasedMessage, { kind: 'busy', againMs: 5_000, response }, 'example.com', nowMs)
  }
  const again = { ends: false, state: 'queued', dueMs: nowMs + 5_000, attempts: 2, crashes: 0, rates_granted: 0 }
  assert.deepEqual(after(''), again)
  assert.deepEqual(after('429 slow down'), { ...again, response: '429 slow down' })
})

test('a stored webhook with a password in its URL can be read, and a new one is refused', () => {
  const given = { url: 'https://a:b@example.com/' }
  assert.deepEqual(webhook.content.readStored(given, 'webhook'), {
    content: { url: given.url, method: 'POST', headers: {}, body: undefined },
  })
  const { mistake } = readWebhook(given, 'webhook', {})
  assert.match(mistake!.message, /must not have a user name or a password/)
})

test('a call has an idempotency key, and texts cannot break the JSON of its body', () => {
  const key = callKey('11111111-0000-4000-8000-000000000001-hook 1 ü-2')
  assert.equal(key, '11111111-0000-4000-8000-000000000001-hook%201%20%C3%BC-2')
  const post = { url, method: 'POST', headers: {}, body: undefined } as const
  const requestOf = (content: Parameters<typeof webhookTexts>[0] & Parameters<typeof renderedRequest>[0]) => {
    const texts = Object.entries(webhookTexts(content)).map(([name, text]) => [name, text.replace('?', '"')])
    return callRequest(renderedRequest(content, Object.fromEntries(texts)), key)
  }
  const text = requestOf({ ...post, headers: { a: '?' }, body: '?' })
  assert.deepEqual([text.headers, text.body], [{ a: '"', 'Idempotency-Key': key }, '"'])
  const json = requestOf({ ...post, body: { a: ['?', 1, null], b: '?', c: {} } })
  assert.equal(json.body, '{"a":["\\"",1,null],"b":"\\"","c":{}}')
  assert.deepEqual(json.headers, { 'Content-Type': 'application/json', 'Idempotency-Key': key })
  const typed = requestOf({ ...post, headers: { 'content-type': 'text/x' }, body: [] })
  assert.deepEqual([typed.headers, typed.body], [{ 'content-type': 'text/x', 'Idempotency-Key': key }, '[]'])
  assert.equal('body' in requestOf({ ...post, method: 'GET', body: 'x' }), false)
})

test('a receiver is the scheme, host and port of a URL', () => {
  assert.equal(receiverOf('https://a.example/x?y#z'), 'https://a.example')
  assert.equal(receiverOf('https://a.example:443/'), 'https://a.example')
  assert.equal(receiverOf('http://a.example:8080/'), 'http://a.example:8080')
  for (const none of ['', 'no url', 'data:x']) assert.equal(receiverOf(none), '')
})
