import type { Tx } from '../../base/db/db.ts'
import { messageClasses } from '../messages/message.ts'
import { postpone } from '../messages/outcome.ts'
import type { DeliveryItem } from './delivery-item.ts'
import { grantRates } from './rate-store.ts'
import {
  channelTransport,
  flowTransport,
  type RateLevel,
  type RateRequest,
  rateDemands,
  rateFor,
  type ThrottleQueues,
  wholeTransport,
} from './rates.ts'
import { type DeliveryResult, type ResultServices, ratesOf } from './write-results.ts'

/**
 * The `rates_granted` of messages that have passed the earlier levels. A message that waits for the transport does not count for its domain
 * again.
 */
const grantedBefore: Readonly<Record<RateLevel, number>> = { flow: -1, domain: 0, transport: 1 }

/** The items that may be sent now, and the messages that are postponed. */
export type Throttled = { readonly passed: readonly DeliveryItem[]; readonly waiting: DeliveryResult[] }

/**
 * Applies the rates of these levels: of the flow, of the domain of the recipient and of all mail of the workspace. Postpones messages that
 * exceed one.
 */
export async function throttle(
  tx: Tx,
  items: readonly DeliveryItem[],
  levels: readonly RateLevel[],
  queues: ThrottleQueues,
  services: ResultServices,
): Promise<Throttled> {
  let passed: readonly DeliveryItem[] = items.toSorted(
    (a, b) => messageClasses.indexOf(a.message.class) - messageClasses.indexOf(b.message.class),
  )
  const waiting: DeliveryResult[] = []
  for (const level of levels) {
    const granted = grantedBefore[level]
    const asking = passed.filter(
      ({ message, rate }) => message.rates_granted <= granted && (level !== 'flow' || rate !== undefined),
    )
    if (asking.length === 0) continue
    const timesMs = await retryTimesAt(tx, asking, level, queues, services)
    const postponed = new Set<DeliveryItem>()
    for (const [i, item] of asking.entries()) {
      const retryMs = timesMs[i]
      if (retryMs === undefined) continue
      postponed.add(item)
      waiting.push({ message: item.message, outcome: postpone(item.message, retryMs, granted) })
    }
    passed = passed.filter((item) => !postponed.has(item))
  }
  return { passed, waiting }
}

async function retryTimesAt(
  tx: Tx,
  items: readonly DeliveryItem[],
  level: RateLevel,
  queues: ThrottleQueues,
  services: ResultServices,
): Promise<(number | undefined)[]> {
  const requests = items.map((item): RateRequest => {
    const { message, domain } = item
    if (level === 'flow')
      return { transport: flowTransport(message.flow_id!), domain: wholeTransport, class: message.class }
    return { transport: channelTransport(message), domain, class: message.class }
  })
  const first = new Map(items.map((item, i) => [requests[i]!.transport, item]))
  const demands = rateDemands(requests, level).map((demand) => {
    const { message, rate } = first.get(demand.transport)!
    return { ...demand, cap: level === 'flow' ? rate : rateFor(ratesOf(message, services), demand.domain) }
  })
  // Servers complain per domain. A flow or a whole transport is limited only by a configured rate.
  const limited = level === 'domain' ? demands : demands.filter(({ cap }) => cap !== undefined)
  const nowMs = services.clock.now()
  return queues.retryTimes(requests, level, await grantRates(tx, limited, nowMs), nowMs)
}
