import type { Tx } from '../../base/db/db.ts'
import { recordDecisions } from '../ledger/record-decisions.ts'
import {
  type Cancelled,
  cancelWaiting,
  type EndedEntry,
  type FlowMessage,
  insertOfEntries,
} from './entry-messages-store.ts'
import { inDoubt } from './outcome.ts'

/**
 * Queues messages of entries; one that is there already stays as it is. An id that another process has made in the same moment fails
 * the statement; with new ones it succeeds.
 */
export async function insertFlowMessages(tx: Tx, messages: readonly FlowMessage[]): Promise<void> {
  if (messages.length > 0) await insertOfEntries(tx, messages)
}

/**
 * Ends the messages of entries that wait to be sent. Those that somebody works on are left: who hands them over sees that their entry has
 * ended. `nowMs`: business time; `stampUs`: of the decisions.
 */
export async function cancelFlowMessages(
  tx: Tx,
  entries: readonly EndedEntry[],
  nowMs: number,
  stampUs: number,
): Promise<void> {
  if (entries.length === 0) return
  const cancelled = await cancelWaiting(tx, entries, nowMs)
  await recordDecisions(
    tx,
    cancelled.map((message) => decisionOf(message, stampUs)),
  )
}

function decisionOf({ doubted, reason, ...message }: Cancelled, stampUs: number) {
  const why = { reason, rule: 'whoever was to get it has left the canvas' }
  return { ...message, stampUs, ...(doubted ? inDoubt(why) : why) }
}
