import type { ChannelRates } from '../channels/channel.ts'
import { channelOf } from '../channels/channels.ts'
import type { MessageClass, Queue } from '../messages/message.ts'

/** The rate that is halved after a complaint of a server for which none is configured, in mails per second. */
export const assumedPerSecond = 100
/** A rate is not halved below this, mails per second. */
export const perSecondMin = 1 / 60
/** A halved rate doubles again after this time without another complaint, by business time. */
export const doublesMs = 10 * 60_000
/** Complaints within this time count as one. */
export const complaintMs = 1_000
/** How far mail may be ahead of an even pace: the mails of this time are sent at once, the others evenly. */
export const burstMs = 1_000
/** A throttled mail asks again after this time at the latest, by business time: rates change, and earlier mails may be cancelled. */
export const retryMsMax = 60 * 60_000

/** What a rate limits: a canvas or campaign, the recipients at one domain, or all mail of a workspace. */
export type RateLevel = 'flow' | 'domain' | 'transport'

/** Returns the `transport` of a flow in `send_rate`. */
export function flowTransport(flow_id: number): string {
  return `flow/${flow_id}`
}

/** Returns the mails per second that a flow allows, or undefined for no limit. */
export function perSecondOf(rate: { readonly count: number; readonly perMs: number } | undefined): number | undefined {
  return rate && (rate.count * 1_000) / rate.perMs
}

/** The `domain` that stands for all messages of a transport. */
export const wholeTransport = ''

/** Returns the `transport` of a channel of a workspace in `send_rate`. */
export function channelTransport({ workspace_id, channel }: Queue): string {
  return `${channelOf(channel).rates.name}/${workspace_id}`
}

/** Returns the configured rate of a domain or of `wholeTransport`, or undefined if there is none. */
export function rateFor(rates: ChannelRates, domain: string): number | undefined {
  if (domain === wholeTransport) return rates.per_second
  return rates.domains && Object.hasOwn(rates.domains, domain) ? rates.domains[domain] : undefined
}

/** What a rate grants to several mails: to how many of them now, and when the next one may follow. */
export type RateGrant = { readonly count: number; readonly freeMs: number; readonly perSecond: number }

/** A mail that rates may limit. */
export type RateRequest = { readonly transport: string; readonly domain: string; readonly class: MessageClass }

/** The number of mails that ask for a row of `send_rate`. */
export type RateDemand = { readonly transport: string; readonly domain: string; readonly count: number }

/** Returns the demands of several mails at one level, one for each rate. */
export function rateDemands(requests: readonly RateRequest[], level: RateLevel): RateDemand[] {
  const groups = Map.groupBy(requests, (each) => requestKey(each, level))
  return [...groups.values()].map((group) => {
    const [{ transport, domain }] = group as [RateRequest]
    return { transport, domain: level === 'domain' ? domain : wholeTransport, count: group.length }
  })
}

/**
 * Chooses when throttled mails ask again: in their order, at the pace of their rate. Nothing is reserved for them. So no mail waits for one
 * that is cancelled later, and transactional mail does not wait behind a large send.
 */
export class ThrottleQueues {
  readonly #freeMs = new Map<string, number>()

  /** Returns when each mail asks again, epoch milliseconds, or undefined if it may be sent now. `granted` has the grants by `grantKey`. */
  retryTimes(
    requests: readonly RateRequest[],
    level: RateLevel,
    granted: ReadonlyMap<string, RateGrant>,
    nowMs: number,
  ): (number | undefined)[] {
    for (const [key, freeMs] of this.#freeMs) if (freeMs <= nowMs) this.#freeMs.delete(key)
    const counts = new Map<string, number>()
    return requests.map((each) => {
      const key = requestKey(each, level)
      const grant = granted.get(key)
      const earlier = counts.get(key) ?? 0
      counts.set(key, earlier + 1)
      return grant && earlier >= grant.count ? this.#join(`${each.class} ${key}`, grant, nowMs) : undefined
    })
  }

  #join(queue: string, { freeMs, perSecond }: RateGrant, nowMs: number): number {
    const retryMs = Math.min(Math.max(this.#freeMs.get(queue) ?? 0, freeMs), nowMs + retryMsMax)
    this.#freeMs.set(queue, retryMs + 1_000 / perSecond)
    return retryMs
  }
}

export function grantKey(transport: string, domain: string): string {
  return `${transport} ${domain}`
}

function requestKey({ transport, domain }: RateRequest, level: RateLevel): string {
  return grantKey(transport, level === 'domain' ? domain : wholeTransport)
}
