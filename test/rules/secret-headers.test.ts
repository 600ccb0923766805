import assert from 'node:assert/strict'
import test from 'node:test'
import { isSealedMark, looksSecret } from '../../src/messaging/channels/webhook/secret-header.ts'
import { hideSecretHeaders, restoreSecretHeaders } from '../../src/messaging/flows/secret-headers.ts'

const looks: readonly [name: string, value: string, secret: boolean][] = [
  ['Authorization', 'Bearer abc', true],
  ['authorization', 'abc', true],
  ['Proxy-Authorization', 'Basic YTpi', true],
  ['X-Api-Key', '12345', true],
  ['apikey', '12345', true],
  ['X-Auth-Token', '12345', true],
  ['X-Hub-Signature', '12345', true],
  ['Client-Secret', '12345', true],
  ['Cookie', 'session=1', true],
  ['X-Anything', 'Bearer abc', true],
  ['X-Anything', 'Basic YTpi', true],
  ['Authorization', 'Bearer {{custom_attribute.token}}', false],
  ['Authorization', '{{custom_attribute.token}}', false],
  ['Authorization', 'Bearer abc{{custom_attribute.token}}', true],
  ['Authorization', '', false],
  ['X-Plan', 'gold', false],
  ['Content-Type', 'application/json', false],
  ['Accept', '*/*', false],
  ['X-Keyboard', 'qwerty', false],
  ['X-Monkey', 'ape', false],
]

for (const [name, value, secret] of looks) {
  test(`${name}: ${value} ${secret ? 'looks' : 'does not look'} like a secret`, () => {
    assert.equal(looksSecret(name, value), secret)
  })
}

const hook = (url: string, headers: object, id = 'hook') => ({ steps: [{ id, type: 'webhook', url, headers }] })
const sealed = { sealed: true }
const before = hook('https://a.example/x', { 'X-Api-Key': 'k', 'X-Plan': 'gold' })

test('answers have a mark instead of a secret, and other headers as they are', () => {
  assert.deepEqual(hideSecretHeaders(before), hook('https://a.example/x', { 'X-Api-Key': sealed, 'X-Plan': 'gold' }))
  assert.deepEqual(hideSecretHeaders({ messages: [] }), { messages: [] })
  const [call, hidden] = [{ headers: { 'X-Api-Key': 'k' } }, { headers: { 'X-Api-Key': sealed } }]
  const webhooks = (own: object) => ({
    // The second one is a draft that mixes both.
    steps: [
      { id: 'a', type: 'message', channel: 'webhook', message: own },
      { id: 'b', type: 'webhook', channel: 'webhook', ...own, message: own },
    ],
    messages: [{ id: 'c', webhook: own }],
  })
  assert.deepEqual(hideSecretHeaders(webhooks(call)), webhooks(hidden))
})

const restored: readonly [title: string, given: object, value: unknown][] = [
  ['the same URL', hook('https://a.example/x', { 'X-Api-Key': sealed }), 'k'],
  ['another path', hook('https://a.example/y', { 'x-api-key': sealed }), 'k'],
  ['another host', hook('https://b.example/x', { 'X-Api-Key': sealed }), sealed],
  ['another port', hook('https://a.example:8443/x', { 'X-Api-Key': sealed }), sealed],
  ['plain http', hook('http://a.example/x', { 'X-Api-Key': sealed }), sealed],
  ['a URL with Liquid', hook('https://a.example/{{x}}', { 'X-Api-Key': sealed }), sealed],
  ['another step', hook('https://a.example/x', { 'X-Api-Key': sealed }, 'other'), sealed],
  ['another header', hook('https://a.example/x', { 'X-Auth-Token': sealed }), sealed],
  ['a new text', hook('https://b.example/x', { 'X-Api-Key': 'new' }), 'new'],
]

for (const [title, given, value] of restored) {
  test(`a mark ${value === sealed ? 'stays a mark' : 'becomes a text'} for ${title}`, () => {
    const { steps } = restoreSecretHeaders(given as never, before) as ReturnType<typeof hook>
    assert.deepEqual(Object.values(steps[0]!.headers), [value])
  })
}

test('only {"sealed": true} is a mark', () => {
  assert.ok(isSealedMark({ sealed: true }))
  for (const other of [{ sealed: 'YQ==' }, { sealed: true, more: 1 }, { credential: 'a' }, 'sealed', null]) {
    assert.ok(!isSealedMark(other))
  }
})
