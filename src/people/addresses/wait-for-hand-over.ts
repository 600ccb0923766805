import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../base/db/db.ts'
import { waitBrieflyForOlderTransactions } from '../../base/db/wait-for-older-transactions.ts'
import { isHandOverPending } from './recipient-store.ts'

/** How long a request that stops mail waits at most for the end of hand-overs. */
export const handOverWaitMsMax = 5_000
const pauseMsMax = 100

/**
 * Resolves to true when no mail to these addresses (normalised) is being handed over to a mail server, or to false after `waitMs` of
 * machine time. A hand-over registers before it reads consent. So a hand-over that has not seen the commit of the caller has either ended
 * after the first wait, or the query finds it.
 */
export async function waitForHandOvers(
  db: Db,
  workspace_id: number,
  emails: readonly string[],
  waitMs = handOverWaitMsMax,
): Promise<boolean> {
  if (emails.length === 0) return true
  const late = AbortSignal.timeout(waitMs)
  await waitBrieflyForOlderTransactions(db, ['hand_over'], waitMs)
  for (
    let pauseMs = 2;
    await isHandOverPending(db, workspace_id, emails);
    pauseMs = Math.min(2 * pauseMs, pauseMsMax)
  ) {
    if (late.aborted) return false
    await pause(pauseMs)
  }
  return true
}
