import type { Tx } from '../../base/db/db.ts'
import { FlowTally } from '../flows/flow-tally.ts'
import type { MarkedMessage } from '../messages/feedback-store.ts'
import { listSendIds } from '../messages/send-ids-store.ts'

/** Counts bounces or complaints about messages of canvases and campaigns. Mail that was accepted before it bounced was not delivered. */
export async function countFeedback(
  tx: Tx,
  marked: readonly MarkedMessage[],
  measure: 'bounces' | 'reported_spam',
  stampUs: number,
): Promise<void> {
  const ofFlows = marked.filter(({ flow_id }) => flow_id !== null)
  const sends = await listSendIds(tx, ofFlows)
  const tally = new FlowTally()
  for (const { flow_id, state, ended_at, ...message } of ofFlows) {
    const flow = { ...message, flow_id: flow_id!, send_id: sends.get(message.cause) }
    tally.count(flow, measure, stampUs)
    if (measure === 'bounces' && state === 'accepted' && ended_at) {
      tally.count(flow, 'returned', ended_at.getTime() * 1000)
    }
  }
  await tally.write(tx)
}
