import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import type { HashAddress } from '../../people/identity/person.ts'
import { type Bounce, recordBounces } from '../feedback/record-bounces.ts'
import { recordDecisions } from '../ledger/record-decisions.ts'
import type { SmtpOutcome } from '../mail/transport.ts'
import { findMergedMessages } from '../messages/claim-store.ts'
import type { LeasedMessage } from '../messages/message.ts'
import { type MessageOutcome, reconcileOutcome } from '../messages/outcome.ts'
import { writeOutcomes } from '../messages/outcome-store.ts'
import type { EligibilityServices } from './entry-eligibility.ts'
import { halveRates } from './rate-store.ts'
import { type EmailRates, rateFor } from './rates.ts'
import { recordInFlows } from './record-in-flows.ts'

/** A message, what becomes of it, and the delivery that decided it, where one did. */
export type DeliveryResult = {
  readonly message: LeasedMessage
  readonly outcome: MessageOutcome
  readonly delivery?: { readonly smtpOutcome: SmtpOutcome; readonly address: string; readonly domain: string }
}

export type ResultServices = EligibilityServices & {
  readonly clock: Clock
  readonly hashAddress: HashAddress
  ratesOf(workspace_id: number): EmailRates
  /** How a workspace's part of the transport is called in `send_rate`. */
  transportOf(workspace_id: number): string
}

/**
 * Writes down what became of messages, with everything that follows from it, and answers those that were still ours. A message that
 * went elsewhere with its person is looked for there; one that is gone, or that somebody else has by now, is left alone. Done
 * again it does nothing.
 */
export async function writeResults(
  tx: Tx,
  concluded: readonly DeliveryResult[],
  parts: ResultServices,
): Promise<readonly DeliveryResult[]> {
  if (concluded.length === 0) return []
  const stampUs = parts.clock.stamp()
  const judged = concluded.map((each) => ({ ...each, outcome: reconcileOutcome(each.message, each.outcome) }))
  const written = await writeAlsoAfterMerge(tx, judged, stampUs)
  await recordInFlows(tx, written, stampUs, parts)
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
  await recordBounces(tx, written.flatMap(bounceOf), parts)
  await halveThrottledRates(tx, written, parts)
  return written
}

async function writeAlsoAfterMerge(
  tx: Tx,
  concluded: readonly DeliveryResult[],
  stampUs: number,
): Promise<readonly DeliveryResult[]> {
  const done = await writeOutcomes(tx, concluded, stampUs)
  if (done.size === concluded.length) return concluded
  const [written, left] = [true, false].map((isDone) =>
    concluded.filter(({ message }) => done.has(message.message_id) === isDone),
  ) as [DeliveryResult[], DeliveryResult[]]
  const moved = await findMergedMessages(
    tx,
    left.map(({ message }) => message),
  )
  const followed = left.flatMap((each): DeliveryResult[] => {
    const place = moved.get(each.message.message_id)
    return place ? [{ ...each, message: { ...each.message, ...place } }] : []
  })
  const doneThere = await writeOutcomes(tx, followed, stampUs)
  return [...written, ...followed.filter(({ message }) => doneThere.has(message.message_id))]
}

function bounceOf({ message, outcome, delivery }: DeliveryResult): Bounce[] {
  if (!delivery) return []
  const { workspace_id, bucket, message_id } = message
  const { smtpOutcome, address } = delivery
  const place = { workspace_id, address, message: { bucket, message_id } }
  if (smtpOutcome.kind === 'refused') return [{ ...place, kind: smtpOutcome.bounce, detail: smtpOutcome.response }]
  // Given up: any other server would send it back now.
  const isGivenUp = outcome.ends && smtpOutcome.kind === 'deferred' && !smtpOutcome.throttled
  return isGivenUp ? [{ ...place, kind: 'soft', detail: smtpOutcome.response }] : []
}

async function halveThrottledRates(tx: Tx, concluded: readonly DeliveryResult[], parts: ResultServices): Promise<void> {
  const wishes = new Map<string, { transport: string; domain: string; count: number; cap: number | undefined }>()
  for (const { message, delivery } of concluded) {
    if (delivery?.smtpOutcome.kind !== 'deferred' || !delivery.smtpOutcome.throttled) continue
    const { domain } = delivery
    const transport = parts.transportOf(message.workspace_id)
    const cap = rateFor(parts.ratesOf(message.workspace_id), domain)
    wishes.set(`${transport} ${domain}`, { transport, domain, count: 0, cap })
  }
  await halveRates(tx, [...wishes.values()], parts.clock.now())
}
