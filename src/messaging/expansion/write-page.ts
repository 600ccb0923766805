import type { Tx } from '../../base/db/db.ts'
import { nextProfileId } from '../../base/ids.ts'
import { lockFlows } from '../flows/store.ts'
import { enterByOrder } from '../journeys/enter-people.ts'
import type { MoveServices } from '../journeys/services.ts'
import type { DecisionReason } from '../ledger/reasons.ts'
import { type Decision, recordDecisions } from '../ledger/record-decisions.ts'
import { emailChannel } from '../messages/message.ts'
import { insertMessages } from '../messages/message-store.ts'
import { endStateOf } from '../messages/states.ts'
import { leftoverZone } from '../orders/schedule.ts'
import type { FlowTarget } from '../orders/sending.ts'
import { addFound, advanceSlot, type ClaimedSlot, endSlot, type SlotProgress } from '../orders/slot-store.ts'
import type { FoundRecipient } from './find-recipients.ts'
import { loadTimings, type Timings } from './load-timings.ts'
import type { UnknownRecipient } from './resolve-recipients.ts'

/** Thrown inside a turn whose slot is somebody else's by now, or was paused or cancelled. */
export class LeaseLost extends Error {}

/** A page of the people of a slot. */
export type SlotPage = {
  readonly people: readonly FoundRecipient[]
  readonly nobody: readonly UnknownRecipient[]
  readonly after: SlotProgress['after']
  /** What the slot ends with, where something was wrong. */
  readonly failure?: string | undefined
}

/**
 * What is written of a page: cursor, messages or entries, and the decisions about those to whom nothing is sent. Throws `LeaseLost`, and
 * then nothing may be kept.
 */
export async function writePage(
  tx: Tx,
  claimed: ClaimedSlot,
  found: SlotPage,
  isLast: boolean,
  parts: MoveServices,
): Promise<void> {
  const { people, nobody, after, failure = null } = found
  // Whoever is left at the end was found before, for the most part.
  const isSweep = claimed.zone === leftoverZone
  const progress = { after, found: isSweep ? 0 : people.length, unknown: nobody.length }
  // First of all: it holds the slot, so that a pause comes before the whole page or after it.
  const isOurs = isLast ? await endSlot(tx, claimed, failure, progress) : await advanceSlot(tx, claimed, progress)
  if (!isOurs) throw new LeaseLost()
  const judged = people.map((each) => ({ ...each, refused: each.refused ?? ofSlot(claimed) }))
  const written = await writePeople(tx, claimed, judged, parts)
  if (isSweep) await addFound(tx, claimed, written.count)
  const { workspace_id, dispatch_id, sending } = claimed
  const decided = {
    workspace_id,
    cause: dispatch_id,
    channel: emailChannel,
    stampUs: parts.clock.stamp(),
    flow_id: sending.flow?.flow_id ?? sending.campaign?.flow_id ?? null,
  }
  await recordDecisions(tx, [
    ...written.refused.map((each) => ({ ...decided, ...each })),
    ...nobody.map((each) => ({ ...decided, ...each, profile_id: '0', reason: 'no_such_user' as const })),
  ])
}

/** How many are new, and those of them who get nothing. */
type Written = {
  readonly count: number
  readonly refused: readonly Omit<Decision, 'workspace_id' | 'cause' | 'channel' | 'stampUs'>[]
}

async function writePeople(
  tx: Tx,
  claimed: ClaimedSlot,
  people: readonly FoundRecipient[],
  parts: MoveServices,
): Promise<Written> {
  const timings = await loadTimings(tx, claimed, people, parts)
  const { flow } = claimed.sending
  return flow ? enterAll(tx, claimed, flow, people, timings, parts) : queue(tx, claimed, people, timings, parts)
}

async function queue(
  tx: Tx,
  claimed: ClaimedSlot,
  people: readonly FoundRecipient[],
  timings: Timings,
  { clock }: MoveServices,
): Promise<Written> {
  const { workspace_id, dispatch_id, class: kind, sending } = claimed
  const messages = people.map(({ person: who, step = '', visit = 0, refused }) => ({
    person: who,
    step,
    visit,
    refused,
    message_id: nextProfileId(who.bucket, clock.elapsed()),
    ended: refused && { state: endStateOf(refused.reason), reason: refused.reason },
    dueMs: timings.get(who.profile_id)?.dueMs,
  }))
  const { campaign } = sending
  const cause = {
    ...{ workspace_id, cause: dispatch_id, channel: emailChannel, class: kind },
    ...{ plannedMs: plannedMsOf(claimed), dueMs: clock.now() },
    ...(campaign && { flow_id: campaign.flow_id, variant: campaign.variation_id }),
  }
  const made = await insertMessages(tx, cause, messages)
  return {
    count: made.size,
    refused: messages.flatMap(({ message_id, step, visit, refused }) => {
      const message = made.get(message_id)
      return refused && message ? [{ ...message, step, visit, ...refused }] : []
    }),
  }
}

/** Whoever is refused has an entry as well, and who makes people enter says why. */
async function enterAll(
  tx: Tx,
  claimed: ClaimedSlot,
  { flow_id, properties }: FlowTarget,
  people: readonly FoundRecipient[],
  timings: Timings,
  parts: MoveServices,
): Promise<Written> {
  const closed = await closedFor(tx, flow_id)
  // Nobody was promised anything by an order to everybody.
  const arriving = closed && !claimed.sending.recipients ? [] : people
  if (arriving.length === 0) return { count: 0, refused: [] }
  const count = await enterByOrder(
    tx,
    { dispatch_id: claimed.dispatch_id, flow_id, properties, nowMs: parts.clock.now() },
    arriving.map(({ person: who, properties: own, refused }) => {
      const timing = timings.get(who.profile_id)
      return { person: who, properties: own, refused: refused ?? closed, dueMs: timing?.dueMs, timing }
    }),
    parts,
  )
  return { count, refused: [] }
}

/** Why nobody enters a flow by an order now. Its state stays what it is while the transaction lasts. */
async function closedFor(tx: Tx, flow_id: number): Promise<DecisionReason | undefined> {
  const state = (await lockFlows(tx, [flow_id])).get(flow_id)
  if (state === 'active') return undefined
  const inputs = { state: state ?? 'deleted' }
  if (state === 'paused') return { reason: 'canvas_paused', inputs }
  return { reason: 'cancelled', rule: 'nobody enters what is not active', inputs }
}

function plannedMsOf({ dueMs, createdMs, resumedMs = 0 }: ClaimedSlot): number {
  return Math.max(dueMs, createdMs, resumedMs)
}

/** Why nothing is sent to anybody of a slot. */
function ofSlot({ reason, zone, dueMs }: ClaimedSlot): DecisionReason | undefined {
  if (reason === null) return undefined
  const inputs = { zone, due_at: new Date(dueMs).toISOString() }
  return { reason, inputs }
}
