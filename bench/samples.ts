import type { Random } from './random.ts'

const dayMs = 86_400_000
/** The time before the run in which events and purchases are. */
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

/** People are numbered from 0. Each has an external id and an e-mail address. */
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

/** Draws a time in the past, epoch milliseconds in full seconds. */
export function drawTime(random: Random, nowMs: number): number {
  const seconds = random.below((historyMs - youngestMs) / 1000)
  return Math.floor((nowMs - youngestMs) / 1000) * 1000 - seconds * 1000
}

export type DrawnEvent = {
  name: (typeof eventNames)[number]
  timeMs: number
  properties: { sku: string; price: number; from: string }
}

/** Draws an event, for the bodies of requests and for the rows of the bound. */
export function drawEvent(random: Random, nowMs: number): DrawnEvent {
  return {
    name: random.pick(eventNames),
    timeMs: drawTime(random, nowMs),
    properties: {
      sku: productOf(random.below(productCount)),
      price: random.below(20_000) / 100,
      from: random.pick(sources),
    },
  }
}

/** Draws the ten custom attributes of a person. */
export function drawCustom(random: Random, nowMs: number): Record<string, unknown> {
  return {
    plan: random.pick(plans),
    score: random.below(1000),
    last_order: toSeconds(drawTime(random, nowMs)),
    city: random.pick(cities),
    active: random.below(2) === 1,
    visits: random.below(200),
    tags: [random.pick(tags), `list-${random.below(50)}`],
    signed_up: toSeconds(nowMs - random.below(1000) * dayMs),
    spent: random.below(100_000) / 100,
    channel: random.pick(sources),
  }
}

/** Returns a time as `2026-11-20T09:57:03Z`. */
export function toSeconds(timeMs: number): string {
  return `${Temporal.Instant.fromEpochMilliseconds(timeMs).toString({ smallestUnit: 'second' })}`
}
