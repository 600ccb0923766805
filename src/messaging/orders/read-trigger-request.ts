import { parseAudience } from '../../audience/conditions/parse-condition.ts'
import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import type { MessageFile } from '../channels/channel.ts'
import { readFlowId } from '../flows/find-flows.ts'
import type { FlowKind } from '../flows/flow.ts'
import { noRecipients } from './order-schema.ts'
import { isPresent, type RequestBody, readFlag, readSendId } from './read-body.ts'
import { readOrderAttachments } from './read-order-attachments.ts'
import { readProperties } from './read-properties.ts'
import { type RecipientContext, readTriggerRecipients, type TriggerRecipients } from './read-trigger-recipients.ts'
import type { Properties } from './sending.ts'
import { triggerRules } from './trigger-rules.ts'
import { broadcastForbidden, broadcastRequired, sendIdNotStored } from './trigger-schema.ts'

/** What a workspace has that a request to trigger a flow is read against. */
export type TriggerContext = RecipientContext & { readonly patternMax: number; readonly attachmentsMax: number }

/** A request to trigger a flow, read. */
export type TriggerRequest = TriggerRecipients & {
  readonly id: string
  /** The id of a segment, besides that of the flow, as it was given. Only orders of administrators have one. */
  readonly segment_id?: unknown
  /** A tree of conditions as the request gave it, checked by `parseAudience`. */
  readonly audience?: unknown
  readonly broadcast: boolean
  /** Properties for all recipients. Those of a recipient override them, key by key. */
  readonly properties?: Properties
  /** Files for the mails of all recipients. */
  readonly attachments?: readonly MessageFile[]
  readonly send_id?: string
  /** The id of the order as a UUID, where a row with it is stored before. */
  readonly dispatch_id?: string
}

/**
 * Reads a request to trigger a flow (contract 4.8): its id, recipients, audience, broadcast, properties, in this order. Unknown members
 * are ignored. Nothing is looked up in the database. Throws 400.
 */
export function readTriggerRequest(body: RequestBody, kind: FlowKind, context: TriggerContext): TriggerRequest {
  const id = readFlowId(body[`${kind}_id`], kind)
  const people = readTriggerRecipients(body.recipients, context)
  const audience = isPresent(body.audience) ? body.audience : undefined
  if (audience !== undefined) parseAudience(audience, 'audience', context.patternMax)
  const broadcast = readFlag(body, 'broadcast')
  if (broadcast && people.recipients.length > 0) throw invalid(broadcastForbidden)
  if (!broadcast && people.recipients.length === 0) throw invalid(noRecipients, [broadcastRequired])
  const properties = readProperties(body, '')
  const { hasSendId } = triggerRules[kind]
  const send_id = hasSendId ? readSendId(body.send_id) : undefined
  context.notices.beginRequest()
  if (!hasSendId && isGiven(body.send_id)) context.notices.add('send_id', sendIdNotStored)
  const { attachments, warnings } = readOrderAttachments(
    body,
    { kind, broadcast },
    context.attachmentsMax,
    context.notices,
  )
  return {
    id,
    ...people,
    warnings: [...people.warnings, ...warnings],
    ...(audience !== undefined && { audience }),
    broadcast,
    ...(properties && { properties }),
    ...(attachments && { attachments }),
    ...(send_id !== undefined && { send_id }),
  }
}
