import type { Db, Tx } from '../../base/db/db.ts'
import { keyLookupsOnly } from '../../base/db/transaction-settings.ts'
import type { JudgeMessage, KeptMessage } from '../channels/channel.ts'
import { channelOf } from '../channels/channels.ts'
import { insertMails } from '../mail/inbox-store.ts'
import type { LeasedMessage } from '../messages/message.ts'
import { requeue } from '../messages/outcome.ts'
import { writeHandOvers } from '../messages/outcome-store.ts'
import type { TransportOutcome } from '../messages/transport-outcome.ts'
import { applyCaps, lockCappedPeople } from './caps.ts'
import type { ReadyItem } from './delivery-item.ts'
import { decideEligibility, readEligibility } from './eligibility.ts'
import { outcomeOfSend } from './send-outcome.ts'
import { type DeliveryResult, type ResultServices, writeResults } from './write-results.ts'

export type HandOverServices = ResultServices & {
  readonly db: Db
  /** Whether messages go to a server. Otherwise the inbox keeps them. */
  readonly toServer: boolean
  /** Decides which messages the inbox refuses. Absent: none. */
  readonly judge?: JudgeMessage | undefined
  /** A new id of a message in the inbox. */
  newId(bucket: number): string
  readonly leaseMs: number
}

const keptInInbox: TransportOutcome = { kind: 'accepted', response: 'kept in the inbox' }

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
        writeFinished(tx, finished, services),
        handNext(tx, next, services),
      ])
      return { handed, concluded: [...written, ...concluded] }
    },
    { registersAs: 'hand_over', settings: keyLookupsOnly },
  )
}

/** Writes the outcomes of messages that a server has got, and keeps what the inbox shows of them. */
async function writeFinished(
  tx: Tx,
  finished: readonly DeliveryResult[],
  services: HandOverServices,
): Promise<readonly DeliveryResult[]> {
  const written = await writeResults(tx, finished, services)
  const kept = written.flatMap(({ message, kept }) => (kept ? [{ message, kept }] : []))
  await keepInInbox(tx, kept, services)
  return written
}

async function handNext(tx: Tx, next: readonly ReadyItem[], services: HandOverServices): Promise<HandOver> {
  const { clock, toServer, leaseMs } = services
  if (next.length === 0) return { handed: [], concluded: [] }
  const { passed, stopped } = await checkEligibility(tx, next, clock.now(), services)
  const concluded = await writeResults(tx, stopped, services)
  const rows = passed.map(({ message, address, prepared: { subject, links, warnings } }) => {
    return { message, address, subject, links, warnings }
  })
  const untilMs = clock.elapsed() + leaseMs
  if (toServer) {
    await writeHandOvers(tx, rows, 'handed_over', untilMs)
    return { handed: passed, concluded }
  }
  await writeHandOvers(tx, rows, 'leased', untilMs)
  return { handed: [], concluded: [...concluded, ...(await storeInInbox(tx, passed, services))] }
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
    const current = channelOf(message.channel).consent.addressOf(row)
    const readdressed = current !== null && current !== address ? requeue(message) : undefined
    const outcome = decideEligibility(item, read, nowMs, services) ?? readdressed
    if (outcome) concluded.push({ message, outcome })
    else passed.push(item)
  }
  const { left, capped } = await applyCaps(tx, passed, nowMs, services)
  return { passed: left, stopped: [...concluded, ...capped] }
}

/** Stores messages in the inbox. It is in the same database, so they are accepted in the same transaction. */
async function storeInInbox(
  tx: Tx,
  items: readonly ReadyItem[],
  services: HandOverServices,
): Promise<readonly DeliveryResult[]> {
  const judged = items.map((item) => {
    const { message, address } = item
    const { channel, workspace_id, message_id, lease } = message
    const sent = services.judge?.({ channel, workspace_id, message_id, lease, address }) ?? keptInInbox
    return { item, sent }
  })
  const concluded = await writeResults(
    tx,
    judged.map(({ item: { message, address, domain }, sent }) => {
      const outcome = outcomeOfSend(message, sent, domain, services.clock.now())
      return { message, outcome, delivery: { sent, address, domain } }
    }),
    services,
  )
  const accepted = judged.filter(({ sent }) => sent.kind === 'accepted')
  const kept = accepted.flatMap(({ item: { message, address, prepared } }) => {
    return channelOf(message.channel)
      .keep(prepared, address)
      .map((each) => ({ message, kept: each }))
  })
  await keepInInbox(tx, kept, services)
  return concluded
}

type Kept = { readonly message: LeasedMessage; readonly kept: KeptMessage }

async function keepInInbox(tx: Tx, all: readonly Kept[], { clock, newId }: HandOverServices): Promise<void> {
  if (all.length === 0) return
  const atUs = clock.stamp()
  await insertMails(
    tx,
    all.map(({ message: { bucket, profile_id, message_id, workspace_id, channel }, kept }) => {
      return { bucket, profile_id, message_id, workspace_id, channel, atUs, ...kept, mail_id: newId(bucket) }
    }),
  )
}
