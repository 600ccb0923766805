import { isObject } from '../../people/values/values.ts'
import { isSealedMark, isSecretHeader, sealedMark } from '../channels/webhook/secret-header.ts'
import { hasLiquid } from '../mail/read-text.ts'
import type { FlowDefinition } from './flow.ts'

/** Where a header stands: the step, or the message of a campaign, and the name of the header. */
export type HeaderPlace = { readonly step: string; readonly url: unknown; readonly name: string }

type Members = Readonly<Record<string, unknown>>
type Change = (value: unknown, place: HeaderPlace) => unknown

/** Returns the definition with each header of each webhook replaced by what `change` returns for it. Pure. */
export function withHeaders(definition: FlowDefinition, change: Change): FlowDefinition {
  const { steps, messages } = definition
  return {
    ...definition,
    ...(Array.isArray(steps) && { steps: steps.map((step) => stepWith(step, change)) }),
    ...(Array.isArray(messages) && { messages: messages.map((message, i) => messageWith(message, i, change)) }),
  }
}

/** A step is a webhook, or it sends a message by this channel. A draft may be both. */
function stepWith(step: unknown, change: Change): unknown {
  if (!isObject(step)) return step
  const id = String(step.id)
  const own = callWith(step, id, change)
  if (step.channel !== 'webhook' || !isObject(step.message)) return own
  return { ...own, message: callWith(step.message, id, change) }
}

function messageWith(message: unknown, i: number, change: Change): unknown {
  if (!isObject(message) || !isObject(message.webhook)) return message
  return { ...message, webhook: callWith(message.webhook, String(message.id ?? message.name ?? i), change) }
}

function callWith(call: Members, step: string, change: Change): Members {
  const { url, headers } = call
  if (!isObject(headers)) return call
  const changed = Object.entries(headers).map(([name, value]) => [name, change(value, { step, url, name })] as const)
  return { ...call, headers: Object.fromEntries(changed) }
}

/** Returns the definition without the texts of secret headers. Pure. */
export function hideSecretHeaders(definition: FlowDefinition): FlowDefinition {
  return withHeaders(definition, (value, { name }) => (isSecretHeader(name, value) ? sealedMark : value))
}

/**
 * Returns the definition with the earlier texts in place of `{"sealed": true}`. A mark stays where there is no earlier text for the same
 * origin: otherwise an editor could send a secret that was never shown to a server of the editor. Pure.
 */
export function restoreSecretHeaders(given: FlowDefinition, before: FlowDefinition | undefined): FlowDefinition {
  const earlier = new Map<string, { value: unknown; url: unknown }>()
  withHeaders(before ?? {}, (value, place) => {
    earlier.set(keyOf(place), { value, url: place.url })
    return value
  })
  return withHeaders(given, (value, place) => {
    if (!isSealedMark(value)) return value
    const known = earlier.get(keyOf(place))
    return typeof known?.value === 'string' && goesToSameServer(known.url, place.url) ? known.value : value
  })
}

function keyOf({ step, name }: HeaderPlace): string {
  return JSON.stringify([step, name.toLowerCase()])
}

/** A URL with Liquid can lead anywhere, so it must be the same text. */
function goesToSameServer(before: unknown, after: unknown): boolean {
  if (before === after) return true
  if (typeof before !== 'string' || typeof after !== 'string' || hasLiquid(before) || hasLiquid(after)) return false
  const origin = URL.parse(before)?.origin
  return origin !== undefined && origin === URL.parse(after)?.origin
}
