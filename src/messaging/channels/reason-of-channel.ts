import { type Reason, reasons } from '../ledger/reasons.ts'
import { findChannel } from './channels.ts'

/** Returns the sentence of a reason, as it is said of messages of a channel. */
export function reasonOfChannel(reason: Reason, channel: string): string {
  return findChannel(channel)?.words.reasons?.[reason] ?? reasons[reason]
}
