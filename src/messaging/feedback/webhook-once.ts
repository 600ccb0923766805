import { createHash } from 'node:crypto'
import type { Call } from '../../base/call.ts'
import { mailgunWindowMs } from './webhook-mailgun.ts'
import { claimWebhookToken, extendWebhookToken, releaseWebhookToken } from './webhook-token-store.ts'

/** After this time a claim expires, and the next request may use the token: the process that claimed it has died. */
export const claimMs = 60_000
/** How long a used token is kept: the longest time for which a signature stays valid. */
const usedTokenMs = 2 * mailgunWindowMs

/**
 * Runs `work` for the first request that was signed with a token, among all processes, and returns true. Returns false for any other
 * request with this token. If `work` rejects, so does this function, and the next request with the token may run.
 */
export async function onceForToken(
  { db, clock }: Pick<Call, 'db' | 'clock'>,
  workspace_id: number,
  token: string,
  work: () => Promise<void>,
): Promise<boolean> {
  const key = { workspace_id, token_hash: createHash('sha256').update(token).digest() }
  const nowMs = clock.elapsed()
  if (!(await claimWebhookToken(db, key, nowMs, nowMs + claimMs))) return false
  try {
    await work()
    await extendWebhookToken(db, key, clock.elapsed() + usedTokenMs)
    return true
  } catch (error) {
    try {
      await releaseWebhookToken(db, key)
    } catch {
      // The database is unavailable too. The claim expires by itself.
    }
    throw error
  }
}
