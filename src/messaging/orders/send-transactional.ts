import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { Notices } from '../../base/http/notices.ts'
import { newUuid, uuidToHex } from '../../base/ids.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { findFlow } from '../flows/find-flows.ts'
import { metadataOf } from '../statuses/events.ts'
import { findSend, insertSend, type TransactionalSend } from '../statuses/send-store.ts'
import { acceptTrigger, type TriggerServices, triggerContext, writeOrderAttributes } from './place-flow-order.ts'
import { readBody } from './read-body.ts'
import { readOrderAttachments } from './read-order-attachments.ts'
import { readProperties } from './read-properties.ts'
import { readOnlyRecipient } from './read-trigger-recipients.ts'
import type { TriggerContext, TriggerRequest } from './read-trigger-request.ts'
import {
  badExternalSendId,
  externalSendIdCharactersMax,
  externalSendIdKeptMs,
  noSuchCampaign,
  notTransactional,
  type TransactionalReply,
} from './transactional-schema.ts'
import { triggerRules } from './trigger-rules.ts'

const externalSendIdForm = new RegExp(`^[a-zA-Z0-9_+/=-]{1,${externalSendIdCharactersMax}}$`)

/**
 * Sends a transactional campaign to one person (contract 10.3). It is durable after the answer. A repeated `external_send_id` gets the same
 * answer and has no further effect. Throws 400.
 */
export async function sendTransactional(
  call: Call,
  campaign_id: string,
  given: unknown,
  services: TriggerServices,
  commit: Commit,
): Promise<TransactionalReply> {
  const { db, workspace_id, clock } = call
  const notices = new Notices(call.strict)
  const context = triggerContext(call, 'campaign', services, notices)
  const { external_send_id, ...request } = readRequest(campaign_id, given, context)
  const earlier =
    external_send_id === null ? undefined : await findSend(db, workspace_id, external_send_id, clock.elapsed())
  if (earlier) return commit(async () => replyOf(earlier))
  await checkCampaign(db, workspace_id, campaign_id)
  await writeOrderAttributes(call, 'campaign', request, services, notices)
  const reply = await commit(async (tx) => {
    const send = { dispatch_id: newUuid(), campaign_id, external_send_id, accepted_at: new Date(clock.now()) }
    if (!(await reserve(tx, call, send, services))) {
      return replyOf((await findSend(tx, workspace_id, external_send_id!, clock.elapsed()))!)
    }
    const order = { ...request, dispatch_id: send.dispatch_id }
    const { notice } = await acceptTrigger(tx, call, 'campaign', order, services, undefined)
    return { ...replyOf(send), ...(notice !== undefined && { notice }), ...notices.members() }
  })
  services.wakeups.wake('expansion')
  return reply
}

/** Reads the request: `external_send_id`, `recipient`, properties, `attachments`, in this order. Throws 400. */
function readRequest(
  id: string,
  given: unknown,
  context: TriggerContext,
): TriggerRequest & { readonly external_send_id: string | null } {
  const body = readBody(given)
  const external_send_id = readExternalSendId(body.external_send_id)
  const { recipients, writes, warnings } = readOnlyRecipient(body.recipient, context)
  const properties = readProperties(body, '')
  const { notices, attachmentsMax } = context
  notices.beginRequest()
  const files = readOrderAttachments(body, { kind: 'campaign', broadcast: false }, attachmentsMax, notices)
  return {
    id,
    external_send_id,
    recipients,
    writes,
    warnings: [...warnings, ...files.warnings],
    broadcast: false,
    ...(properties && { properties }),
    ...(files.attachments && { attachments: files.attachments }),
  }
}

function readExternalSendId(given: unknown): string | null {
  if (!isGiven(given)) return null
  if (typeof given !== 'string' || !externalSendIdForm.test(given)) throw invalid(badExternalSendId)
  return given
}

/** Throws 400 unless the campaign is active and transactional. */
async function checkCampaign(tx: Tx, workspace_id: number, id: string): Promise<void> {
  const flow = await findFlow(tx, workspace_id, 'campaign', id)
  if (!flow) throw invalid(noSuchCampaign)
  if (flow.class !== 'transactional') throw invalid(notTransactional)
  const inactive = triggerRules.campaign.notices[flow.state]
  if (inactive !== undefined) throw invalid(inactive)
}

/** Stores the send where its id or its status is needed later. Returns false when its id has sent before. */
async function reserve(
  tx: Tx,
  { workspace_id, clock }: Call,
  send: TransactionalSend,
  { workspaces }: TriggerServices,
): Promise<boolean> {
  const isTold = workspaces.get(workspace_id).settings.transactional_status_url !== undefined
  if (send.external_send_id === null && !isTold) return true
  const nowMs = clock.elapsed()
  const times = { nowMs, expiresMs: nowMs + externalSendIdKeptMs, dueMs: isTold ? nowMs : undefined }
  return insertSend(tx, workspace_id, send, times)
}

function replyOf(send: TransactionalSend): TransactionalReply {
  return { dispatch_id: uuidToHex(send.dispatch_id), status: 'sent', metadata: metadataOf(send) }
}
