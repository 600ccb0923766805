import type { Clock } from '../../base/clock.ts'
import { dayOf } from '../../base/days.ts'
import type { Tx } from '../../base/db/db.ts'
import { type PreviousMessage, type ReceivedMessage, receivedKey } from '../../people/received/received.ts'
import { type ExitedFlow, recordReceived } from '../../people/received/received-store.ts'
import { Tally } from '../../workspace/tallies/tally.ts'
import { insertTallyChange } from '../../workspace/tallies/tally-store.ts'
import { type ReleasedEntry, releaseEntries } from '../entries/release-store.ts'
import { StepTally } from '../entries/step-tally.ts'
import { updateLastSent } from '../flows/activity-store.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow, Graph } from '../flows/flow.ts'
import { FlowTally } from '../flows/flow-tally.ts'
import { graphKey } from '../flows/graphs.ts'
import { isEntryMessage, type LeasedMessage } from '../messages/message.ts'
import type { MessageOutcome } from '../messages/outcome.ts'
import { listSendIds } from '../messages/send-ids-store.ts'
import type { TransportOutcome } from '../messages/transport-outcome.ts'
import type { EligibilityServices } from './entry-eligibility.ts'

type Ended = {
  readonly message: LeasedMessage
  readonly outcome: MessageOutcome
  readonly delivery?: { readonly sent: TransportOutcome }
}
type CountedMessage = ReceivedMessage & { readonly channel: string }
type FlowServices = EligibilityServices & { readonly clock: Pick<Clock, 'now'> }

/** The shortest time between two updates of `last_sent_at`. Without it, workers would wait for the lock of the flow with every mail. */
const sentEveryMs = 1_000

/**
 * Updates canvases and campaigns after messages have ended: releases the entries, and records what people received. Every transaction locks
 * entries before the rows of received messages. Uses business time, not the stamp. The stamp runs ahead of a virtual clock that does not
 * move: the next step would be late, and a purchase at the same instant would count as earlier than the message.
 */
export async function recordInFlows(
  tx: Tx,
  written: readonly Ended[],
  stampUs: number,
  services: FlowServices,
): Promise<void> {
  await countRemovedTokens(tx, written, services)
  const ended = written.filter(({ message, outcome }) => message.flow_id !== null && outcome.ends)
  if (ended.length === 0) return
  const left = ended.map(({ message }) => message).filter(isEntryMessage)
  const accepted = ended
    .filter(({ outcome }) => outcome.ends && outcome.reason === 'sent')
    .map(({ message }) => message)
  const nowMs = services.clock.now()
  // The statements are pipelined.
  const [released, about] = await Promise.all([
    left.length === 0 ? [] : releaseEntries(tx, left, nowMs),
    readAbout(tx, accepted),
  ])
  const tally = new Tally()
  countSteps(tally, ended, released, nowMs * 1000)
  const exited = released.flatMap(({ bucket, profile_id, workspace_id, flow_id, state }): ExitedFlow[] => {
    return state === 'ended' ? [{ person: { bucket, profile_id }, workspace_id, flow_id, atUs: stampUs }] : []
  })
  if (accepted.length > 0) await recordAccepted(tx, accepted, about, exited, tally, services)
  else await recordReceived(tx, [], exited)
  await insertTallyChange(tx, tally)
}

/** Counts the push tokens that were removed while messages were sent, also by attempts that are repeated. */
async function countRemovedTokens(tx: Tx, written: readonly Ended[], { clock }: FlowServices): Promise<void> {
  const removing = written.filter(({ message, delivery }) => message.flow_id !== null && delivery?.sent.tokensRemoved)
  if (removing.length === 0) return
  const sends = await listSendIds(
    tx,
    removing.map(({ message }) => message),
  )
  const tally = new FlowTally()
  for (const { message, delivery } of removing) {
    const flow = { ...message, flow_id: message.flow_id!, send_id: sends.get(message.cause) }
    tally.count(flow, 'push_tokens_removed', clock.now() * 1000, delivery!.sent.tokensRemoved!)
  }
  await tally.write(tx)
}

