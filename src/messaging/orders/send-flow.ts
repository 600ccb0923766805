import type { Call } from '../../base/call.ts'
import { conflict, invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { Notices } from '../../base/http/notices.ts'
import { isObject } from '../../people/values/values.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { findFlow, unknownFlow } from '../flows/find-flows.ts'
import type { Flow, FlowKind } from '../flows/flow.ts'
import type { OrderReply } from './accept-order.ts'
import { FlowSendBody, notWithSend, oneOfThem, unknownMember, writingMembers } from './flow-send-schema.ts'
import { placeFlowOrder, readFlowOrder, type TriggerServices } from './place-flow-order.ts'
import { isPresent, type RequestBody, readBody } from './read-body.ts'
import { readOrderSchedule } from './read-order-schedule.ts'

/**
 * Accepts the order of an administrator by which people enter a flow, now or later, with an audit row. It is read and accepted as the
 * public calls do. Throws 404 for an unknown flow, 409 for one that is not active, 400 for a mistake in the order.
 */
export async function sendFlow(
  call: Call,
  workspace_id: number,
  { kind, id }: { readonly kind: FlowKind; readonly id: string },
  given: unknown,
  services: TriggerServices,
): Promise<OrderReply> {
  const body = readBody(given)
  const flow = await findFlow(call.db, workspace_id, kind, id)
  if (!flow) throw unknownFlow(kind, id)
  if (flow.state !== 'active') throw conflict(`The ${kind} is ${stateWords[flow.state]}, so nobody enters it`)
  const order = orderOf(body, flow)
  const own = { ...call, workspace_id, strict: false }
  const notices = new Notices(false)
  const read = readFlowOrder(own, kind, order, services, notices)
  const request = { ...read, ...(isPresent(body.segment_id) && { segment_id: body.segment_id }) }
  const schedule = isPresent(body.schedule) ? await readOrderSchedule(own, body.schedule, notices) : undefined
  const commit: Commit = (work) =>
    call.db.transaction(async (tx) => {
      const reply = await work(tx)
      const target = { kind, id, name: flow.name }
      const after = { ...auditedOf(body), ...('dispatch_id' in reply && { dispatch_id: reply.dispatch_id }) }
      await recordAudit(tx, call, { action: `${kind}.send`, target, after, workspace_id })
      return reply
    })
  return placeFlowOrder(own, kind, request, services, commit, notices, schedule)
}

const stateWords: Readonly<Record<Exclude<Flow['state'], 'active'>, string>> = {
  draft: 'a draft',
  paused: 'paused',
  archived: 'archived',
}

/** Returns the order as the public calls have it. A member that is not known could be meant to narrow it, so it is refused. Throws 400. */
function orderOf(body: RequestBody, { kind, id }: Flow): RequestBody {
  const unknown = Object.keys(body).find((name) => !(name in FlowSendBody.properties))
  if (unknown !== undefined) throw invalid(unknownMember(unknown))
  const { recipients, audience, segment_id, schedule: _, ...more } = body
  if ([recipients, audience, segment_id].filter(isPresent).length > 1) throw invalid(oneOfThem)
  for (const [i, recipient] of (Array.isArray(recipients) ? recipients : []).entries()) {
    const named = isObject(recipient) ? writingMembers.find((name) => name in recipient) : undefined
    if (named !== undefined) throw invalid(notWithSend(`recipients[${i}].${named}`))
  }
  return {
    ...more,
    [`${kind}_id`]: id,
    ...(isPresent(recipients) ? { recipients } : { broadcast: true }),
    ...(isPresent(audience) && { audience }),
  }
}

/** What the audit keeps of an order: no data of people. */
function auditedOf({ recipients, audience, segment_id, schedule }: RequestBody): object {
  return {
    ...(Array.isArray(recipients) && { recipients: recipients.length }),
    ...(isPresent(audience) && { audience }),
    ...(isPresent(segment_id) && { segment_id }),
    ...(isPresent(schedule) && { schedule }),
  }
}
