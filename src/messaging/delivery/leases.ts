import type { Db } from '../../base/db/db.ts'
import {
  type ExpiredMessage,
  findMergedMessages,
  hasExpiredLeases,
  lockExpiredMessages,
  renewLeases,
} from '../messages/claim-store.ts'
import type { LeasedMessage } from '../messages/message.ts'
import { endFor, type MessageOutcome } from '../messages/outcome.ts'
import { type DeliveryItem, emailDomain } from './delivery-item.ts'
import { uncertainOutcome } from './send-outcome.ts'
import { type DeliveryResult, type ResultServices, writeResults } from './write-results.ts'

export type LeaseServices = ResultServices & { readonly db: Db; readonly leaseMs: number }

/** Messages whose worker is gone that are looked at in one transaction. */
const expiredMax = 500
/** Who dies of a message so often is not to die of it again. */
export const deliveryAttemptsMax = 50

/** Holds on to leased messages, wherever they have gone with their people, and answers those that are lost. */
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
  const followed = missing.filter((item) => {
    const place = moved.get(item.message.message_id)
    if (place) item.message = { ...item.message, ...place }
    return place !== undefined
  })
  const heldThere = followed.length === 0 ? new Set() : await renewLeases(db, messages(followed), untilMs)
  return missing.filter(({ message }) => !heldThere.has(message.message_id))
}

/**
 * Takes up messages whose worker has not been heard of: what it was preparing is sent by somebody else; what it may have sent is sent
 * again when it is transactional, and told apart when it is marketing. `isOurs`: known not to be lost. `everything`: nobody else can
 * be at work. Answers whether there may be more.
 */
export async function recoverExpired(
  parts: LeaseServices,
  isOurs: (message_id: string) => boolean,
  everything: boolean,
): Promise<{ concluded: readonly DeliveryResult[]; more: boolean }> {
  const { db, clock } = parts
  const untilMs = everything ? Number.MAX_SAFE_INTEGER / 1000 : clock.elapsed()
  if (!(await hasExpiredLeases(db, untilMs))) return { concluded: [], more: false }
  return db.transaction(async (tx) => {
    const expired = await lockExpiredMessages(tx, untilMs, expiredMax)
    const lost = expired.filter(({ message_id }) => !isOurs(message_id))
    const concluded = lost.map((each) => ({ message: each as LeasedMessage, outcome: judgeExpired(each) }))
    return { concluded: await writeResults(tx, concluded, parts), more: lost.length === expiredMax }
  })
}

/** What becomes of a message whose worker is gone. */
export function judgeExpired({ state, class: kind, attempts, room, address }: ExpiredMessage): MessageOutcome {
  if (attempts >= deliveryAttemptsMax) {
    const rule = `its worker ended ${deliveryAttemptsMax} times before the message did`
    return state === 'leased' ? endFor({ reason: 'template_error', rule }) : uncertainOutcome({ attempts, rule })
  }
  if (state === 'handed_over' && kind === 'marketing') {
    return uncertainOutcome({ attempts, ...(address !== null && { domain: emailDomain(address) }) })
  }
  const again = { ends: false, state: 'queued', attempts } as const
  return state === 'leased' ? { ...again, room } : { ...again, room: 0, doubted: true }
}