/** Counts why messages ended, and the entries that end with the message of their last step. */
function countSteps(all: Tally, ended: readonly Ended[], released: readonly ReleasedEntry[], atUs: number): void {
  const tally = new StepTally(all)
  for (const { message, outcome } of ended) {
    if (outcome.ends) tally.message({ ...message, reason: outcome.reason }, atUs)
  }
  for (const entry of released) {
    if (entry.state === 'ended') tally.hop(entry, { from: entry.step, path: '', to: '', ended: 'completed' }, atUs)
  }
}

/** The flows of accepted messages, and their send ids by `cause`. */
type AboutAccepted = {
  readonly flows: ReadonlyMap<number, Flow>
  readonly sends: ReadonlyMap<string, string>
}

async function readAbout(tx: Tx, accepted: readonly LeasedMessage[]): Promise<AboutAccepted> {
  const [flows, sends] = await Promise.all([
    flowsById(
      tx,
      accepted.map(({ flow_id }) => flow_id!),
    ),
    listSendIds(tx, accepted),
  ])
  return { flows, sends }
}

async function recordAccepted(
  tx: Tx,
  accepted: readonly LeasedMessage[],
  { flows, sends }: AboutAccepted,
  exited: readonly ExitedFlow[],
  tally: Tally,
  services: FlowServices,
): Promise<void> {
  const { graphs, clock } = services
  const known = accepted.flatMap((message) => {
    const flow = flows.get(message.flow_id!)
    return flow
      ? [{ message, flow, version: { flow_id: flow.flow_id, version: message.flow_version ?? flow.version } }]
      : []
  })
  const nowMs = clock.now()
  const read = await graphs.getAll(
    tx,
    known.map(({ version }) => version),
  )
  const received = known.map(({ message, flow, version }) => {
    const send_id = sends.get(message.cause) ?? null
    return receivedMessage(message, flow, read.get(graphKey(version))!, send_id, nowMs * 1000)
  })
  const previous = await recordReceived(tx, received, exited)
  countSent(tally, received, previous, nowMs, services)
  const stale = [...flows.values()].filter(({ last_sent_at }) => {
    return last_sent_at === null || nowMs - last_sent_at.getTime() >= sentEveryMs
  })
  if (stale.length > 0) {
    await updateLastSent(
      tx,
      stale.map(({ flow_id }) => flow_id),
      nowMs,
    )
  }
}

function receivedMessage(
  message: LeasedMessage,
  { flow_id, kind }: Flow,
  { conversions }: Graph,
  send_id: string | null,
  atUs: number,
): CountedMessage {
  const { bucket, profile_id, workspace_id, variant, channel } = message
  const withinMs = Math.max(...conversions.map((each) => each.withinMs))
  const step = kind === 'campaign' ? '' : message.step
  const convertingUntilUs = conversions.length > 0 ? atUs + withinMs * 1000 : null
  return { bucket, profile_id, workspace_id, flow_id, step, variant, channel, send_id, atUs, convertingUntilUs }
}

/** Counts messages, and the people who received the first of the flow, or of the send, on this day of the workspace. */
function countSent(
  all: Tally,
  received: readonly CountedMessage[],
  previous: ReadonlyMap<string, PreviousMessage>,
  nowMs: number,
  { settingsOf }: FlowServices,
): void {
  const tally = new FlowTally(all)
  const seen = new Set<string>()
  for (const message of received) {
    const { atUs, profile_id, flow_id, workspace_id, variant, send_id } = message
    tally.count(message, 'sent', atUs)
    const key = receivedKey(profile_id, flow_id)
    if (seen.has(key)) continue
    seen.add(key)
    const { time_zone } = settingsOf(workspace_id)
    const before = previous.get(key)!
    const whole = { workspace_id, flow_id, variant, send_id }
    if (before.atMs === null || dayOf(before.atMs, time_zone) !== dayOf(nowMs, time_zone)) {
      tally.count(whole, 'unique_recipients', atUs)
    } else if (before.send_id !== send_id) tally.countSend(whole, 'unique_recipients', atUs)
  }
}
