import type { MessageClass } from '../messages/message.ts'
/** How fast mail of a workspace goes out: as a whole, and to single domains (`settings.email_rates`). */
export type EmailRates = {
  readonly per_second?: number
  readonly domains?: Readonly<Record<string, number>>
}

/** Where a server says that it is too much and nothing was set, this is what it was too much for, in mails a second. */
export const assumedPerSecond = 100
/** A rate is not halved below this, mails a second. */
export const perSecondMin = 1 / 60
/** A halved rate is twice as much again after so long without another complaint, by business time. */
export const doublesMs = 10 * 60_000
/** Complaints within this time are one. */
export const complaintMs = 1_000
/** Mail may go ahead of an even pace by this much: so many at once, and then evenly. */
export const burstMs = 1_000
/** Who finds no room asks again after this time at the latest, by business time: rates change, and others may have been called off. */
export const askAgainMsMax = 60 * 60_000

/** What a rate is of: a canvas or campaign, the recipients at one domain, or all mail of a workspace. */
export type RateLevel = 'flow' | 'domain' | 'transport'

/** How a flow is called in `send_rate`, as a whole transport. */
export function flowTransport(flow_id: number): string {
  return `flow/${flow_id}`
}

/** Mails a second that a flow allows; undefined for as many as there are. */
export function perSecondOf(rate: { readonly count: number; readonly perMs: number } | undefined): number | undefined {
  return rate && (rate.count * 1_000) / rate.perMs
}

/** The whole transport of a workspace. */
export const wholeTransport = ''

/** The rate that holds for a domain, or for `wholeTransport`; undefined where nothing is set. */
export function rateFor(rates: EmailRates, domain: string): number | undefined {
  if (domain === wholeTransport) return rates.per_second
  return rates.domains && Object.hasOwn(rates.domains, domain) ? rates.domains[domain] : undefined
}

/** Room that was given to several mails: to how many of them now, and when there is some again for others. */
export type RateGrant = { readonly count: number; readonly freeMs: number; readonly perSecond: number }

/** A mail that wants room. */
export type RateRequest = { readonly transport: string; readonly domain: string; readonly class: MessageClass }

/** What is asked of a row of `send_rate`. */
export type RateDemand = { readonly transport: string; readonly domain: string; readonly count: number }

/** What several mails ask of the rates of one level, together. */
export function rateDemands(wanting: readonly RateRequest[], level: RateLevel): RateDemand[] {
  const groups = Map.groupBy(wanting, (each) => requestKey(each, level))
  return [...groups.values()].map((group) => {
    const [{ transport, domain }] = group as [RateRequest]
    return { transport, domain: level === 'domain' ? domain : wholeTransport, count: group.length }
  })
}

/**
 * When those that find no room ask again: in their order, at the pace of their rate. Nothing is booked for them, so that nobody waits for
 * mail that does not go out after all, and transactional mail does not wait behind a large send.
 */
export class ThrottleQueues {
  readonly #freeMs = new Map<string, number>()

  /** When each of these mails asks again, epoch milliseconds; undefined for those that go now. `granted` by `grantKey`. */
  retryTimes(
    wanting: readonly RateRequest[],
    level: RateLevel,
    granted: ReadonlyMap<string, RateGrant>,
    nowMs: number,
  ): (number | undefined)[] {
    for (const [key, freeMs] of this.#freeMs) if (freeMs <= nowMs) this.#freeMs.delete(key)
    const given = new Map<string, number>()
    return wanting.map((each) => {
      const key = requestKey(each, level)
      const room = granted.get(key)
      const n = given.get(key) ?? 0
      given.set(key, n + 1)
      return room && n >= room.count ? this.#join(`${each.class} ${key}`, room, nowMs) : undefined
    })
  }

  #join(queue: string, { freeMs, perSecond }: RateGrant, nowMs: number): number {
    const placeMs = Math.min(Math.max(this.#freeMs.get(queue) ?? 0, freeMs), nowMs + askAgainMsMax)
    this.#freeMs.set(queue, placeMs + 1_000 / perSecond)
    return placeMs
  }
}

export function grantKey(transport: string, domain: string): string {
  return `${transport} ${domain}`
}

function requestKey({ transport, domain }: RateRequest, level: RateLevel): string {
  return grantKey(transport, level === 'domain' ? domain : wholeTransport)
}
