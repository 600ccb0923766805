import { createHash } from 'node:crypto'
import type { Call } from '../../base/call.ts'
import { mailgunWindowMs } from './webhook-mailgun.ts'
import { claimWebhookToken, extendWebhookToken, releaseWebhookToken } from './webhook-token-store.ts'

/** Whoever takes a request and is not heard of for so long has died of it: the provider's next try is taken. */
export const claimMs = 60_000
/** A signature from the window's far end is good for so long. */
const usedTokenMs = 2 * mailgunWindowMs

/**
 * Runs `work` for the first request that was signed with this word, in whatever process, and answers true; false for every other one.
 * When `work` rejects, so does this, and the next request has its turn.
 */
export async function onceForToken(
  { db, clock }: Pick<Call, 'db' | 'clock'>,
  workspace_id: number,
  word: string,
  work: () => Promise<void>,
): Promise<boolean> {
  const key = { workspace_id, token_hash: createHash('sha256').update(word).digest() }
  const nowMs = clock.elapsed()
  if (!(await claimWebhookToken(db, key, nowMs, nowMs + claimMs))) return false
  const [done] = await Promise.allSettled([
    work().then(() => extendWebhookToken(db, key, clock.elapsed() + usedTokenMs)),
  ])
  if (done.status === 'fulfilled') return true
  // When the database is away as well, the word is free by itself before long.
  await Promise.allSettled([releaseWebhookToken(db, key)])
  throw done.reason
}
