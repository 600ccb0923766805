import assert from 'node:assert/strict'
import { virtualClock } from '../../src/base/clock.ts'
import { sql } from '../../src/base/db/sql.ts'
import { mailgunWindowMs } from '../../src/messaging/feedback/webhook-mailgun.ts'
import { claimMs, onceForToken } from '../../src/messaging/feedback/webhook-once.ts'
import { deleteExpiredWebhookTokens } from '../../src/messaging/feedback/webhook-token-store.ts'
import { onBothDatabases } from '../support/databases.ts'

const startMs = Date.UTC(2026, 10, 20)

/** Returns a clock whose elapsed time the test sets. */
function handClock() {
  const clock = { ...virtualClock(startMs), elapsedMs: startMs }
  return Object.assign(clock, { elapsed: () => clock.elapsedMs })
}

onBothDatabases('a signed request is recorded once, in all processes and after restarts', async (open) => {
  const clock = handClock()
  const [one, other = one] = await open.processes(2)
  let noted = 0
  const take = (db = one!, workspace_id = 1, word = 'word') =>
    onceForToken({ db, clock }, workspace_id, word, async () => void noted++)
  const atOnce = await Promise.all([take(one), take(other), take(one)])
  assert.deepEqual(atOnce.toSorted(), [false, false, true])
  assert.equal(await take(other), false)
  assert.deepEqual([await take(other, 2), await take(other, 1, 'another')], [true, true])
  clock.elapsedMs += 2 * mailgunWindowMs - 1
  await deleteExpiredWebhookTokens(one!, clock.elapsedMs)
  assert.equal(await take(other), false)
  clock.elapsedMs += 1
  await deleteExpiredWebhookTokens(one!, clock.elapsedMs)
  assert.deepEqual(await one!.query(sql`select 1 from webhook_token`), [])
  assert.equal(noted, 3)
})

onBothDatabases('a request that could not be recorded is accepted when it is repeated', async (open) => {
  const clock = handClock()
  const [one, other = one] = await open.processes(2)
  const failing = onceForToken({ db: one!, clock }, 1, 'word', () =>
    Promise.reject(new Error('the database is unavailable')),
  )
  await assert.rejects(failing, /the database is unavailable/)
  assert.equal(await onceForToken({ db: other!, clock }, 1, 'word', async () => undefined), true)
  // The process dies during this request.
  void onceForToken({ db: one!, clock }, 1, 'last', () => new Promise(() => undefined))
  while ((await one!.query(sql`select 1 from webhook_token`)).length < 2);
  const again = () => onceForToken({ db: other!, clock }, 1, 'last', async () => undefined)
  clock.elapsedMs += claimMs - 1
  assert.equal(await again(), false)
  clock.elapsedMs += 1
  assert.equal(await again(), true)
})
