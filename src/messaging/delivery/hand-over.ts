import type { Db, Tx } from '../../base/db/db.ts'
import type { InboxTransport, SmtpOutcome, Transport } from '../mail/transport.ts'
import { requeue } from '../messages/outcome.ts'
import { writeHandOvers } from '../messages/outcome-store.ts'
import { applyCaps, lockCappedPeople } from './caps.ts'
import type { ReadyItem } from './delivery-item.ts'
import { decideEligibility, readEligibility } from './eligibility.ts'
import { outcomeOfSend } from './send-outcome.ts'
import { type DeliveryResult, type ResultServices, writeResults } from './write-results.ts'

export type HandOverServices = ResultServices & {
  readonly db: Db
  readonly transport: Transport
  readonly leaseMs: number
}

const keptInInbox: SmtpOutcome = { kind: 'accepted', response: 'kept in the inbox' }

/** The result of a hand-over: mails that a server may have from now on, and messages with an outcome. */
export type HandOver = { readonly handed: readonly ReadyItem[]; readonly concluded: readonly DeliveryResult[] }

/**
 * Hands over the next mail of every free connection and writes the outcomes of earlier mails, in one transaction. Checks eligibility again
 * after the transaction has registered: an opt-out that waits for older hand-overs is sure that no mail is handed over afterwards. Can
 * be repeated when it is not known whether the transaction was committed.
 */
export function handOver(
  next: readonly ReadyItem[],
  finished: readonly DeliveryResult[],
  services: HandOverServices,
): Promise<HandOver> {
  return services.db.transaction(
    async (tx) => {
      await lockCappedPeople(tx, next, services)
      // The statements of both are pipelined.
      const [written, { handed, concluded }] = await Promise.all([
        writeResults(tx, finished, services),
        handNext(tx, next, services),
      ])
      return { handed, concluded: [...written, ...concluded] }
    },
    { registersAs: 'hand_over' },
  )
}

async function handNext(tx: Tx, next: readonly ReadyItem[], services: HandOverServices): Promise<HandOver> {
  const { clock, transport, leaseMs } = services
  if (next.length === 0) return { handed: [], concluded: [] }
  const { passed, stopped } = await checkEligibility(tx, next, clock.now(), services)
  const concluded = await writeResults(tx, stopped, services)
  const rows = passed.map(({ message, address, prepared: { subject, links, warnings } }) => {
    return { message, address, subject, links, warnings }
  })
  const untilMs = clock.elapsed() + leaseMs
  if (transport.kind === 'smtp') {
    await writeHandOvers(tx, rows, 'handed_over', untilMs)
    return { handed: passed, concluded }
  }
  await writeHandOvers(tx, rows, 'leased', untilMs)
  return { handed: [], concluded: [...concluded, ...(await storeInInbox(tx, transport, passed, services))] }
}

async function checkEligibility(
  tx: Tx,
  next: readonly ReadyItem[],
  nowMs: number,
  services: HandOverServices,
): Promise<{ passed: readonly ReadyItem[]; stopped: readonly DeliveryResult[] }> {
  const read = await readEligibility(
    tx,
    next.map(({ message }) => message),
    services,
    false,
  )
  const passed: ReadyItem[] = []
  const concluded: DeliveryResult[] = []
  for (const item of next) {
    const { message, address } = item
    const row = read.rows.get(message.message_id)
    // The lease was lost, or the message was deleted.
    if (!row) continue
    const readdressed = row.email !== null && row.email !== address ? requeue(message) : undefined
    const outcome = decideEligibility(item, read, nowMs, services) ?? readdressed
    if (outcome) concluded.push({ message, outcome })
    else passed.push(item)
  }
  const { left, capped } = await applyCaps(tx, passed, nowMs, services)
  return { passed: left, stopped: [...concluded, ...capped] }
}

/** Stores mails in the inbox. It is in the same database, so the mails are accepted in the same transaction. */
async function storeInInbox(
  tx: Tx,
  transport: InboxTransport,
  items: readonly ReadyItem[],
  services: HandOverServices,
): Promise<readonly DeliveryResult[]> {
  const judged = items.map((item) => {
    const { message, address } = item
    const { workspace_id, message_id, lease } = message
    return { item, smtpOutcome: transport.judge?.({ workspace_id, message_id, lease, address }) ?? keptInInbox }
  })
  const concluded = await writeResults(
    tx,
    judged.map(({ item: { message, address, domain }, smtpOutcome }) => {
      const outcome = outcomeOfSend(message, smtpOutcome, domain, services.clock.now())
      return { message, outcome, delivery: { smtpOutcome, address, domain } }
    }),
    services,
  )
  const stampUs = services.clock.stamp()
  const accepted = judged.filter(({ smtpOutcome }) => smtpOutcome.kind === 'accepted')
  await transport.insert(
    tx,
    accepted.map(({ item: { message, address, prepared } }) => {
      const { raw, envelope, subject } = prepared
      const { bucket, profile_id, message_id, workspace_id } = message
      return { raw, envelope, bucket, profile_id, message_id, workspace_id, address, subject, stampUs }
    }),
  )
  return concluded
}
