import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { getFlow } from '../flows/find.ts'
import type { Flow, FlowKind } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { type AcceptedOrder, acceptOrder } from './accept-order.ts'
import { type Body, readTriggerRequest, type TriggerRequest } from './read-trigger-request.ts'
import type { Schedule } from './schedule.ts'
import { checkSendId } from './send-id-store.ts'
import { triggerRules } from './trigger-rules.ts'
import { type AttributeServices, writeAttributes } from './write-attributes.ts'

export type TriggerServices = AttributeServices & {
  workspaces: Workspaces
  graphs: Graphs
  serviceName: string
  parseServiceId(text: string): string | undefined
  /** Something is due, or may be sooner than before. */
  pokeExpander(): void
}

/** The answer to an order. */
export type OrderReply = AcceptedOrder & { readonly send_id?: string; readonly notice?: string }

/** What one verb needs beside the call. */
export type TriggerCall = { readonly kind: FlowKind; readonly parts: TriggerServices; readonly commit: Commit }

/** Reads the body of an order against what the workspace knows. Throws 400. */
export function readTrigger(call: Call, body: Body, { kind, parts }: Omit<TriggerCall, 'commit'>): TriggerRequest {
  const { settings, appIds, groups, reservedExternalIds } = parts.workspaces.get(call.workspace_id)
  return readTriggerRequest(body, kind, {
    suspicious: true,
    appIds,
    groups,
    reservedExternalIds,
    serviceName: parts.serviceName,
    parseServiceId: parts.parseServiceId,
    setsGroups: triggerRules[kind].setsGroups,
    patternMax: settings.regex_characters_max,
  })
}

/**
 * Writes down who is to enter what when, and before it what the order says of its recipients. Throws 400 for a flow that is unknown or
 * that nobody enters by the interface; then nothing is written.
 */
export async function placeFlowOrder(
  call: Call,
  asked: TriggerRequest,
  trigger: TriggerCall,
  schedule?: Schedule,
): Promise<OrderReply> {
  const { kind, parts, commit } = trigger
  if (asked.writings.length > 0) {
    const { flow } = await getTriggered(call.db, call, asked.id, kind, parts)
    await checkSendId(call.db, call.workspace_id, asked.send_id, flow.flow_id)
    await writeAttributes(call, asked.writings, parts)
  }
  const answer = await commit((tx) => order(tx, call, asked, trigger, schedule))
  parts.pokeExpander()
  return answer
}

async function order(
  tx: Tx,
  call: Call,
  asked: TriggerRequest,
  { kind, parts }: TriggerCall,
  schedule: Schedule | undefined,
): Promise<OrderReply> {
  const { recipients, audience, broadcast, properties, send_id } = asked
  const { flow, wanted } = await getTriggered(tx, call, asked.id, kind, parts)
  await checkSendId(tx, call.workspace_id, send_id, flow.flow_id)
  const accepted = await acceptOrder(tx, call, {
    sending: {
      ...(recipients.length > 0 && { recipients }),
      ...(audience !== undefined && { audience }),
      broadcast,
      recipient_subscription_state: wanted,
      override_frequency_capping: false,
      flow: { flow_id: flow.flow_id, kind: flow.kind, id: flow.id, by: 'api', ...(properties && { properties }) },
    },
    class: flow.class,
    schedule,
    send_id,
  })
  const notice = noticeOf(flow, asked.warnings)
  return { ...accepted, ...(send_id !== undefined && { send_id }), ...(notice !== undefined && { notice }) }
}

/** A canvas or campaign that takes orders. Throws 400. */
async function getTriggered(tx: Tx, { workspace_id }: Call, id: string, kind: FlowKind, { graphs }: TriggerServices) {
  const flow = await getFlow(tx, workspace_id, kind, id)
  const { entry, wanted } = await graphs.graphOf(tx, flow.flow_id, flow.version)
  if (!entry.by.has('api')) throw invalid(triggerRules[kind].notTriggered)
  return { flow, wanted }
}

function noticeOf({ kind, state }: Flow, warnings: readonly string[]): string | undefined {
  const { notices } = triggerRules[kind]
  const all = [notices[state] ?? [], warnings.map((warning) => `${warning}.`)].flat()
  return all.length === 0 ? undefined : all.join(' ')
}
