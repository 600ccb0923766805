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
import { readTriggerRequest, type TriggerRequest } from './read-trigger-request.ts'
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
  { workspace_id }: Call,
  kind: FlowKind,
  body: RequestBody,
  { workspaces, serviceName, parseServiceId }: TriggerServices,
  notices: Notices,
): TriggerRequest {
  const { settings, appIds, groups, reservedExternalIds } = workspaces.get(workspace_id)
  return readTriggerRequest(body, kind, {
    suspicious: true,
    appIds,
    groups,
    reservedExternalIds,
    serviceName,
    parseServiceId,
    setsGroups: triggerRules[kind].setsGroups,
    localEmails: settings.local_email_domains,
    patternMax: settings.regex_characters_max,
    notices,
  })
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
  const { graphs, wakeups } = services
  notices.check()
  if (request.writes.length > 0) {
    const { flow } = await getTriggeredFlow(call.db, call, kind, request.id, graphs)
    await checkSendId(call.db, call.workspace_id, request.send_id, flow.flow_id)
    await writeAttributes(call, request.writes, services, notices)
  }
  const reply = await commit(async (tx) => ({
    ...(await acceptTrigger(tx, call, kind, request, graphs, schedule)),
    ...notices.members(),
  }))
  wakeups.wake('expansion')
  return reply
}

async function acceptTrigger(
  tx: Tx,
  call: Call,
  kind: FlowKind,
  { id, recipients, audience, broadcast, properties, send_id, warnings }: TriggerRequest,
  graphs: Graphs,
  schedule: Schedule | undefined,
): Promise<OrderReply> {
  const { flow, graph } = await getTriggeredFlow(tx, call, kind, id, graphs)
  await checkSendId(tx, call.workspace_id, send_id, flow.flow_id)
  const accepted = await acceptOrder(tx, call, {
    sending: {
      ...(recipients.length > 0 && { recipients }),
      ...(audience !== undefined && { audience }),
      broadcast,
      recipient_subscription_state: graph.wanted,
      override_frequency_capping: false,
      flow: { flow_id: flow.flow_id, kind, id: flow.id, by: 'api', ...(properties && { properties }) },
    },
    class: flow.class,
    schedule,
    send_id,
  })
  return toOrderReply(accepted, send_id, triggerNotice(flow, warnings))
}

async function getTriggeredFlow(
  tx: Tx,
  { workspace_id }: Call,
  kind: FlowKind,
  id: string,
  graphs: Graphs,
): Promise<{ flow: Flow; graph: Graph }> {
  const flow = await getFlow(tx, workspace_id, kind, id)
  const graph = await graphs.get(tx, flow.flow_id, flow.version)
  if (!graph.entry.by.has('api')) throw invalid(triggerRules[kind].notTriggered)
  return { flow, graph }
}

function triggerNotice({ kind, state }: Flow, warnings: readonly string[]): string | undefined {
  const notices = [triggerRules[kind].notices[state] ?? [], warnings.map((warning) => `${warning}.`)].flat()
  return notices.length === 0 ? undefined : notices.join(' ')
}
