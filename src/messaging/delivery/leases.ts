import type { Db } from '../../base/db/db.ts'
import { channelOf } from '../channels/channels.ts'
import {
  type ExpiredMessage,
  findMergedMessages,
  hasExpiredLeases,
  lockExpiredMessages,
  renewLeases,
  writeNoCrashes,
} from '../messages/claim-store.ts'
import type { LeasedMessage } from '../messages/message.ts'
import { endFor, type MessageOutcome } from '../messages/outcome.ts'
import type { DeliveryItem } from './delivery-item.ts'
import { uncertainOutcome } from './send-outcome.ts'
import { crashesMax } from './suspects.ts'
import { type DeliveryResult, type ResultServices, writeResults } from './write-results.ts'

export type LeaseServices = ResultServices & { readonly db: Db; readonly leaseMs: number }

/** Messages with expired leases that one transaction recovers. */
const expiredMax = 500
/** The number of attempts after which a message that was handed over ends when its lease expires. */
export const deliveryAttemptsMax = 50

/** Renews the leases of messages, also of those that a merge has moved. Returns the items whose lease is lost. */
export async function renewItems(
  items: readonly DeliveryItem[],
  { db, clock, leaseMs }: LeaseServices,
): Promise<DeliveryItem[]> {
  if (items.length === 0) return []
  const messages = (some: readonly DeliveryItem[]) => some.map(({ message }) => message)
  const untilMs = clock.elapsed() + leaseMs
  const held = await renewLeases(db, messages(items), untilMs)
  const missing = items.filter(({ message }) => !held.has(message.message_id))
  if (missing.length === 0) return []
  const moved = await findMergedMessages(db, messages(missing))
  const found = missing.filter((item) => {
    const key = moved.get(item.message.message_id)
    if (key) item.message = { ...item.message, ...key }
    return key !== undefined
  })
  const renewed = found.length === 0 ? new Set() : await renewLeases(db, messages(found), untilMs)
  return missing.filter(({ message }) => !renewed.has(message.message_id))
}

/**
 * Recovers messages whose lease has expired. A message that was not handed over is queued again. One that a server may have is queued again
 * if it is transactional, and ends as uncertain if it is marketing. `isOurs` returns whether this process still works on a message.
 * `all`: recovers leases that have not expired too, because no other process can have them. `more`: whether more may have expired.
 */
export async function recoverExpired(
  services: LeaseServices,
  isOurs: (message_id: string) => boolean,
  all: boolean,
): Promise<{ concluded: readonly DeliveryResult[]; more: boolean }> {
  const { db, clock } = services
  const untilMs = all ? Number.MAX_SAFE_INTEGER / 1000 : clock.elapsed()
  if (!(await hasExpiredLeases(db, untilMs))) return { concluded: [], more: false }
  return db.transaction(async (tx) => {
    const expired = await lockExpiredMessages(tx, untilMs, expiredMax)
    const lost = expired.filter(({ message_id }) => !isOurs(message_id))
    const concluded = lost.map((each) => ({ message: each as LeasedMessage, outcome: outcomeOfExpired(each) }))
    return { concluded: await writeResults(tx, concluded, services), more: lost.length === expiredMax }
  })
}

/**
 * Records that the process did not end while it prepared these messages. Otherwise those that wait for a connection would be set aside
 * together, when the process ends again for another reason.
 */
export async function clearCrashes(items: readonly DeliveryItem[], { db }: Pick<LeaseServices, 'db'>): Promise<void> {
  const suspects = items.filter(({ message }) => message.crashes > 0)
  if (suspects.length === 0) return
  await writeNoCrashes(
    db,
    suspects.map(({ message }) => message),
  )
  for (const item of suspects) item.message = { ...item.message, crashes: 0 }
}

/** Returns the outcome of a message whose lease has expired. */
export function outcomeOfExpired(message: ExpiredMessage): MessageOutcome {
  const { channel, state, class: kind, attempts, rates_granted, address } = message
  const crashes = message.crashes + 1
  if (state === 'leased' && crashes >= crashesMax) {
    const rule = `the process ended ${crashes} times while it prepared the message`
    return endFor({ reason: 'set_aside', rule, inputs: { attempts } })
  }
  if (state === 'handed_over' && attempts >= deliveryAttemptsMax) {
    const rule = `its worker ended ${deliveryAttemptsMax} times before the message did`
    return uncertainOutcome(channel, { attempts, rule })
  }
  if (state === 'handed_over' && kind === 'marketing') {
    const domain = address === null ? undefined : channelOf(channel).domainOf(address)
    return uncertainOutcome(channel, { attempts, ...(domain !== undefined && { domain }) })
  }
  const again = { ends: false, state: 'queued', attempts } as const
  return state === 'leased' ? { ...again, rates_granted, crashes } : { ...again, rates_granted: 0, maybe_sent: true }
}
