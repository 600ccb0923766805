import { reasons } from '../ledger/reasons.ts'
import type { SendEnd } from './send-end.ts'
import type { TransactionalSend } from './send-store.ts'

/** The statuses of a send that are told, in the words of the interface (contract 10.3). */
export type Status = 'sent' | 'processed' | 'aborted' | 'delivered' | 'bounced'

/** What is told about a send: the body of a callback. */
export type StatusEvent = {
  readonly dispatch_id: string
  readonly status: Status
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * A send with what is known of it. `end`: undefined while the mail is open. `delivered_us` and `bounced_us`: when the mail arrived, and
 * when it was returned or refused, epoch microseconds. Milliseconds do not say which of them was first while a virtual clock stands still.
 */
export type KnownSend = TransactionalSend & {
  readonly end: SendEnd | undefined
  readonly delivered_us: number | null
  readonly bounced_us: number | null
}

/** Returns the metadata that the answer and all events of a send have. */
export function metadataOf({ campaign_id, external_send_id, accepted_at }: TransactionalSend) {
  const at = timeText(accepted_at)
  return {
    ...(external_send_id !== null && { external_send_id }),
    campaign_api_id: campaign_id,
    received_at: at,
    enqueued_at: at,
  }
}

/**
 * Returns the events of a send so far, in their order: later facts only add events at the end. A mail that the mail server took is sent and
 * processed at once. One that it refused is aborted and does not bounce too. Pure.
 */
export function eventsOf(send: KnownSend): StatusEvent[] {
  const { end, delivered_us, bounced_us } = send
  if (!end) return []
  const dispatch_id = send.dispatch_id.replaceAll('-', '')
  const event = (status: Status, at: Date, more: Readonly<Record<string, string>> = {}): StatusEvent => {
    return { dispatch_id, status, metadata: { ...metadataOf(send), ...more, [`${status}_at`]: timeText(at) } }
  }
  const { reason, at } = end
  const events =
    reason === 'sent'
      ? [event('sent', at), event('processed', at)]
      : [event('aborted', at, { reason: reasons[reason], reason_code: reason })]
  const isReturned = reason === 'sent' && bounced_us !== null
  const later = [
    ...(delivered_us === null ? [] : [{ status: 'delivered' as const, us: delivered_us }]),
    ...(isReturned ? [{ status: 'bounced' as const, us: bounced_us }] : []),
  ]
  const inOrder = later.toSorted((one, other) => one.us - other.us)
  return [...events, ...inOrder.map(({ status, us }) => event(status, new Date(us / 1000)))]
}

/** Formats a time with milliseconds and an offset. */
function timeText(at: Date): string {
  return at.toISOString().replace('Z', '+00:00')
}
