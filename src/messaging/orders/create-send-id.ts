import type { Call } from '../../base/call.ts'
import { Failure, invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { newUuid } from '../../base/ids.ts'
import { getFlow, readFlowId } from '../flows/find.ts'
import { sendOfAnother } from './message-schema.ts'
import { readBody, readSendId } from './read-message-request.ts'
import { type SendIdReply, sendsPerDayMax, tooManySends } from './send-id-schema.ts'
import { countSendIds, insertSendId } from './send-id-store.ts'

const dayMs = 24 * 3_600_000

/**
 * Makes an identifier under which sends of a campaign are counted (contract 10.3). One that the campaign has already is answered again.
 * Throws 400, and 429 when too many were made within a day.
 */
export async function createSendId(call: Call, body: unknown, commit: Commit): Promise<SendIdReply> {
  const given = readBody(body)
  const id = readFlowId(given.campaign_id, 'campaign')
  const send_id = readSendId(given.send_id) ?? newUuid()
  return commit(async (tx) => {
    const { workspace_id, flow_id } = await getFlow(tx, call.workspace_id, 'campaign', id)
    const nowMs = call.clock.now()
    const owner = await insertSendId(tx, { workspace_id, send_id, flow_id }, nowMs)
    if (owner !== flow_id) throw invalid(sendOfAnother)
    if ((await countSendIds(tx, workspace_id, nowMs - dayMs, sendsPerDayMax + 1)) > sendsPerDayMax) {
      throw new Failure('rateLimited', tooManySends)
    }
    return { send_id }
  })
}
