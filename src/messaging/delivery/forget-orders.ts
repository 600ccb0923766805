import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { timeBefore } from '../../workspace/settings/duration.ts'
import { deleteEngagements } from '../feedback/engagement-store.ts'
import { deleteDeletedCounts } from '../messages/deleted-messages-store.ts'
import { deleteMessageRows, listEndedMessages } from '../messages/forget-store.ts'
import { deleteOrder, listOldOrders, type OldOrder } from '../orders/order-store.ts'
import { deleteSlots } from '../orders/slot-store.ts'

export type RetentionWorkspace = {
  readonly workspace_id: number
  readonly settings: { readonly ledger_retention: string }
}

const dispatchesMax = 50
/** Messages that one transaction deletes, so that it takes only some tens of milliseconds. */
const messagesMax = 2_000

/**
 * Deletes the dispatches of these workspaces that are older than `settings.ledger_retention`, with their messages and engagements, page by
 * page. A dispatch stays as long as it has a message that is open or ended later.
 */
export async function forgetOrders(
  db: Db,
  clock: Clock,
  workspaces: readonly RetentionWorkspace[],
  stopping: AbortSignal,
): Promise<void> {
  for (const { workspace_id, settings } of workspaces) {
    const beforeMs = timeBefore(clock.now(), settings.ledger_retention)
    let after: OldOrder | undefined
    do {
      const page = await listOldOrders(db, workspace_id, beforeMs, after, dispatchesMax)
      for (const { dispatch_id } of page) {
        if (stopping.aborted) return
        await forgetOrder(db, dispatch_id, beforeMs, stopping)
      }
      after = page.length === dispatchesMax ? page.at(-1) : undefined
    } while (after)
  }
}

async function forgetOrder(db: Db, dispatch_id: string, beforeMs: number, stopping: AbortSignal): Promise<void> {
  for (;;) {
    const messages = await listEndedMessages(db, dispatch_id, beforeMs, messagesMax)
    if (messages.length > 0) {
      await db.transaction(async (tx) => {
        await deleteEngagements(tx, messages)
        await deleteMessageRows(tx, messages)
      })
    }
    if (messages.length < messagesMax || stopping.aborted) break
  }
  await db.transaction(async (tx) => {
    if (!(await deleteOrder(tx, dispatch_id))) return
    await deleteSlots(tx, dispatch_id)
    await deleteDeletedCounts(tx, dispatch_id)
  })
}
