import { type Members, mustBe, wrong } from '../../audience/conditions/parse-members.ts'
import { mayBeSentTo } from '../../content/rendering/credential.ts'
import { malformedMistake } from '../../content/texts/malformed.ts'
import { broken, inspect, isCleanText, isObject, isUnsafeKey, type Json } from '../../people/values/values.ts'
import { joinPath } from '../../workspace/settings/mistake.ts'
import { hasLiquid } from '../mail/read-text.ts'
import type { CredentialHeader, WebhookStep } from './flow.ts'
import { type FlowReading, optional, readWord } from './read-values.ts'
import { attributesBytesMax, attributesMax, headersMax, urlCharactersMax, webhookBodyBytesMax } from './schema.ts'
import { isSealedMark } from './secret-headers.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,76}$/
const headerCharactersMax = 998
const schemes = ['basic', 'bearer', 'plain'] as const
/** Headers that the HTTP client sets, and the one that identifies a call. */
const reservedHeaders: readonly string[] = [
  ...['host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'te', 'trailer', 'expect'],
  ...['proxy-authorization', 'proxy-connection', 'idempotency-key'],
]

/** Members of an attribute object that a step may not set: identifiers, addresses, and settings of a track request. */
const reservedAttributes: readonly string[] = [
  ...['external_id', 'user_alias', 'service_id', 'email', 'phone', 'device_id', 'push_tokens', 'push_token_import'],
  ...['subscription_groups', '_update_existing_only', 'app_id'],
]

/** Reads attributes as in `/users/track`. Whether a value is valid for its attribute is checked when it is written. */
export function readAttributes(reading: FlowReading, given: unknown, path: string): Record<string, unknown> {
  if (!isObject(given) || Object.keys(given).length === 0) {
    return mustBe(reading, path, 'an object of attributes', given) ?? {}
  }
  const names = Object.keys(given)
  if (names.length > attributesMax) return wrong(reading, path, `must have at most ${attributesMax} attributes`) ?? {}
  if (inspect(given, true) & broken) {
    wrong(reading, path, 'must be nested at most 50 deep, with numbers of at most 1,000 characters')
  }
  for (const name of names) {
    const at = joinPath(path, name)
    if (reservedAttributes.includes(name)) wrong(reading, at, 'names or addresses a person: a step cannot set it')
    if (name === '' || isUnsafeKey(name)) wrong(reading, at, 'is not a valid name of an attribute')
  }
  if (Buffer.byteLength(JSON.stringify(given)) > attributesBytesMax) {
    wrong(reading, path, `must be at most ${attributesBytesMax} bytes as JSON`)
  }
  return given
}

export function readWebhook(
  reading: FlowReading,
  members: Members,
): Pick<WebhookStep, 'url' | 'method' | 'headers' | 'body'> {
  return {
    url: readUrl(reading, members.value.url, joinPath(members.path, 'url')),
    method: readWord(reading, members, 'method', methods, 'POST'),
    headers: optional(members, 'headers', (value, at) => readHeaders(reading, value, at, members.value.url)) ?? {},
    body: optional(members, 'body', (value, at) => readBody(reading, value, at)),
  }
}

/** Reads a URL. One with Liquid is checked as Liquid; the rendered URL is checked before the call. */
function readUrl(reading: FlowReading, given: unknown, path: string): string {
  const expected = `a URL of http or https of at most ${urlCharactersMax} characters`
  if (typeof given !== 'string' || given.length > urlCharactersMax || !isCleanText(given) || /[\r\n]/.test(given)) {
    return mustBe(reading, path, expected, given) ?? ''
  }
  const isLiquid = hasLiquid(given)
  if (isLiquid) return readLiquid(reading, given, path)
  const protocol = URL.parse(given)?.protocol
  return protocol === 'http:' || protocol === 'https:' ? given : (mustBe(reading, path, expected, given) ?? '')
}

function readHeaders(reading: FlowReading, given: unknown, path: string, url: unknown): WebhookStep['headers'] {
  if (!isObject(given)) return mustBe(reading, path, 'an object of texts', given) ?? {}
  const names = Object.keys(given)
  if (names.length > headersMax) wrong(reading, path, `must have at most ${headersMax} headers`)
  const seen = new Set<string>()
  const headers: Record<string, string | CredentialHeader> = {}
  for (const name of names) {
    const at = joinPath(path, name)
    const lower = name.toLowerCase()
    const value = given[name]
    if (!headerName.test(name) || isUnsafeKey(lower))
      wrong(reading, path, 'must have names of visible ASCII characters')
    if (reservedHeaders.includes(lower)) wrong(reading, at, 'must not be set: it is reserved')
    if (seen.has(lower)) wrong(reading, at, 'must be given once')
    seen.add(lower)
    if (isSealedMark(value)) {
      wrong(reading, at, 'is sealed, and there is no text for it and this server: give the text again')
    } else if (isObject(value)) {
      headers[name] = readCredentialHeader(reading, value, at, lower, url)
    } else if (typeof value !== 'string' || value.length > headerCharactersMax || !isHeaderText(value)) {
      mustBe(reading, at, `one line of at most ${headerCharactersMax} characters`, value)
    } else headers[name] = readLiquid(reading, value, at)
  }
  return headers
}

/** Reads `{"credential": "name", "scheme": "bearer"}`. The password is looked up before each call. */
function readCredentialHeader(
  reading: FlowReading,
  value: Readonly<Record<string, unknown>>,
  path: string,
  lower: string,
  url: unknown,
): CredentialHeader {
  const { credential, ...others } = value
  const preset = lower === 'authorization' ? 'basic' : 'plain'
  const scheme = readWord(reading, { path, value }, 'scheme', schemes, preset)
  const unknown = Object.keys(others).find((name) => name !== 'scheme')
  if (unknown !== undefined) wrong(reading, joinPath(path, unknown), 'is not known here; known are credential, scheme')
  const at = joinPath(path, 'credential')
  if (typeof credential !== 'string' || credential === '') {
    return mustBe(reading, at, 'the name of a credential of this workspace', credential) ?? { credential: '', scheme }
  }
  const origins = reading.context.credentialOrigins?.get(credential)
  if (reading.context.credentialOrigins && origins === undefined) {
    wrong(reading, at, 'must be the name of a credential of this workspace')
  } else if (origins && typeof url === 'string' && !hasLiquid(url) && !mayBeSentTo({ origins }, url)) {
    wrong(reading, at, `must be a credential for the origin of the URL: this one is for ${origins.join(', ')}`)
  }
  return { credential, scheme }
}

/** Reads a body: text or JSON. In JSON each text is rendered separately, so that a rendered text cannot break the JSON. */
function readBody(reading: FlowReading, given: unknown, path: string): Json {
  const body = given as Json
  if (Buffer.byteLength(typeof body === 'string' ? body : JSON.stringify(body)) > webhookBodyBytesMax)
    wrong(reading, path, `must be at most ${webhookBodyBytesMax} bytes`)
  if (inspect(body, true) & broken) {
    wrong(reading, path, 'must be nested at most 50 deep, without NUL characters and half surrogate pairs')
  } else readTexts(reading, body, path)
  return body
}

function readTexts(reading: FlowReading, value: Json, path: string): void {
  if (typeof value === 'string') readLiquid(reading, value, path)
  if (value === null || typeof value !== 'object') return
  for (const [name, item] of Object.entries(value)) {
    readTexts(reading, item, Array.isArray(value) ? `${path}[${name}]` : joinPath(path, name))
  }
}

function readLiquid(reading: FlowReading, text: string, path: string): string {
  const mistake = hasLiquid(text) ? malformedMistake(path, text) : undefined
  if (mistake) wrong(reading, mistake.path, mistake.message)
  return text
}

function isHeaderText(value: string): boolean {
  return isCleanText(value) && !/\p{Cc}/u.test(value.replaceAll('\t', ' '))
}
