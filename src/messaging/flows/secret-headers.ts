import { isObject } from '../../people/values/values.ts'
import { hasLiquid } from '../mail/read-text.ts'
import type { FlowDefinition } from './flow.ts'

/** Stands for the text of a header that is sealed, in answers and in files. */
export const sealedMark = { sealed: true } as const

/** Characters of a header that is searched for Liquid. */
const searchedCharactersMax = 2_000

const secretNames =
  /^(proxy-)?authorization$|^cookie$|(^|[-_.])(api)?[-_.]?(key|token|secret|password|passwd|auth|signature|credentials?)$/i
const secretValues = /^\s*(basic|bearer|token|apikey|digest|negotiate|aws4-hmac-sha256)\s+\S/i
const liquidTags = /\{\{.*?\}\}|\{%.*?%\}/gs
const schemeWords = /^\s*(basic|bearer|token|apikey|digest|negotiate)\b/i

/**
 * Whether a header looks as if it had a secret: by its name or by its scheme, and not when all of it comes from Liquid. Pure.
 */
export function looksSecret(name: string, value: string): boolean {
  // No header of a definition is so long, but one of a draft may be. Searching it for Liquid could take minutes.
  if (value.length > searchedCharactersMax) return secretNames.test(name) || secretValues.test(value)
  const literal = value.replaceAll(liquidTags, '').replace(schemeWords, '').trim()
  return literal !== '' && (secretNames.test(name) || secretValues.test(value))
}

/** Where a header stands: the step and the name of the header. */
export type HeaderPlace = { readonly step: string; readonly url: unknown; readonly name: string }

/** Returns the definition with each header of each webhook replaced by what `change` returns for it. Pure. */
export function withHeaders(
  definition: FlowDefinition,
  change: (value: unknown, place: HeaderPlace) => unknown,
): FlowDefinition {
  const { steps } = definition
  if (!Array.isArray(steps) || !steps.some(hasHeaders)) return definition
  return {
    ...definition,
    steps: steps.map((step) => {
      if (!hasHeaders(step)) return step
      const { id, url, headers } = step
      const changed = Object.entries(headers).map(([name, value]) => {
        return [name, change(value, { step: String(id), url, name })] as const
      })
      return { ...step, headers: Object.fromEntries(changed) }
    }),
  }
}

/** Returns the definition without the texts of secret headers. Pure. */
export function hideSecretHeaders(definition: FlowDefinition): FlowDefinition {
  return withHeaders(definition, (value, { name }) => (isSecretHeader(name, value) ? sealedMark : value))
}

/** Whether the value of a header is a text that looks as if it had a secret. Pure. */
export function isSecretHeader(name: string, value: unknown): value is string {
  return typeof value === 'string' && looksSecret(name, value)
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

/** Whether a header is `{"sealed": true}`. */
export function isSealedMark(value: unknown): boolean {
  return isObject(value) && value.sealed === true && Object.keys(value).length === 1
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

type StepWithHeaders = { readonly id?: unknown; readonly url?: unknown; readonly headers: Record<string, unknown> }

function hasHeaders(step: unknown): step is StepWithHeaders {
  return isObject(step) && isObject(step.headers)
}
