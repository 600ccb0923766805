import type { Call } from '../../base/call.ts'
import { Failure, invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { newUuid } from '../../base/ids.ts'
import { getFlow, readFlowId } from '../flows/find-flows.ts'
import { sendOfAnother } from './order-schema.ts'
import { readBody, readSendId } from './read-body.ts'
import { type SendIdReply, sendIdsPerDayMax, tooManySendIds } from './send-id-schema.ts'
import { countSendIds, insertSendId } from './send-id-store.ts'

const dayMs = 24 * 3_600_000

/**
 * Creates a send id of a campaign (contract 10.3). Returns an existing send id of the campaign again. Throws 400, and 429 when too many
 * were created within a day.
 */
export async function createSendId(call: Call, given: unknown, commit: Commit): Promise<SendIdReply> {
  const body = readBody(given)
  const id = readFlowId(body.campaign_id, 'campaign')
  const send_id = readSendId(body.send_id) ?? newUuid()
  return commit(async (tx) => {
    const { workspace_id, flow_id } = await getFlow(tx, call.workspace_id, 'campaign', id)
    const nowMs = call.clock.now()
    const owner = await insertSendId(tx, { workspace_id, send_id, flow_id }, nowMs)
    if (owner !== flow_id) throw invalid(sendOfAnother)
    if ((await countSendIds(tx, workspace_id, nowMs - dayMs, sendIdsPerDayMax + 1)) > sendIdsPerDayMax) {
      throw new Failure('rateLimited', tooManySendIds)
    }
    return { send_id }
  })
}
