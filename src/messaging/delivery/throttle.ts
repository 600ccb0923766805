import type { Tx } from '../../base/db/db.ts'
import { messageClasses } from '../messages/message.ts'
import { postpone } from '../messages/outcome.ts'
import type { DeliveryItem } from './delivery-item.ts'
import { grantRates } from './rate-store.ts'
import {
  flowTransport,
  type RateLevel,
  type RateRequest,
  rateDemands,
  rateFor,
  type ThrottleQueues,
  wholeTransport,
} from './rates.ts'
import type { DeliveryResult, ResultServices } from './write-results.ts'

/** Room that messages have when they ask for that of a level: who waits for the transport alone does not ask for its domain again. */
const roomBefore: Readonly<Record<RateLevel, number>> = { flow: -1, domain: 0, transport: 1 }

/** Who goes now, and who asks again later on. */
export type Throttled = { readonly going: readonly DeliveryItem[]; readonly waiting: DeliveryResult[] }

/**
 * Gives messages their places: first among those of the same flow, then among the mail to the same domain, then among all mail. Without
 * a server (`levels`) only flows are slow.
 */
export async function throttle(
  tx: Tx,
  items: readonly DeliveryItem[],
  levels: readonly RateLevel[],
  queues: ThrottleQueues,
  parts: ResultServices,
): Promise<Throttled> {
  let going: readonly DeliveryItem[] = items.toSorted(
    (a, b) => messageClasses.indexOf(a.message.class) - messageClasses.indexOf(b.message.class),
  )
  const waiting: DeliveryResult[] = []
  for (const level of levels) {
    const room = roomBefore[level]
    const asking = going.filter(({ message, rate }) => message.room <= room && (level !== 'flow' || rate !== undefined))
    if (asking.length === 0) continue
    const placesMs = await retryTimesAt(tx, asking, level, queues, parts)
    const late = new Set<DeliveryItem>()
    for (const [i, item] of asking.entries()) {
      const placeMs = placesMs[i]
      if (placeMs === undefined) continue
      late.add(item)
      waiting.push({ message: item.message, outcome: postpone(item.message, placeMs, room) })
    }
    going = going.filter((item) => !late.has(item))
  }
  return { going, waiting }
}

async function retryTimesAt(
  tx: Tx,
  items: readonly DeliveryItem[],
  level: RateLevel,
  queues: ThrottleQueues,
  parts: ResultServices,
): Promise<(number | undefined)[]> {
  const wanting = items.map((item): RateRequest => {
    const { message, domain } = item
    if (level === 'flow')
      return { transport: flowTransport(message.flow_id!), domain: wholeTransport, class: message.class }
    return { transport: parts.transportOf(message.workspace_id), domain, class: message.class }
  })
  const first = new Map(items.map((item, i) => [wanting[i]!.transport, item]))
  const wishes = rateDemands(wanting, level).map((wish) => {
    const { message, rate } = first.get(wish.transport)!
    return { ...wish, cap: level === 'flow' ? rate : rateFor(parts.ratesOf(message.workspace_id), wish.domain) }
  })
  // Nobody complains about a transport as a whole: it is only as slow as it is set.
  const limited = level === 'domain' ? wishes : wishes.filter(({ cap }) => cap !== undefined)
  const nowMs = parts.clock.now()
  return queues.retryTimes(wanting, level, await grantRates(tx, limited, nowMs), nowMs)
}
