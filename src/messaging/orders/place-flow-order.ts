import { getSegment } from '../../audience/segments/find.ts'
import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import type { Notices } from '../../base/http/notices.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { getFlow } from '../flows/find-flows.ts'
import type { Flow, FlowKind, Graph } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { acceptOrder, type OrderReply, toOrderReply } from './accept-order.ts'
import type { RequestBody } from './read-body.ts'
import { checkOrderAttachments } from './read-order-attachments.ts'
import { readTriggerRequest, type TriggerContext, type TriggerRequest } from './read-trigger-request.ts'
import type { Schedule } from './schedule.ts'
import { checkSendId } from './send-id-store.ts'
import { triggerRules } from './trigger-rules.ts'
import { type AttributeServices, writeAttributes } from './write-attributes.ts'

export type TriggerServices = AttributeServices & {
  readonly workspaces: Workspaces
  readonly graphs: Graphs
  readonly wakeups: Wakeups
  readonly serviceName: string
  parseServiceId(text: string): string | undefined
}

/** Reads a request to trigger a flow against what the workspace has. Throws 400. */
export function readFlowOrder(
  call: Call,
  kind: FlowKind,
  body: RequestBody,
  services: TriggerServices,
  notices: Notices,
): TriggerRequest {
  return readTriggerRequest(body, kind, triggerContext(call, kind, services, notices))
}

export function triggerContext(
  { workspace_id }: Call,
  kind: FlowKind,
  { workspaces, serviceName, parseServiceId }: TriggerServices,
  notices: Notices,
): TriggerContext {
  const { settings, appIds, groups, reservedExternalIds, blockedAttributes } = workspaces.get(workspace_id)
  return {
    suspicious: true,
    appIds,
    groups,
    reservedExternalIds,
    serviceName,
    parseServiceId,
    setsGroups: triggerRules[kind].setsGroups,
    localEmails: settings.local_email_domains,
    nestedNulls: settings.nested_nulls,
    blockedAttributes,
    attachmentsMax: settings.attachments_max,
    patternMax: settings.regex_characters_max,
    notices,
  }
}

/**
 * Writes the attributes of the recipients, then accepts the order. The answer has the notices. Throws 400 for a flow that is unknown or is
 * not triggered by the interface; nothing is written then.
 */
export async function placeFlowOrder(
  call: Call,
  kind: FlowKind,
  request: TriggerRequest,
  services: TriggerServices,
  commit: Commit,
  notices: Notices,
  schedule?: Schedule,
): Promise<OrderReply> {
  await writeOrderAttributes(call, kind, request, services, notices)
  const reply = await commit(async (tx) => ({
    ...(await acceptTrigger(tx, call, kind, request, services, schedule)),
    ...notices.members(),
  }))
  services.wakeups.wake('expansion')
  return reply
}

/** Writes the attributes of the recipients of an order that would be accepted now. Throws 400. */
export async function writeOrderAttributes(
  call: Call,
  kind: FlowKind,
  request: TriggerRequest,
  services: TriggerServices,
  notices: Notices,
): Promise<void> {
  notices.check()
  if (request.writes.length === 0) return
  await findOrderedFlow(call.db, call, kind, request, services)
  await writeAttributes(call, request.writes, services, notices)
}

/** Accepts an order by which people enter a flow. Throws 400. */
export async function acceptTrigger(
  tx: Tx,
  call: Call,
  kind: FlowKind,
  request: TriggerRequest,
  services: TriggerServices,
  schedule: Schedule | undefined,
): Promise<OrderReply> {
  const { recipients, segment_id, audience, broadcast, properties, attachments, send_id, dispatch_id, warnings } =
    request
  const { flow, graph } = await findOrderedFlow(tx, call, kind, request, services)
  const segment = segment_id === undefined ? undefined : await getSegment(tx, call.workspace_id, segment_id)
  const more = { ...(properties && { properties }), ...(attachments && { attachments }) }
  const accepted = await acceptOrder(tx, call, {
    sending: {
      ...(recipients.length > 0 && { recipients }),
      ...(segment && { segment_id: segment.id }),
      ...(audience !== undefined && { audience }),
      broadcast,
      recipient_subscription_state: graph.wanted,
      override_frequency_capping: false,
      flow: { flow_id: flow.flow_id, kind, id: flow.id, by: 'api', ...more },
    },
    class: flow.class,
    schedule,
    send_id,
    dispatch_id,
  })
  return toOrderReply(accepted, send_id, triggerNotice(flow, warnings))
}

/** Returns the flow of an order after a check of what the order names. Throws 400. */
async function findOrderedFlow(
  tx: Tx,
  { workspace_id }: Call,
  kind: FlowKind,
  { id, send_id, attachments }: TriggerRequest,
  { graphs, workspaces }: TriggerServices,
): Promise<{ flow: Flow; graph: Graph }> {
  const flow = await getFlow(tx, workspace_id, kind, id)
  const graph = await graphs.get(tx, flow.flow_id, flow.version)
  if (!graph.entry.by.has('api')) throw invalid(triggerRules[kind].notTriggered)
  await checkSendId(tx, workspace_id, send_id, flow.flow_id)
  const { attachments_max } = workspaces.get(workspace_id).settings
  await checkOrderAttachments(tx, workspace_id, attachments, graph, attachments_max)
  return { flow, graph }
}

function triggerNotice({ kind, state }: Flow, warnings: readonly string[]): string | undefined {
  const notices = [triggerRules[kind].notices[state] ?? [], warnings.map((warning) => `${warning}.`)].flat()
  return notices.length === 0 ? undefined : notices.join(' ')
}
