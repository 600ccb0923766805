import assert from 'node:assert/strict'
import test from 'node:test'
import { Webhook } from 'standardwebhooks'
import { FeedWaiters } from '../../src/people/feed/waiters.ts'
import { afterFailure, pauseMsMax, setAsideAfterMs } from '../../src/people/webhooks/after-failure.ts'
import { reachedAfter } from '../../src/people/webhooks/deliver-page.ts'
import { isSecret, newSecret, signatureHeaders } from '../../src/people/webhooks/sign.ts'

const body = '{"type":"person.created"}'

test('the library of the standard accepts a signature, also the one of the secret before', () => {
  const [secret, before] = [newSecret(), newSecret()]
  const headers = signatureHeaders('event', Date.now(), body, [secret, before])
  for (const each of [secret, before]) assert.deepEqual(new Webhook(each).verify(body, headers), JSON.parse(body))
  assert.throws(() => new Webhook(newSecret()).verify(body, headers))
  assert.throws(() => new Webhook(secret).verify(`${body} `, headers))
  const timestamp = new Date(1_800_000_000_999)
  const ours = signatureHeaders('id', timestamp.getTime(), body, [secret])
  assert.equal(ours['webhook-signature'], new Webhook(secret).sign('id', timestamp, body))
})

test('a secret has 24 to 64 bytes in base64 behind its prefix', () => {
  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`
  for (const [text, accepted] of [
    [secretOf(23), false],
    [secretOf(24), true],
    [secretOf(64), true],
    [secretOf(65), false],
    [secretOf(32).slice(6), false],
    [`${secretOf(24)}=`, false],
    ['whsec_', false],
    [newSecret(), true],
  ] as const)
    assert.equal(isSecret(text), accepted, text)
})

test('the pauses after failures grow, and after three days of failures a webhook is set aside', () => {
  const fresh = { failures: 0, failingSinceMs: undefined }
  assert.deepEqual(afterFailure(fresh, 1_000), { failures: 1, failingSinceMs: 1_000, dueMs: 6_000, setsAside: false })
  const pauses: number[] = []
  let state: { failures: number; failingSinceMs: number | undefined } = fresh
  for (let i = 0; i < 8; i++) {
    const next = afterFailure(state, 0)
    pauses.push(next.dueMs / 1000)
    state = next
  }
  assert.deepEqual(pauses, [5, 30, 120, 600, 1_800, 3_600, 3_600, 3_600])
  const failing = { failures: 9, failingSinceMs: 0 }
  assert.equal(afterFailure(failing, setAsideAfterMs - 1).setsAside, false)
  assert.equal(afterFailure(failing, setAsideAfterMs).setsAside, true)
  assert.equal(afterFailure(fresh, 0, 60_000).dueMs, 60_000)
  assert.equal(afterFailure(fresh, 0, 10 * pauseMsMax).dueMs, pauseMsMax)
})

test('a webhook reaches the event before the first open one, and remembers what it delivered behind it', () => {
  const rows = ['3', '4', '7', '9'].map((position) => ({ position }))
  const from = { position: 2n, ahead: [] as bigint[] }
  assert.deepEqual(reachedAfter(from, rows, new Set(['3', '4', '7', '9']), 20n), { position: 20n, ahead: [] })
  assert.deepEqual(reachedAfter(from, rows, new Set(['4', '9']), 20n), { position: 2n, ahead: [4n, 9n] })
  assert.deepEqual(reachedAfter({ ...from, ahead: [3n, 4n] }, rows, new Set(['9']), 20n), { position: 4n, ahead: [9n] })
  assert.deepEqual(reachedAfter(from, [], new Set(), 8n), { position: 8n, ahead: [] })
})

test('a reader is woken by an event of its workspace, and nobody waits once the service stops', async () => {
  const waiters = new FeedWaiters()
  const woken: number[] = []
  const waiting = [1, 2].map((workspace_id) => waiters.wait(workspace_id, 60_000).then(() => woken.push(workspace_id)))
  waiters.wake([2])
  await waiting[1]
  assert.deepEqual(woken, [2])
  waiters.close()
  await waiting[0]
  await waiters.wait(1, 60_000)
  assert.ok(waiters.isClosed)
})
