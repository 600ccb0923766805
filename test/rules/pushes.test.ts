import assert from 'node:assert/strict'
import test from 'node:test'
import { FetchError } from '../../src/base/fetch/fetch-error.ts'
import { addressOf } from '../../src/messaging/channels/push/consent.ts'
import { pushMistakes } from '../../src/messaging/channels/push/content.ts'
import { isOpenable } from '../../src/messaging/channels/push/openable-uri.ts'
import {
  askedMsMax,
  type DeviceOutcome,
  outcomeOfAll,
  outcomeOfFcm,
  outcomeOfWebPush,
} from '../../src/messaging/channels/push/outcome.ts'
import { extraMembersMax, timeToLiveMax } from '../../src/messaging/channels/push/push-message.ts'
import { pushesMax, ReachedDevices } from '../../src/messaging/channels/push/reached-devices.ts'
import { readSubscription } from '../../src/messaging/channels/push/subscription.ts'
import { retriedForMs, retryAt, retryPauseMs } from '../../src/messaging/delivery/retry.ts'

const nowMs = Date.parse('2026-01-01T00:00:00Z')

function answer(status: number, body: unknown = {}, headers: Readonly<Record<string, string>> = {}) {
  return { status, headers, body: Buffer.from(JSON.stringify(body)), url: 'https://push.example.com' }
}

function fcmAnswer(status: number, errorCode?: string) {
  const details = errorCode === undefined ? [] : [{ errorCode }]
  return answer(status, { error: { code: status, status: 'SOME', message: 'why', details } })
}

const unreached = new FetchError('unreachable', 'no connection', { code: 'ECONNREFUSED' })
const cut = new FetchError('unreachable', 'cut', { code: 'UND_ERR_SOCKET' })
const forbidden = new FetchError('address', 'must not be reached')

test('an answer of a push service of browsers decides', () => {
  const kinds = ([201, 204, 400, 404, 410, 413, 429, 500, 503] as const).map((status) => {
    return [status, outcomeOfWebPush(answer(status)).kind]
  })
  assert.deepEqual(kinds, [
    ...[[201, 'accepted'] as const, [204, 'accepted'] as const, [400, 'refused'] as const, [404, 'gone'] as const],
    ...[[410, 'gone'] as const, [413, 'refused'] as const, [429, 'deferred'] as const],
    ...[[500, 'deferred'] as const, [503, 'deferred'] as const],
  ])
  const others = [unreached, cut, forbidden].map((error) => outcomeOfWebPush(error).kind)
  assert.deepEqual(others, ['unreached', 'uncertain', 'refused'])
})

test('an answer of FCM decides, and only its own code makes a token gone', () => {
  const kindOf = (status: number, code?: string) => outcomeOfFcm(fcmAnswer(status, code)).kind
  assert.equal(outcomeOfFcm(answer(200, { name: 'projects/p/messages/1' })).kind, 'accepted')
  assert.equal(outcomeOfFcm(answer(200, {})).kind, 'uncertain')
  assert.equal(kindOf(404, 'UNREGISTERED'), 'gone')
  // A project that does not exist is 404 as well, and must not remove the tokens of everybody.
  assert.equal(kindOf(404), 'unreached')
  assert.equal(kindOf(401), 'unreached')
  assert.equal(kindOf(403), 'unreached')
  assert.equal(kindOf(403, 'SENDER_ID_MISMATCH'), 'refused')
  assert.equal(kindOf(400, 'INVALID_ARGUMENT'), 'refused')
  assert.equal(kindOf(429, 'QUOTA_EXCEEDED'), 'deferred')
  assert.equal(kindOf(503, 'UNAVAILABLE'), 'deferred')
  assert.equal(outcomeOfFcm({ ...answer(502), body: Buffer.from('<html>') }).kind, 'deferred')
})

