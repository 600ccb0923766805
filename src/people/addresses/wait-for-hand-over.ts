import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../base/db/db.ts'
import { waitBrieflyForOlderTransactions } from '../../base/db/wait-for-older-transactions.ts'
import { isHandOverPending } from './recipient-store.ts'

/** How long somebody who does not want mail any more waits at most until none is on its way. */
export const handOverWaitMsMax = 5_000
const pauseMsMax = 100

/**
 * Resolves when no mail to these addresses (normalised) is being handed to a mail server, or after `waitMs` of machine time: true and
 * false. Whoever hands over takes a number before it reads what the people want, so those who have not seen what was committed before the
 * call have ended, or are seen here.
 */
export async function waitForHandOvers(
  db: Db,
  workspace_id: number,
  emails: readonly string[],
  waitMs = handOverWaitMsMax,
): Promise<boolean> {
  if (emails.length === 0) return true
  const late = AbortSignal.timeout(waitMs)
  await waitBrieflyForOlderTransactions(db, waitMs)
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
