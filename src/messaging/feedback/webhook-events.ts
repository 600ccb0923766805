import { isObject } from '../../people/values/values.ts'
import type { BounceKind } from '../messages/transport-outcome.ts'

/** One event of a provider about a mail. */
export type ProviderEvent = FeedbackEvent | EngagementEvent

type EventBase = {
  /** The address of the recipient. */
  readonly address: string | undefined
  /** Texts that may contain the token of a message. */
  readonly tokenTexts: readonly unknown[]
  /** What the provider says about it, for the reason of a suppression. */
  readonly detail: string
  /** Epoch microseconds by the provider's clock. */
  readonly occurredUs: number | undefined
}

export type FeedbackEvent = EventBase &
  (
    | { readonly verb: 'bounced'; readonly kind: BounceKind }
    | { readonly verb: 'complained' | 'delivered' | 'unsubscribed' }
  )

export type EngagementEvent = EventBase & {
  readonly verb: 'opened' | 'clicked'
  readonly agent: string | undefined
  readonly ip: string
}

/** Returns whether an event is an open or a click. */
export function isEngagement(event: ProviderEvent): event is EngagementEvent {
  return event.verb === 'opened' || event.verb === 'clicked'
}

type Fields = { readonly [name: string]: unknown }

const noFields: Fields = Object.freeze(Object.create(null))

/** Returns a value that should be an object; an empty object if it is not. */
export function fieldsIn(value: unknown): Fields {
  return isObject(value) ? value : noFields
}

/** Returns a value that should be an array; an empty array if it is not. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns a value that should be a text, or undefined if it is not, or empty. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Joins texts and numbers with blanks, and leaves out other values. */
export function joinTexts(...values: readonly unknown[]): string {
  return values.filter((value) => typeof value === 'string' || typeof value === 'number').join(' ')
}

const latestUs = 253_402_300_800_000_000

/** Returns epoch microseconds for epoch seconds or a text such as `2026-01-27T14:59:38.237Z`, otherwise undefined. */
export function microsecondsOf(value: unknown): number | undefined {
  const us = Math.round(typeof value === 'number' ? value * 1e6 : Date.parse(textIn(value) ?? '') * 1000)
  return us > 0 && us < latestUs ? us : undefined
}

/** Parses JSON. Returns undefined if the text is not JSON. */
export function parseJson(json: Buffer | string): unknown {
  try {
    return JSON.parse(json.toString())
  } catch {
    // A provider event that is not JSON is ignored.
    return undefined
  }
}