test('a service may ask for a pause of at most a day', () => {
  const cases: readonly (readonly [string | undefined, number | undefined])[] = [
    [undefined, undefined],
    ['0', undefined],
    ['30', 30_000],
    ['86399', askedMsMax - 1_000],
    ['86400', askedMsMax],
    ['86401', askedMsMax],
    ['999999999', askedMsMax],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', undefined],
    ['soon', undefined],
  ]
  for (const [text, expected] of cases) {
    const headers = { date: new Date(nowMs).toUTCString(), ...(text !== undefined && { 'retry-after': text }) }
    for (const outcome of [outcomeOfWebPush(answer(503, {}, headers)), outcomeOfFcm(answer(503, {}, headers))]) {
      assert.equal((outcome as { askedMs?: number }).askedMs, expected, String(text))
    }
  }
})

test('a message is tried again not before the server wants, and never after its end', () => {
  const message = { message_id: '7', plannedMs: nowMs, attempts: 1 }
  const usual = retryAt(message, 'deferred', nowMs)!
  assert.equal(retryAt(message, 'deferred', nowMs, retryPauseMs.deferred - 1), usual)
  assert.equal(retryAt(message, 'deferred', nowMs, 7_200_000), nowMs + 7_200_000)
  assert.equal(retryAt(message, 'deferred', nowMs + retriedForMs - 10, 7_200_000), nowMs + retriedForMs)
})

const of: Readonly<Record<string, DeviceOutcome>> = {
  accepted: { kind: 'accepted', response: '201' },
  gone: { kind: 'gone', code: 410, response: '410' },
  refused: { kind: 'refused', code: 400, response: '400' },
  deferred: { kind: 'deferred', throttled: false, code: 503, response: '503' },
  slow: { kind: 'deferred', throttled: true, code: 429, response: '429', askedMs: 9_000 },
  unreached: { kind: 'unreached', message: 'away' },
  uncertain: { kind: 'uncertain', message: 'cut' },
}

/** The kinds of outcomes of devices, how many had it earlier, and the outcome of the message. */
const folds: readonly (readonly [devices: string, earlier: number, kind: string])[] = [
  ['accepted', 0, 'accepted'],
  ['accepted gone', 0, 'accepted'],
  ['accepted refused', 0, 'accepted'],
  ['gone', 0, 'refused hard'],
  ['gone gone', 0, 'refused hard'],
  ['gone refused', 0, 'refused policy'],
  ['accepted deferred', 0, 'deferred'],
  ['deferred', 1, 'deferred'],
  ['accepted unreached deferred', 0, 'unreached'],
  ['accepted uncertain unreached', 0, 'uncertain'],
  ['gone', 1, 'accepted'],
  ['', 1, 'accepted'],
  ['', 0, 'refused hard'],
]

test('a push is sent when no device is left that may still get it', () => {
  for (const [devices, earlier, expected] of folds) {
    const reached = devices.split(' ').flatMap((name) => (name === '' ? [] : [{ device: name, outcome: of[name]! }]))
    const outcome = outcomeOfAll(reached, earlier)
    const kind = outcome.kind === 'refused' ? `refused ${outcome.bounce}` : outcome.kind
    assert.equal(kind, expected, `${devices}, ${earlier} earlier`)
  }
  const slowest = outcomeOfAll(
    ['deferred', 'slow', 'accepted'].map((name) => ({ device: name, outcome: of[name]! })),
    0,
  )
  assert.deepEqual(slowest, {
    ...{ kind: 'deferred', throttled: true, code: 429, askedMs: 9_000 },
    response: '1 of 3 devices have it. 429',
  })
})

test('devices that have a push are remembered for so many pushes, and the oldest is forgotten first', () => {
  const reached = new ReachedDevices()
  const isKnown = (id: number) => reached.of(String(id)).size > 0
  for (let id = 1; id <= pushesMax; id++) reached.remember(String(id), new Set(['token']))
  assert.ok(isKnown(1) && isKnown(pushesMax))
  reached.remember(String(pushesMax + 1), new Set(['token']))
  assert.deepEqual([isKnown(1), isKnown(2), isKnown(pushesMax + 1)], [false, true, true])
  reached.forget('2')
  assert.equal(isKnown(2), false)
})

const keys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

