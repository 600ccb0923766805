import type { Tx } from '../../base/db/db.ts'
import { uuidToHex } from '../../base/ids.ts'
import { toTimeZone } from '../../people/values/time-zones.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import { channelOf } from '../channels/channels.ts'
import { type Graph, sentBy } from '../flows/flow.ts'
import { lockFlows } from '../flows/flow-store.ts'
import { type Graphs, graphKey } from '../flows/graphs.ts'
import { type EntryMessage, resendVisits } from '../messages/message.ts'
import { type EndReason, endFor, holdBack, type MessageOutcome, postpone } from '../messages/outcome.ts'
import type { MessageToPrepare } from '../messages/prepared-message.ts'
import type { ContentSending } from '../orders/sending.ts'
import { type EntryEligibilityRow, listEntryEligibility } from './entry-eligibility-store.ts'
import { quietUntil } from './quiet-hours.ts'

/** The states of the entry, the flow and the person of a message, and the graph of its version. */
export type EntryEligibility = EntryEligibilityRow & { readonly graph: Graph }

export type EligibilityServices = {
  readonly graphs: Pick<Graphs, 'getAll'>
  settingsOf(
    workspace_id: number,
  ): Pick<Settings, 'time_zone' | 'quiet_hours' | 'frequency_cap' | 'global_control_group'>
}

/** Returns the eligibility of messages by their ids. Locks flows that are not active until the transaction ends. */
export async function readEntryEligibility(
  tx: Tx,
  messages: readonly EntryMessage[],
  { graphs }: EligibilityServices,
  withProperties: boolean,
): Promise<ReadonlyMap<string, EntryEligibility>> {
  if (messages.length === 0) return new Map()
  const versions = messages.map(({ flow_id, flow_version: version }) => ({ flow_id, version }))
  const known = await graphs.getAll(tx, versions)
  const rows = await listEntryEligibility(tx, messages, withProperties)
  const inactive = rows.filter(({ flow_state }) => flow_state !== 'active')
  const locked = await (inactive.length === 0
    ? undefined
    : lockFlows(tx, [...new Set(inactive.map(({ n }) => messages[n - 1]!.flow_id))]))
  return new Map(
    rows.map((row) => {
      const { message_id, flow_id } = messages[row.n - 1]!
      const flow_state = row.flow_state === 'active' ? row.flow_state : (locked?.get(flow_id) ?? null)
      return [message_id, { ...row, flow_state, graph: known.get(graphKey(versions[row.n - 1]!))! }]
    }),
  )
}

/** Returns why the flow or the entry stops a message now, or undefined if neither does. Pure. */
export function checkEntry(message: EntryMessage, entry: EntryEligibility | undefined): MessageOutcome | undefined {
  if (!entry) return endFor({ reason: 'cancelled', rule: 'the canvas was deleted' })
  // A message that is sent again by hand does not depend on the entry.
  const left = message.visit < resendVisits ? endOfLeftEntry(message, entry) : undefined
  if (left) return endFor(left)
  if (entry.flow_state === 'paused') return holdBack(message)
  if (entry.flow_state === 'active') return undefined
  const inputs = { state: entry.flow_state ?? 'deleted' }
  return endFor({ reason: 'cancelled', rule: 'the canvas or campaign is not active', inputs })
}

/** Returns why the entry does not wait at this step any more, or undefined if it does. */
function endOfLeftEntry({ step }: EntryMessage, { entry_state, ended: how }: EntryEligibility): EndReason | undefined {
  if (entry_state === 'sending') return undefined
  const rule = 'the person has left the canvas'
  const inputs = { step, entry: how ?? entry_state }
  return { reason: how === 'exited' || how === 'merged' ? how : 'cancelled', rule, inputs }
}

/** Postpones or ends a marketing message in the quiet hours of the person. Returns undefined outside of them. Pure. */
export function checkQuietHours(
  message: EntryMessage,
  { graph, time_zone }: EntryEligibility,
  settings: Pick<Settings, 'time_zone' | 'quiet_hours'>,
  nowMs: number,
): MessageOutcome | undefined {
  const { quiet_hours } = settings
  if (!quiet_hours || message.class !== 'marketing' || graph.quietHours === 'ignore') return undefined
  const zone = toTimeZone(time_zone ?? '') ?? settings.time_zone
  const untilMs = quietUntil(quiet_hours, nowMs, zone)
  if (untilMs === undefined) return undefined
  if (graph.quietHours === 'hold') return postpone(message, untilMs, message.rates_granted)
  const inputs = { ...quiet_hours, time_zone: zone, as_of: new Date(nowMs).toISOString() }
  return endFor({ reason: 'quiet_hours', rule: 'nothing is sent in quiet hours', inputs })
}

/** Returns the content of the step of a message with the files of its order, or undefined when the version has no such step. Pure. */
export function stepSending(
  { step }: Pick<EntryMessage, 'step'>,
  { graph, attachments }: Pick<EntryEligibility, 'graph' | 'attachments'>,
): ContentSending | undefined {
  const found = sentBy(graph.steps.get(step))
  if (!found) return undefined
  const { content: own } = found
  const content = attachments ? (channelOf(found.channel).content.withFiles?.(own, attachments) ?? own) : own
  return { content, recipient_subscription_state: graph.wanted, override_frequency_capping: false }
}

/** Returns the variables of Liquid about the flow and the entry of a message. Pure. */
export function liquidContext(
  { cause, step }: Pick<EntryMessage, 'cause' | 'step'>,
  entry: EntryEligibility,
): NonNullable<MessageToPrepare['about']> {
  const { kind, id, name, dispatch_id, graph, event } = entry
  const properties = entry.properties ?? {}
  const variant = graph.variants.find((each) => each.id === entry.variant)
  const sent = { dispatch_id: uuidToHex(dispatch_id ?? cause) }
  const trigger = { ...(event && { event_properties: event }) }
  if (kind === 'campaign') {
    const message = { ...(variant && { message_api_id: variant.id, message_name: variant.name }) }
    return { ...trigger, api_trigger_properties: properties, campaign: { ...sent, api_id: id, name, ...message } }
  }
  const named = { ...(variant && { variant_api_id: variant.id, variant_name: variant.name }) }
  const { name: message_name } = graph.steps.get(step) ?? { name: step }
  return {
    ...trigger,
    canvas_entry_properties: properties,
    context: properties,
    canvas: { api_id: id, name, ...named },
    campaign: { ...sent, message_name, message_api_id: step },
  }
}
