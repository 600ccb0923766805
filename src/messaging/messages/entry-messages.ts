import type { Tx } from '../../base/db/db.ts'
import { recordDecisions } from '../ledger/record-decisions.ts'
import { type CancelledMessage, cancelWaitingMessages, type EndedEntry } from './entry-messages-store.ts'
import { uncertainBecause } from './outcome.ts'

/**
 * Ends the messages of entries that wait to be sent. A leased message stays: the hand-over sees that its entry has ended. `nowMs` is
 * business time, `stampUs` the stamp of the decisions. Returns the messages with the reasons of their ends.
 */
export async function cancelEntryMessages(
  tx: Tx,
  entries: readonly EndedEntry[],
  nowMs: number,
  stampUs: number,
): Promise<CancelledMessage[]> {
  if (entries.length === 0) return []
  const cancelled = await cancelWaitingMessages(tx, entries, nowMs)
  await recordDecisions(
    tx,
    cancelled.map((message) => decisionOf(message, stampUs)),
  )
  return cancelled.map((message) => (message.maybe_sent ? { ...message, reason: 'uncertain' } : message))
}

function decisionOf({ maybe_sent, reason, flow_version, ...message }: CancelledMessage, stampUs: number) {
  const why = { reason, rule: 'the person has left the canvas' }
  return { ...message, stampUs, ...(maybe_sent ? uncertainBecause(why) : why) }
}