test('the token of a browser is its subscription, in base64 of either kind', () => {
  const endpoint = 'https://push.example.com/s/1'
  assert.deepEqual(readSubscription(JSON.stringify({ endpoint, expirationTime: null, keys })), { endpoint, keys })
  const padded = { p256dh: `${keys.p256dh.replaceAll('-', '+').replaceAll('_', '/')}=`, auth: `${keys.auth}==` }
  assert.deepEqual(readSubscription(JSON.stringify({ endpoint, keys: padded })), { endpoint, keys })
  for (const wrong of [
    'a token of FCM',
    'null',
    '[]',
    JSON.stringify({ endpoint }),
    JSON.stringify({ endpoint, keys: null }),
    JSON.stringify({ endpoint: 'http://push.example.com/s/1', keys }),
    JSON.stringify({ endpoint: 'https://user@push.example.com/s/1', keys }),
    JSON.stringify({ endpoint: 'push', keys }),
    JSON.stringify({ endpoint, keys: { ...keys, auth: 'short' } }),
    JSON.stringify({ endpoint, keys: { ...keys, p256dh: keys.auth } }),
  ]) {
    assert.equal(readSubscription(wrong), undefined, wrong)
  }
})

test('the address of a push is the device that was used last, and its service', () => {
  const token = (host: string) => JSON.stringify({ endpoint: `https://${host}/s`, keys })
  const tokens = [
    { app_id: 'a', device_id: 'odd', token: 'no subscription' },
    { app_id: 'a', device_id: 'd1', token: token('one.example') },
    { app_id: 'a', device_id: 'd2', token: token('two.example') },
  ]
  assert.equal(addressOf('web_push', tokens), 'd1@one.example')
  assert.equal(addressOf('android_push', tokens), 'odd@android')
  assert.equal(addressOf('web_push', []), null)
})

test('a click opens pages and apps, and runs nothing', () => {
  for (const uri of ['https://example.com/a', 'shop://offers', 'mailto:a@example.com', 'tel:+4930'])
    assert.ok(isOpenable(uri), uri)
  for (const uri of ['javascript:alert(1)', 'JavaScript:alert(1)', 'data:text/html,x', 'offers', '', 'file:///etc'])
    assert.ok(!isOpenable(uri), uri)
})

test('an alert is an object in requests for Apple devices only', () => {
  const push = { alert: { title: 'Shop', body: 'Hi' } }
  assert.deepEqual(pushMistakes('apple_push', push, 'push', true), [])
  for (const [name, isRequest] of [['apple_push', false] as const, ['web_push', true] as const]) {
    const [mistake] = pushMistakes(name, push, 'push', isRequest)
    assert.deepEqual(mistake, { path: 'push.alert', message: 'must be a text that is not empty' })
  }
})

test('limits of members are inclusive', () => {
  const mistakesOf = (more: object) =>
    pushMistakes('android_push', { alert: 'x', ...more }, 'push').map(({ path }) => path)
  const extra = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, 1]))
  for (const [more, expected] of [
    [{ extra: extra(extraMembersMax - 1) }, []],
    [{ extra: extra(extraMembersMax) }, []],
    [{ extra: extra(extraMembersMax + 1) }, ['push.extra']],
    [{ extra: { from: 'a', fromage: 'b', 'gcm.x': 'c' } }, ['push.extra.from', 'push.extra.gcm.x']],
    [{ time_to_live: 0 }, []],
    [{ time_to_live: timeToLiveMax }, []],
    [{ time_to_live: timeToLiveMax + 1 }, ['push.time_to_live']],
    [{ time_to_live: -1 }, ['push.time_to_live']],
    [{ collapse_key: 'c'.repeat(64) }, []],
    [{ collapse_key: 'c'.repeat(65) }, ['push.collapse_key']],
    [{ title: `{{x}}${'a'.repeat(9_995)}` }, []],
    [{ title: `{{x}}${'a'.repeat(9_996)}` }, ['push.title']],
    [{ title: 7, sound: 7, android_priority: 'low' }, ['push.title', 'push.sound', 'push.android_priority']],
  ] as const) {
    assert.deepEqual(mistakesOf(more), expected, JSON.stringify(more).slice(0, 100))
  }
})
