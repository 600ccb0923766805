import type { Chance } from './chance.ts'

const dayMs = 86_400_000
/** Events and purchases lie within this long before the run. */
export const historyMs = 30 * dayMs
const youngestMs = 60_000

export const eventNames = [
  'product_viewed',
  'product_searched',
  'cart_updated',
  'cart_viewed',
  'checkout_started',
  'order_placed',
  'order_delivered',
  'coupon_applied',
  'wishlist_updated',
  'review_written',
  'article_read',
  'video_started',
  'video_finished',
  'survey_answered',
  'support_contacted',
  'store_visited',
  'newsletter_read',
  'level_reached',
  'friend_invited',
  'profile_edited',
] as const

export const plans = ['free', 'silver', 'gold', 'platinum'] as const
export const cities = ['Berlin', 'Lagos', 'Osaka', 'Lima', 'Oslo', 'Turin', 'Quito', 'Perth'] as const
export const tags = ['shoes', 'books', 'garden', 'music', 'travel', 'kitchen', 'sports', 'toys'] as const
const sources = ['search', 'mail', 'push', 'home'] as const

/** The people a run knows are numbered from 0; these are their two identifiers. */
export function externalIdOf(number: number): string {
  return `user-${String(number).padStart(10, '0')}`
}

export function emailOf(number: number): string {
  return `u${String(number).padStart(10, '0')}@example.com`
}

export function productOf(number: number): string {
  return `sku-${String(number).padStart(5, '0')}`
}

export const productCount = 500

/** A moment of a past day to the second, epoch milliseconds. */
export function drawTime(chance: Chance, nowMs: number): number {
  const seconds = chance.below((historyMs - youngestMs) / 1000)
  return Math.floor((nowMs - youngestMs) / 1000) * 1000 - seconds * 1000
}

export type DrawnEvent = {
  name: (typeof eventNames)[number]
  timeMs: number
  properties: { sku: string; price: number; from: string }
}

/** One event as the request bodies and the bound's rows both hold it. */
export function drawEvent(chance: Chance, nowMs: number): DrawnEvent {
  return {
    name: chance.pick(eventNames),
    timeMs: drawTime(chance, nowMs),
    properties: {
      sku: productOf(chance.below(productCount)),
      price: chance.below(20_000) / 100,
      from: chance.pick(sources),
    },
  }
}

/** The ten custom attributes of a known person. */
export function drawCustom(chance: Chance, nowMs: number): Record<string, unknown> {
  return {
    plan: chance.pick(plans),
    score: chance.below(1000),
    last_order: toSeconds(drawTime(chance, nowMs)),
    city: chance.pick(cities),
    active: chance.below(2) === 1,
    visits: chance.below(200),
    tags: [chance.pick(tags), `list-${chance.below(50)}`],
    signed_up: toSeconds(nowMs - chance.below(1000) * dayMs),
    spent: chance.below(100_000) / 100,
    channel: chance.pick(sources),
  }
}

/** `2026-11-20T09:57:03Z` */
export function toSeconds(timeMs: number): string {
  return `${Temporal.Instant.fromEpochMilliseconds(timeMs).toString({ smallestUnit: 'second' })}`
}
