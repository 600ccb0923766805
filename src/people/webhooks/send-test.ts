import type { Call } from '../../base/call.ts'
import { unavailable } from '../../base/errors.ts'
import type { Request } from '../../base/http/route.ts'
import { newUuid } from '../../base/ids.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { findForTest, insertAttempts } from './delivery-store.ts'
import { type AttemptReply, describeMade, getDelivery, keyIn, unknownWebhook } from './list-deliveries.ts'
import { attemptsKept } from './schema.ts'
import { type SendServices, sendEvent } from './send-event.ts'

/** The type of an event that only tests have. */
export const testType = 'webhook.test'

/** Sends an event of the type `webhook.test` to a webhook now, also to one that is paused or set aside. Throws 404. */
export async function sendTest(
  call: Call,
  request: Request,
  { fetcher }: Pick<SendServices, 'fetcher'>,
): Promise<{ attempt: AttemptReply }> {
  const { db, clock, signal } = call
  const key = await keyIn(call, request)
  const receiver = await findForTest(db, key, clock.elapsed())
  if (!receiver) throw unknownWebhook(key.id)
  const { name } = await getDelivery(db, key, clock.elapsed())
  const event = {
    ...{ id: newUuid(), type: testType, timestamp: new Date(clock.now()).toISOString(), data: { webhook: name } },
    ...{ position: null, subject_id: null },
  }
  const sent = await sendEvent(receiver, event, { clock, fetcher }, signal)
  if (sent.outcome === 'stopped') throw unavailable('The service is stopping')
  await db.transaction(async (tx) => {
    await insertAttempts(tx, key, [sent.attempt], attemptsKept)
    const target = { kind: 'webhook', id: key.id, name }
    await recordAudit(tx, call, { action: 'webhook.test', target, workspace_id: key.workspace_id })
  })
  return { attempt: describeMade(sent.attempt) }
}
