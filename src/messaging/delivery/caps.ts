import type { Tx } from '../../base/db/db.ts'
import { person } from '../../people/identity/person.ts'
import { elapsedMs } from '../../workspace/settings/duration.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import type { LeasedMessage } from '../messages/message.ts'
import { type EndReason, endFor, type MessageOutcome } from '../messages/outcome.ts'
import { countSentMarketing, lockProfiles } from './cap-store.ts'
import type { DeliveryItem } from './delivery-item.ts'

type Cap = Settings['frequency_cap'][number]

/** What is said of how often somebody gets something (`settings.frequency_cap`). */
export type CapServices = { settingsOf(workspace_id: number): Pick<Settings, 'frequency_cap'> }

/** Messages that caps are for: marketing, unless the order says otherwise, where there are caps. */
function itemsWithCaps<I extends Pick<DeliveryItem, 'message' | 'sending'>>(
  items: readonly I[],
  { settingsOf }: CapServices,
): I[] {
  return items.filter(({ message, sending }) => {
    if (message.class !== 'marketing' || sending.override_frequency_capping) return false
    return settingsOf(message.workspace_id).frequency_cap.length > 0
  })
}

/**
 * Has everybody else wait who would send to the same people, until the transaction ends: two of them would each find room for one. To be
 * called before anything else is locked.
 */
export async function lockCappedPeople(tx: Tx, items: readonly DeliveryItem[], parts: CapServices): Promise<void> {
  const capped = itemsWithCaps(items, parts)
  if (capped.length === 0) return
  await lockProfiles(
    tx,
    capped.map(({ message }) => person(message.bucket, message.profile_id)),
  )
}

/** Those who may have theirs, and the messages of those who had enough. */
export type CapResult<I> = { readonly left: readonly I[]; readonly capped: readonly Ending[] }
type Ending = { readonly message: LeasedMessage; readonly outcome: MessageOutcome }

/**
 * Who of these has had enough, by what was handed over or accepted until `nowMs`; of those that are asked for together the first ones
 * go.
 */
export async function applyCaps<I extends DeliveryItem>(
  tx: Tx,
  items: readonly I[],
  nowMs: number,
  parts: CapServices,
): Promise<CapResult<I>> {
  const limited = itemsWithCaps(items, parts)
  if (limited.length === 0) return { left: items, capped: [] }
  const asked = limited.flatMap(({ message }) => {
    const caps = parts.settingsOf(message.workspace_id).frequency_cap
    return caps.map((cap) => ({ message, cap, sinceMs: capStartMs(cap, nowMs) }))
  })
  const counts = await countSentMarketing(tx, asked)
  const going = new Map<string, number>()
  const capped: Ending[] = []
  for (const [message, own] of Map.groupBy(asked.keys(), (i) => asked[i]!.message)) {
    const now = going.get(message.profile_id) ?? 0
    const hadOf = (i: number) => (counts.get(i) ?? 0) + now
    const full = own.find((i) => hadOf(i) >= asked[i]!.cap.count)
    if (full === undefined) going.set(message.profile_id, now + 1)
    else capped.push({ message, outcome: cappedBy(asked[full]!.cap, hadOf(full), nowMs) })
  }
  const stopped = new Set(capped.map(({ message }) => message))
  return { left: items.filter(({ message }) => !stopped.has(message)), capped }
}

/** Since when messages count for a cap, epoch milliseconds. */
export function capStartMs({ per }: Cap, nowMs: number): number {
  return nowMs - elapsedMs(per)!
}

function cappedBy(cap: Cap, had: number, nowMs: number): MessageOutcome {
  return endFor(capReason(cap, had, nowMs))
}

/** Why somebody who had so many messages gets no other one. */
export function capReason({ count, per }: Cap, had: number, nowMs: number): EndReason {
  const inputs = { count, per, had, as_of: new Date(nowMs).toISOString() }
  return { reason: 'frequency_capped', rule: `at most ${count} marketing messages in ${per}`, inputs }
}
