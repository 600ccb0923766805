import type { Tx } from '../../base/db/db.ts'
import { nextProfileId } from '../../base/ids.ts'
import { channelNames, channelOf } from '../channels/channels.ts'
import { lockFlows } from '../flows/flow-store.ts'
import { enterByOrder } from '../journeys/enter-people.ts'
import type { MoveServices } from '../journeys/services.ts'
import { endStateOf } from '../ledger/end-states.ts'
import type { DecisionReason } from '../ledger/reasons.ts'
import { type Decision, recordDecisions } from '../ledger/record-decisions.ts'
import { insertMessages } from '../messages/message-store.ts'
import { leftoverZone } from '../orders/schedule.ts'
import { contentsOf, type FlowTarget } from '../orders/sending.ts'
import { addFound, advanceSlot, type ClaimedSlot, endSlot, type SlotProgress } from '../orders/slot-store.ts'
import type { FoundRecipient } from './find-recipients.ts'
import { loadTimings, type Timings } from './load-timings.ts'
import type { UnknownRecipient } from './resolve-recipients.ts'

/** Thrown when another worker has claimed the slot, or its order was paused or cancelled. */
export class LeaseLost extends Error {}

/** A page of the people of a slot. */
export type SlotPage = {
  readonly people: readonly FoundRecipient[]
  readonly unknown: readonly UnknownRecipient[]
  readonly after: SlotProgress['after']
  /** Why the slot fails. */
  readonly failure?: string | undefined
}

/**
 * Writes a page: the cursor, messages or entries, and the decisions about people that get no message. Throws `LeaseLost`; `tx` must be
 * rolled back then.
 */
export async function writePage(
  tx: Tx,
  claimed: ClaimedSlot,
  found: SlotPage,
  isLast: boolean,
  services: MoveServices,
): Promise<void> {
  const { people, unknown, after, failure = null } = found
  // Most people of the last slot were found by the slots before it.
  const isLeftover = claimed.zone === leftoverZone
  const progress = { after, found: isLeftover ? 0 : people.length, unknown: unknown.length }
  // Locks the slot first, so that a pause comes before the page or after it.
  const hasLease = isLast ? await endSlot(tx, claimed, failure, progress) : await advanceSlot(tx, claimed, progress)
  if (!hasLease) throw new LeaseLost()
  const recipients = people.map((each) => ({ ...each, refused: each.refused ?? slotRefusal(claimed) }))
  const written = await writePeople(tx, claimed, recipients, services)
  if (isLeftover) await addFound(tx, claimed, written.count)
  const { workspace_id, dispatch_id, sending } = claimed
  const decided = {
    workspace_id,
    cause: dispatch_id,
    channel: channelsOf(claimed)[0]!,
    stampUs: services.clock.stamp(),
    flow_id: sending.flow?.flow_id ?? sending.campaign?.flow_id ?? null,
  }
  await recordDecisions(tx, [
    ...written.refused.map((each) => ({ ...decided, ...each })),
    ...unknown.map((each) => ({ ...decided, ...each, profile_id: '0', reason: 'no_such_user' as const })),
  ])
}

/** Returns the channels of an order. One without a content has the first of all, so that each recipient ends with a reason. */
function channelsOf({ sending }: ClaimedSlot): readonly string[] {
  const names = Object.keys(contentsOf(sending))
  return names.length > 0 ? names : channelNames().slice(0, 1)
}

/** How many messages or entries are new, and which of them ended with a reason. */
type WrittenPage = {
  readonly count: number
  readonly refused: readonly Omit<Decision, 'workspace_id' | 'cause' | 'stampUs'>[]
}

async function writePeople(
  tx: Tx,
  claimed: ClaimedSlot,
  people: readonly FoundRecipient[],
  services: MoveServices,
): Promise<WrittenPage> {
  const timings = await loadTimings(tx, claimed, people, services)
  const { flow } = claimed.sending
  return flow
    ? enterFlow(tx, claimed, flow, people, timings, services)
    : queueMessages(tx, claimed, people, timings, services)
}

