import { isObject } from '../../people/values/values.ts'
import type { BounceKind } from '../mail/bounce-kind.ts'

/** What a provider tells of one mail, in our words. */
export type ProviderEvent = FeedbackEvent | EngagementEvent

type EventBase = {
  /** Whom it was sent to. */
  readonly address: string | undefined
  /** Texts in which a token of ours may stand. */
  readonly tokenTexts: readonly unknown[]
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

/** Whether somebody did something with the mail. */
export function isEngagement(event: ProviderEvent): event is EngagementEvent {
  return event.verb === 'opened' || event.verb === 'clicked'
}

type Fields = { readonly [name: string]: unknown }

const noFields: Fields = Object.freeze(Object.create(null))

/** A member that is an object; one without members where it is not. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : noFields
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Words with what is missing left out. */
export function joinTexts(...values: readonly unknown[]): string {
  return values.filter((value) => typeof value === 'string' || typeof value === 'number').join(' ')
}

const latestUs = 253_402_300_800_000_000

/** Epoch microseconds of epoch seconds, a fraction allowed, or of a text such as `2026-01-27T14:59:38.237Z`. */
export function microsecondsOf(value: unknown): number | undefined {
  const us = Math.round(typeof value === 'number' ? value * 1e6 : Date.parse(textOf(value) ?? '') * 1000)
  return us > 0 && us < latestUs ? us : undefined
}

/** What JSON says; undefined for what is none. */
export function parseJson(json: Buffer | string): unknown {
  try {
    return JSON.parse(json.toString())
  } catch {
    // A provider event that is not JSON is ignored.
    return undefined
  }
}
