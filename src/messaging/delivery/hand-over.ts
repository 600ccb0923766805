import type { Db, Tx } from '../../base/db/db.ts'
import type { InboxTransport, Transport } from '../mail/transport.ts'
import { requeue } from '../messages/outcome.ts'
import { writeHandOvers } from '../messages/outcome-store.ts'
import { applyCaps, lockCappedPeople } from './caps.ts'
import type { ReadyItem } from './delivery-item.ts'
import { judgeEligibility, readEligibility } from './eligibility.ts'
import { outcomeOfSend } from './send-outcome.ts'
import { type DeliveryResult, type ResultServices, writeResults } from './write-results.ts'

export type HandOverServices = ResultServices & {
  readonly db: Db
  readonly transport: Transport
  readonly leaseMs: number
}

/** What a hand-over did: mails that a server may have from now on, and messages that it has concluded. */
export type HandOver = { readonly handed: readonly ReadyItem[]; readonly concluded: readonly DeliveryResult[] }

/**
 * One transaction for the next mail of every free connection, and for what became of those before. Whether somebody may get a mail is
 * read again here, after the transaction has its number: who says no and waits for those with a number gets nothing afterwards. Done
 * again after an unknown outcome it leads to the same.
 */
export function handOver(
  next: readonly ReadyItem[],
  finished: readonly DeliveryResult[],
  parts: HandOverServices,
): Promise<HandOver> {
  return parts.db.transaction(
    async (tx) => {
      await lockCappedPeople(tx, next, parts)
      // Sent together: neither waits for the answers of the other.
      const [written, { handed, concluded }] = await Promise.all([
        writeResults(tx, finished, parts),
        handNext(tx, next, parts),
      ])
      return { handed, concluded: [...written, ...concluded] }
    },
    { assignTransactionId: true },
  )
}

async function handNext(tx: Tx, next: readonly ReadyItem[], parts: HandOverServices): Promise<HandOver> {
  const { clock, transport, leaseMs } = parts
  if (next.length === 0) return { handed: [], concluded: [] }
  const { going, stopped } = await checkEligibility(tx, next, clock.now(), parts)
  const concluded = await writeResults(tx, stopped, parts)
  const rows = going.map(({ message, address, prepared: { subject, links, warnings } }) => {
    return { message, address, subject, links, warnings }
  })
  const untilMs = clock.elapsed() + leaseMs
  if (transport.kind === 'smtp') {
    await writeHandOvers(tx, rows, 'handed_over', untilMs)
    return { handed: going, concluded }
  }
  await writeHandOvers(tx, rows, 'leased', untilMs)
  return { handed: [], concluded: [...concluded, ...(await storeInInbox(tx, transport, going, parts))] }
}

async function checkEligibility(
  tx: Tx,
  next: readonly ReadyItem[],
  nowMs: number,
  parts: HandOverServices,
): Promise<{ going: readonly ReadyItem[]; stopped: readonly DeliveryResult[] }> {
  const read = await readEligibility(
    tx,
    next.map(({ message }) => message),
    parts,
    false,
  )
  const going: ReadyItem[] = []
  const concluded: DeliveryResult[] = []
  for (const item of next) {
    const { message, address } = item
    const row = read.rows.get(message.message_id)
    // Somebody else has it by now, or it is gone.
    if (!row) continue
    const moved = row.email !== null && row.email !== address ? requeue(message) : undefined
    const outcome = judgeEligibility(item, read, nowMs, parts) ?? moved
    if (outcome) concluded.push({ message, outcome })
    else going.push(item)
  }
  const { left, capped } = await applyCaps(tx, going, nowMs, parts)
  return { going: left, stopped: [...concluded, ...capped] }
}

/** The inbox is in the same database: what is kept there is accepted in the same moment. */
async function storeInInbox(
  tx: Tx,
  transport: InboxTransport,
  going: readonly ReadyItem[],
  parts: HandOverServices,
): Promise<readonly DeliveryResult[]> {
  const smtpOutcome = { kind: 'accepted', response: 'kept in the inbox' } as const
  const concluded = await writeResults(
    tx,
    going.map(({ message, address, domain }) => {
      const outcome = outcomeOfSend(message, smtpOutcome, domain, parts.clock.now())
      return { message, outcome, delivery: { smtpOutcome, address, domain } }
    }),
    parts,
  )
  const stampUs = parts.clock.stamp()
  await transport.insert(
    tx,
    going.map(({ message, address, prepared: { raw, envelope, subject } }) => {
      const { bucket, profile_id, message_id, workspace_id } = message
      return { raw, envelope, bucket, profile_id, message_id, workspace_id, address, subject, stampUs }
    }),
  )
  return concluded
}