async function queueMessages(
  tx: Tx,
  claimed: ClaimedSlot,
  people: readonly FoundRecipient[],
  timings: Timings,
  services: MoveServices,
): Promise<WrittenPage> {
  const pages: WrittenPage[] = []
  for (const channel of channelsOf(claimed)) {
    pages.push(await queueMessagesOf(tx, channel, claimed, people, timings, services))
  }
  return { count: Math.max(0, ...pages.map(({ count }) => count)), refused: pages.flatMap(({ refused }) => refused) }
}

async function queueMessagesOf(
  tx: Tx,
  channel: string,
  claimed: ClaimedSlot,
  people: readonly FoundRecipient[],
  timings: Timings,
  { clock }: MoveServices,
): Promise<WrittenPage> {
  const { workspace_id, dispatch_id, class: kind, sending } = claimed
  const messages = people.map(({ person, step = '', visit = 0, refused }) => ({
    person,
    step,
    visit,
    refused,
    message_id: nextProfileId(person.bucket, clock.elapsed()),
    ended: refused && { state: endStateOf(refused.reason), reason: refused.reason },
    dueMs: timings.get(person.profile_id)?.dueMs,
  }))
  const { campaign } = sending
  const cause = {
    ...{ workspace_id, cause: dispatch_id, channel, class: channelOf(channel).onlyClass ?? kind },
    ...{ plannedMs: plannedTime(claimed), dueMs: clock.now() },
    ...(campaign && { flow_id: campaign.flow_id, variant: campaign.variation_id }),
  }
  const inserted = await insertMessages(tx, cause, messages)
  return {
    count: inserted.size,
    refused: messages.flatMap(({ message_id, step, visit, refused }) => {
      const message = inserted.get(message_id)
      return refused && message ? [{ ...message, channel, step, visit, ...refused }] : []
    }),
  }
}

/** Makes people enter a flow. A refused person gets an entry too; `enterByOrder` records the reason. */
async function enterFlow(
  tx: Tx,
  claimed: ClaimedSlot,
  { flow_id, properties }: FlowTarget,
  people: readonly FoundRecipient[],
  timings: Timings,
  services: MoveServices,
): Promise<WrittenPage> {
  const closed = await flowRefusal(tx, flow_id)
  // Only named recipients get a reason.
  const arriving = closed && !claimed.sending.recipients ? [] : people
  if (arriving.length === 0) return { count: 0, refused: [] }
  const count = await enterByOrder(
    tx,
    { dispatch_id: claimed.dispatch_id, flow_id, properties, nowMs: services.clock.now() },
    arriving.map(({ person, properties: own, refused }) => {
      const timing = timings.get(person.profile_id)
      return { person, properties: own, refused: refused ?? closed, dueMs: timing?.dueMs, timing }
    }),
    services,
  )
  return { count, refused: [] }
}

/** Returns why people cannot enter a flow now, and locks the state of the flow. */
async function flowRefusal(tx: Tx, flow_id: number): Promise<DecisionReason | undefined> {
  const state = (await lockFlows(tx, [flow_id])).get(flow_id)
  if (state === 'active') return undefined
  const inputs = { state: state ?? 'deleted' }
  if (state === 'paused') return { reason: 'canvas_paused', inputs }
  return { reason: 'cancelled', rule: 'people enter only an active flow', inputs }
}

function plannedTime({ dueMs, createdMs, resumedMs = 0 }: ClaimedSlot): number {
  return Math.max(dueMs, createdMs, resumedMs)
}

/** Returns why nothing is sent to the people of a slot. */
function slotRefusal({ reason, zone, dueMs }: ClaimedSlot): DecisionReason | undefined {
  if (reason === null) return undefined
  const inputs = { zone, due_at: new Date(dueMs).toISOString() }
  return { reason, inputs }
}
