import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ReceivedMessage } from '../../people/received/received.ts'
import { type ExitedFlow, recordReceived } from '../../people/received/received-store.ts'
import { releaseEntries } from '../entries/release-store.ts'
import { updateLastSent } from '../flows/activity-store.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow, Graph } from '../flows/flow.ts'
import { graphKey } from '../flows/graphs.ts'
import { isEntryMessage, type LeasedMessage } from '../messages/message.ts'
import type { MessageOutcome } from '../messages/outcome.ts'
import type { EligibilityServices } from './entry-eligibility.ts'

type Ended = { readonly message: LeasedMessage; readonly outcome: MessageOutcome }
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
  const ended = written.filter(({ message, outcome }) => message.flow_id !== null && outcome.ends)
  if (ended.length === 0) return
  const left = ended.map(({ message }) => message).filter(isEntryMessage)
  const released = left.length === 0 ? [] : await releaseEntries(tx, left, services.clock.now())
  const exited = released.flatMap(({ bucket, profile_id, workspace_id, flow_id, state }): ExitedFlow[] => {
    return state === 'ended' ? [{ person: { bucket, profile_id }, workspace_id, flow_id, atUs: stampUs }] : []
  })
  const accepted = ended
    .filter(({ outcome }) => outcome.ends && outcome.reason === 'sent')
    .map(({ message }) => message)
  if (accepted.length > 0) await recordAccepted(tx, accepted, exited, services)
  else await recordReceived(tx, [], exited)
}

async function recordAccepted(
  tx: Tx,
  accepted: readonly LeasedMessage[],
  exited: readonly ExitedFlow[],
  { graphs, clock }: FlowServices,
): Promise<void> {
  const flows = await flowsById(
    tx,
    accepted.map(({ flow_id }) => flow_id!),
  )
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
  await recordReceived(
    tx,
    known.map(({ message, flow, version }) =>
      receivedMessage(message, flow, read.get(graphKey(version))!, nowMs * 1000),
    ),
    exited,
  )
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
  atUs: number,
): ReceivedMessage {
  const { bucket, profile_id, workspace_id, variant } = message
  const withinMs = Math.max(...conversions.map((each) => each.withinMs))
  const step = kind === 'campaign' ? '' : message.step
  const convertingUntilUs = conversions.length > 0 ? atUs + withinMs * 1000 : null
  return { bucket, profile_id, workspace_id, flow_id, step, variant, atUs, convertingUntilUs }
}
