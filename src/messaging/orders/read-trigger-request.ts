import { parseAudience } from '../../audience/conditions/parse-condition.ts'
import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { readFlowId } from '../flows/find.ts'
import type { FlowKind } from '../flows/flow.ts'
import { texts } from './message-schema.ts'
import { isPresent, readFlag } from './read-message-recipients.ts'
import { readSendId } from './read-message-request.ts'
import { type Properties, readProperties } from './read-properties.ts'
import { type RecipientRules, readTriggerRecipients, type TriggerRecipients } from './read-trigger-recipients.ts'
import { triggerRules } from './trigger-rules.ts'
import { attachmentsNotSent, broadcastForbidden, broadcastRequired } from './trigger-schema.ts'

export type Body = Readonly<Record<string, unknown>>

export type ReadTriggerRules = RecipientRules & { readonly patternMax: number }

/** An order to a canvas or a campaign that was read: which, who is meant, and what they enter with. */
export type TriggerRequest = TriggerRecipients & {
  readonly id: string
  /** A tree as it was sent; `readAudience` has accepted it. */
  readonly audience?: unknown
  readonly broadcast: boolean
  /** Of everybody; those of a recipient win, key by key. */
  readonly properties?: Properties
  readonly send_id?: string
}

/**
 * Reads an order (contract 4.8): the flow's id, recipients, audience, broadcast, properties, in this order. Unknown members are ignored.
 * What only the database knows is not asked. Throws 400.
 */
export function readTriggerRequest(body: Body, kind: FlowKind, rules: ReadTriggerRules): TriggerRequest {
  const id = readFlowId(body[`${kind}_id`], kind)
  const people = readTriggerRecipients(body.recipients, rules)
  const audience = isPresent(body.audience) ? body.audience : undefined
  if (audience !== undefined) parseAudience(audience, 'audience', rules.patternMax)
  const broadcast = readFlag(body, 'broadcast')
  if (broadcast && people.recipients.length > 0) throw invalid(broadcastForbidden)
  if (!broadcast && people.recipients.length === 0) throw invalid(texts.noRecipients, [broadcastRequired])
  const properties = readProperties(body, '')
  const send_id = triggerRules[kind].hasSendId ? readSendId(body.send_id) : undefined
  refuseAttachments(body)
  return {
    id,
    ...people,
    ...(audience !== undefined && { audience }),
    broadcast,
    ...(properties && { properties }),
    ...(send_id !== undefined && { send_id }),
  }
}

/** A mail that lacks its file is worse than none. */
function refuseAttachments({ attachments }: Body): void {
  const isEmpty = Array.isArray(attachments) && attachments.length === 0
  if (isGiven(attachments) && !isEmpty) throw invalid(attachmentsNotSent)
}
