import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import { insertDeliveredEvent } from '../messages/feedback-store.ts'
import type { MessageClass, MessageKey } from '../messages/message.ts'
import { markDelivered } from '../statuses/status-store.ts'

/** Records that a message arrived, as its provider says: an event of the feed, and the status of a transactional send. May be repeated. */
export async function recordArrival(
  tx: Tx,
  message: MessageKey & { readonly class: MessageClass },
  clock: Pick<Clock, 'stamp' | 'elapsed'>,
): Promise<void> {
  const stampUs = clock.stamp()
  await insertDeliveredEvent(tx, message, stampUs)
  if (message.class === 'transactional') await markDelivered(tx, message, stampUs, clock.elapsed())
}
