import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import type { HashAddress } from '../../people/identity/person.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import type { ChannelRates, KeptMessage } from '../channels/channel.ts'
import { channelOf } from '../channels/channels.ts'
import { type Bounce, recordBounces } from '../feedback/record-bounces.ts'
import { recordDecisions } from '../ledger/record-decisions.ts'
import { findMergedMessages } from '../messages/claim-store.ts'
import { hastenLeftMessages } from '../messages/entry-messages-store.ts'
import { isEntryMessage, type LeasedMessage, type Queue, resendVisits } from '../messages/message.ts'
import { type MessageOutcome, reconcileOutcome } from '../messages/outcome.ts'
import { writeOutcomes } from '../messages/outcome-store.ts'
import type { TransportOutcome } from '../messages/transport-outcome.ts'
import type { EligibilityServices } from './entry-eligibility.ts'
import { halveRates } from './rate-store.ts'
import { channelTransport, rateFor } from './rates.ts'
import { recordInFlows } from './record-in-flows.ts'

/** A message and its outcome, and the delivery that decided it, if there was one. */
export type DeliveryResult = {
  readonly message: LeasedMessage
  readonly outcome: MessageOutcome
  readonly delivery?: { readonly sent: TransportOutcome; readonly address: string; readonly domain: string }
  /** What the inbox keeps of it although a server has accepted it. */
  readonly kept?: KeptMessage
}

export type ResultServices = Omit<EligibilityServices, 'settingsOf'> & {
  readonly clock: Clock
  readonly hashAddress: HashAddress
  settingsOf(workspace_id: number): Settings
}

/** A message that is due sooner is left as it is, although its entry may have ended: the claim ends it soon enough. */
const hastenedAfterMs = 60_000

/** Returns the rates of the channel of a message. */
export function ratesOf(
  { channel, workspace_id }: Queue,
  { settingsOf }: Pick<ResultServices, 'settingsOf'>,
): ChannelRates {
  return channelOf(channel).rates.of(settingsOf(workspace_id))
}

/**
 * Writes the outcomes of messages, with everything that follows from them. Returns the results of messages that still had their lease, also
 * of those that a merge has moved. Messages that were deleted or that another worker has are skipped. A repetition has no effect.
 */
export async function writeResults(
  tx: Tx,
  concluded: readonly DeliveryResult[],
  services: ResultServices,
): Promise<readonly DeliveryResult[]> {
  if (concluded.length === 0) return []
  const stampUs = services.clock.stamp()
  const reconciled = concluded.map((each) => ({ ...each, outcome: reconcileOutcome(each.message, each.outcome) }))
  const written = await writeAlsoAfterMerge(tx, reconciled, stampUs)
  const nowMs = services.clock.now()
  // First, because every transaction locks entries before the rows of received messages.
  await hastenLeftMessages(tx, postponedForLong(written, nowMs), nowMs)
  await recordInFlows(tx, written, stampUs, services)
  await recordDecisions(
    tx,
    written.flatMap(({ message, outcome }) => {
      if (!outcome.ends) return []
      const { bucket, profile_id, workspace_id, cause, step, visit, channel, message_id, flow_id } = message
      const { reason, rule, inputs } = outcome
      const why = { reason, ...(rule !== undefined && { rule }), ...(inputs !== undefined && { inputs }) }
      return [{ bucket, profile_id, workspace_id, cause, step, visit, channel, message_id, flow_id, stampUs, ...why }]
    }),
  )
  const bounces = Map.groupBy(written.flatMap(bounceOf), ({ channel }) => channel)
  for (const [channel, own] of bounces) await recordBounces(tx, channelOf(channel), own, services)
  await halveThrottledRates(tx, written, services)
  return written
}

/** Returns the messages that wait long for their next claim and depend on an entry. */
function postponedForLong(written: readonly DeliveryResult[], nowMs: number) {
  return written.flatMap(({ message, outcome }) => {
    const waits = !outcome.ends && outcome.state === 'queued' && (outcome.dueMs ?? nowMs) - nowMs > hastenedAfterMs
    return waits && isEntryMessage(message) && message.visit < resendVisits ? [message] : []
  })
}

async function writeAlsoAfterMerge(
  tx: Tx,
  concluded: readonly DeliveryResult[],
  stampUs: number,
): Promise<readonly DeliveryResult[]> {
  const doneIds = await writeOutcomes(tx, concluded, stampUs)
  if (doneIds.size === concluded.length) return concluded
  const [written, left] = [true, false].map((isDone) =>
    concluded.filter(({ message }) => doneIds.has(message.message_id) === isDone),
  ) as [DeliveryResult[], DeliveryResult[]]
  const moved = await findMergedMessages(
    tx,
    left.map(({ message }) => message),
  )
  const found = left.flatMap((each): DeliveryResult[] => {
    const key = moved.get(each.message.message_id)
    return key ? [{ ...each, message: { ...each.message, ...key } }] : []
  })
  const foundDoneIds = await writeOutcomes(tx, found, stampUs)
  return [...written, ...found.filter(({ message }) => foundDoneIds.has(message.message_id))]
}

function bounceOf({ message, outcome, delivery }: DeliveryResult): (Bounce & { readonly channel: string })[] {
  if (!delivery) return []
  const { workspace_id, channel, bucket, message_id } = message
  const { sent, address } = delivery
  const bounced = { workspace_id, channel, address, message: { bucket, message_id } }
  if (sent.kind === 'refused') {
    const { bounce: kind, response: detail, leftGroup } = sent
    return [{ ...bounced, kind, detail, ...(leftGroup !== undefined && { leftGroup }) }]
  }
  // A deferred message that expires counts as a soft bounce: other mail servers bounce it at this point.
  const isExpired = outcome.ends && sent.kind === 'deferred' && !sent.throttled
  return isExpired ? [{ ...bounced, kind: 'soft', detail: sent.response }] : []
}

async function halveThrottledRates(
  tx: Tx,
  concluded: readonly DeliveryResult[],
  services: ResultServices,
): Promise<void> {
  const demands = new Map<string, { transport: string; domain: string; count: number; cap: number | undefined }>()
  for (const { message, delivery } of concluded) {
    if (delivery?.sent.kind !== 'deferred' || !delivery.sent.throttled) continue
    const { domain } = delivery
    const transport = channelTransport(message)
    const cap = rateFor(ratesOf(message, services), domain)
    demands.set(`${transport} ${domain}`, { transport, domain, count: 0, cap })
  }
  await halveRates(tx, [...demands.values()], services.clock.now())
}
