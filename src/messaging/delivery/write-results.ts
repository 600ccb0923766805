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

/** A message and its outcome, and the delivery that decided it, if there was one. */
export type DeliveryResult = {
  readonly message: LeasedMessage
  readonly outcome: MessageOutcome
  readonly delivery?: { readonly smtpOutcome: SmtpOutcome; readonly address: string; readonly domain: string }
}

export type ResultServices = EligibilityServices & {
  readonly clock: Clock
  readonly hashAddress: HashAddress
  ratesOf(workspace_id: number): EmailRates
  /** Returns the `transport` of a workspace in `send_rate`. */
  transportOf(workspace_id: number): string
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
  await recordBounces(tx, written.flatMap(bounceOf), services)
  await halveThrottledRates(tx, written, services)
  return written
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

function bounceOf({ message, outcome, delivery }: DeliveryResult): Bounce[] {
  if (!delivery) return []
  const { workspace_id, bucket, message_id } = message
  const { smtpOutcome, address } = delivery
  const bounced = { workspace_id, address, message: { bucket, message_id } }
  if (smtpOutcome.kind === 'refused') return [{ ...bounced, kind: smtpOutcome.bounce, detail: smtpOutcome.response }]
  // A deferred mail that expires counts as a soft bounce: other mail servers bounce it at this point.
  const isExpired = outcome.ends && smtpOutcome.kind === 'deferred' && !smtpOutcome.throttled
  return isExpired ? [{ ...bounced, kind: 'soft', detail: smtpOutcome.response }] : []
}

async function halveThrottledRates(
  tx: Tx,
  concluded: readonly DeliveryResult[],
  services: ResultServices,
): Promise<void> {
  const demands = new Map<string, { transport: string; domain: string; count: number; cap: number | undefined }>()
  for (const { message, delivery } of concluded) {
    if (delivery?.smtpOutcome.kind !== 'deferred' || !delivery.smtpOutcome.throttled) continue
    const { domain } = delivery
    const transport = services.transportOf(message.workspace_id)
    const cap = rateFor(services.ratesOf(message.workspace_id), domain)
    demands.set(`${transport} ${domain}`, { transport, domain, count: 0, cap })
  }
  await halveRates(tx, [...demands.values()], services.clock.now())
}
