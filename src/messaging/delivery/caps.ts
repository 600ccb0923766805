import type { Tx } from '../../base/db/db.ts'
import { person } from '../../people/identity/person.ts'
import { elapsedMs } from '../../workspace/settings/duration.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import { channelOf } from '../channels/channels.ts'
import type { LeasedMessage } from '../messages/message.ts'
import { type EndReason, endFor, type MessageOutcome } from '../messages/outcome.ts'
import { type CapWindow, countSentMarketing, lockProfiles } from './cap-store.ts'
import type { DeliveryItem } from './delivery-item.ts'

type Cap = Settings['frequency_cap'][number]

/** The frequency caps of workspaces (`settings.frequency_cap`). */
export type CapServices = { settingsOf(workspace_id: number): Pick<Settings, 'frequency_cap'> }

/** Returns the items that caps apply to: marketing messages in workspaces with caps, unless the order overrides capping. */
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
 * Locks the people of messages with caps until the transaction ends, so that two transactions do not both send the last message that a cap
 * allows. Call it before anything else is locked.
 */
export async function lockCappedPeople(tx: Tx, items: readonly DeliveryItem[], services: CapServices): Promise<void> {
  const capped = itemsWithCaps(items, services)
  if (capped.length === 0) return
  await lockProfiles(
    tx,
    capped.map(({ message }) => person(message.bucket, message.profile_id)),
  )
}

/** The items that no cap stops, and the outcomes of the messages that a cap stops. */
export type CapResult<I> = { readonly left: readonly I[]; readonly capped: readonly Ending[] }
type Ending = { readonly message: LeasedMessage; readonly outcome: MessageOutcome }

/**
 * Finds the messages that a frequency cap stops. Counts what was handed over or accepted until `nowMs`, and the earlier of the given items.
 */
export async function applyCaps<I extends DeliveryItem>(
  tx: Tx,
  items: readonly I[],
  nowMs: number,
  services: CapServices,
): Promise<CapResult<I>> {
  const limited = itemsWithCaps(items, services)
  if (limited.length === 0) return { left: items, capped: [] }
  const windows = limited.flatMap(({ message }) => {
    const caps = services.settingsOf(message.workspace_id).frequency_cap
    const own = caps.filter(({ channel }) => channel === undefined || channel === message.channel)
    return own.map((cap) => ({ message, cap, ...windowOf(cap, nowMs) }))
  })
  const counts = await countSentMarketing(tx, windows)
  const byMessage = Map.groupBy(windows.keys(), (i) => windows[i]!.message)
  // Messages that no cap is about count for others of the same person.
  const passed = new Map<string, string[]>()
  const capped: Ending[] = []
  for (const { message } of limited) {
    const { profile_id, channel } = message
    const earlier = passed.get(profile_id) ?? []
    const countOf = (i: number) => {
      const { cap } = windows[i]!
      const counted = cap.channel === undefined ? earlier : earlier.filter((one) => one === cap.channel)
      return (counts.get(i) ?? 0) + counted.length
    }
    const full = (byMessage.get(message) ?? []).find((i) => countOf(i) >= windows[i]!.cap.count)
    if (full === undefined) passed.set(profile_id, [...earlier, channel])
    else capped.push({ message, outcome: cappedBy(windows[full]!.cap, countOf(full), nowMs) })
  }
  const stopped = new Set(capped.map(({ message }) => message))
  return { left: items.filter(({ message }) => !stopped.has(message)), capped }
}

/** Returns in which window messages of which channel count for a cap. */
export function windowOf({ per, channel }: Cap, nowMs: number): Pick<CapWindow, 'sinceMs' | 'channel'> {
  return { sinceMs: nowMs - elapsedMs(per)!, channel: channel ?? null }
}

function cappedBy(cap: Cap, had: number, nowMs: number): MessageOutcome {
  return endFor(capReason(cap, had, nowMs))
}

/** Returns the reason why a person who got `had` messages gets no other one. */
export function capReason({ count, per, channel }: Cap, had: number, nowMs: number): EndReason {
  const inputs = { count, per, ...(channel !== undefined && { channel }), had, as_of: new Date(nowMs).toISOString() }
  const messages = channel === undefined ? 'messages' : channelOf(channel).words.many
  return { reason: 'frequency_capped', rule: `at most ${count} marketing ${messages} in ${per}`, inputs }
}
