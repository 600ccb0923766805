import { type Members, membersOf, mustBe, type ParseState, wrong } from '../../../audience/conditions/parse-members.ts'
import type { Tx } from '../../../base/db/db.ts'
import { invalid } from '../../../base/errors.ts'
import { mayBeSentTo } from '../../../content/rendering/credential.ts'
import { malformedMistake } from '../../../content/texts/malformed.ts'
import { broken, inspect, isCleanText, isObject, isUnsafeKey, type Json } from '../../../people/values/values.ts'
import { joinPath, type Mistake } from '../../../workspace/settings/mistake.ts'
import { hasLiquid } from '../../mail/read-text.ts'
import { isSealedMark, looksSecret } from './secret-header.ts'

/** A header with the sealed password of a credential; `basic` has the user name as well. */
export type CredentialHeader = { readonly credential: string; readonly scheme: 'basic' | 'bearer' | 'plain' }

/** What a webhook calls, checked. Texts may have Liquid. */
export type WebhookContent = {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers: Readonly<Record<string, string | CredentialHeader>>
  /** A text is sent as it is rendered. Anything else is sent as JSON, and each text in it is rendered separately. */
  readonly body: Json | undefined
  readonly message_variation_id?: string
}

/** Characters of a URL as it is written. */
export const urlCharactersMax = 2_000
export const headersMax = 50
export const webhookBodyBytesMax = 100 * 1024
export const webhookMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export const headerCharactersMax = 998
export const headerSchemes = ['basic', 'bearer', 'plain'] as const
const idCharactersMax = 255
/** Characters of a URL in lists. */
const shownCharactersMax = 100
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,76}$/
/** Headers that the HTTP client sets, and the one that identifies a call. */
const reservedHeaders: readonly string[] = [
  ...['host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'te', 'trailer', 'expect'],
  ...['proxy-authorization', 'proxy-connection', 'idempotency-key'],
]
const members = ['url', 'method', 'headers', 'body', 'message_variation_id'] as const

/** What a webhook is read against. */
export type WebhookContext = {
  /** The origins that each credential may be sent to, by its name; not checked when undefined. */
  readonly credentialOrigins?: ReadonlyMap<string, readonly string[]>
  /** Secret texts are refused, because they would be stored readable. */
  readonly refusesSecrets?: boolean
  /** It was accepted once, perhaps by an earlier version: what only a later version refuses is read. Its call is refused. */
  readonly isStored?: boolean
}

type Reading = ParseState & WebhookContext

/** Reads a webhook, and records the first mistake; with `all` each of them. Pure. */
export function readWebhook(given: unknown, path: string, context: WebhookContext, all?: Mistake[]) {
  const reading: Reading = {
    ...{ patternMax: 0, mistake: undefined, leaves: 0, patterns: 0, patternCharacters: 0 },
    ...context,
    ...(all && { all }),
  }
  const own = membersOf(reading, given, path, members)
  return { content: own ? contentOf(reading, own) : standIn, mistake: reading.mistake }
}

export const standIn: WebhookContent = { url: '', method: 'POST', headers: {}, body: undefined }

function contentOf(reading: Reading, own: Members): WebhookContent {
  const { path, value } = own
  const at = (name: string) => joinPath(path, name)
  const isGiven = (name: string) => value[name] !== undefined && value[name] !== null
  const id = isGiven('message_variation_id')
    ? readId(reading, value.message_variation_id, at('message_variation_id'))
    : ''
  return {
    url: readUrl(reading, value.url, at('url')),
    method: isGiven('method') ? readMethod(reading, value.method, at('method')) : 'POST',
    headers: isGiven('headers') ? readHeaders(reading, value.headers, at('headers'), value.url) : {},
    body: isGiven('body') ? readBody(reading, value.body, at('body')) : undefined,
    ...(id !== '' && { message_variation_id: id }),
  }
}

/** Reads a URL. One with Liquid is checked as Liquid; the rendered URL is checked before the call. */
function readUrl(reading: Reading, given: unknown, path: string): string {
  const expected = `a URL of http or https of at most ${urlCharactersMax} characters`
  if (typeof given !== 'string' || given.length > urlCharactersMax || !isCleanText(given) || /[\r\n]/.test(given)) {
    return mustBe(reading, path, expected, given) ?? ''
  }
  if (hasLiquid(given)) return readLiquid(reading, given, path)
  const url = URL.parse(given)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return mustBe(reading, path, expected, given) ?? ''
  if (!reading.isStored && (url.username !== '' || url.password !== '')) {
    wrong(reading, path, 'must not have a user name or a password in it: give a header with a credential')
  }
  return given
}

function readMethod(reading: Reading, given: unknown, path: string): WebhookContent['method'] {
  if ((webhookMethods as readonly unknown[]).includes(given)) return given as WebhookContent['method']
  return mustBe(reading, path, `one of ${webhookMethods.join(', ')}`, given) ?? 'POST'
}

function readId(reading: Reading, given: unknown, path: string): string {
  if (typeof given === 'string' && isCleanText(given) && given.length <= idCharactersMax) return given
  return mustBe(reading, path, 'an id', given) ?? ''
}

function readHeaders(reading: Reading, given: unknown, path: string, url: unknown): WebhookContent['headers'] {
  if (!isObject(given)) return mustBe(reading, path, 'an object of texts', given) ?? {}
  const names = Object.keys(given)
  if (names.length > headersMax) wrong(reading, path, `must have at most ${headersMax} headers`)
  const seen = new Set<string>()
  const headers: Record<string, string | CredentialHeader> = {}
  for (const name of names) {
    const at = joinPath(path, name)
    const lower = name.toLowerCase()
    if (!headerName.test(name) || isUnsafeKey(lower))
      wrong(reading, path, 'must have names of visible ASCII characters')
    if (reservedHeaders.includes(lower)) wrong(reading, at, 'must not be set: it is reserved')
    if (seen.has(lower)) wrong(reading, at, 'must be given once')
    seen.add(lower)
    const header = readHeader(reading, given[name], { at, name, url })
    if (header !== undefined) headers[name] = header
  }
  return headers
}

type HeaderPlace = { readonly at: string; readonly name: string; readonly url: unknown }

function readHeader(reading: Reading, value: unknown, place: HeaderPlace): string | CredentialHeader | undefined {
  const { at, name } = place
  if (isSealedMark(value)) {
    return wrong(reading, at, 'is sealed, and there is no text for it and this server: give the text again')
  }
  if (isObject(value)) return readCredentialHeader(reading, value, place)
  if (typeof value !== 'string' || value.length > headerCharactersMax || !isHeaderText(value)) {
    return mustBe(reading, at, `one line of at most ${headerCharactersMax} characters`, value)
  }
  if (reading.refusesSecrets && looksSecret(name, value)) return wrong(reading, at, secretRefused)
  return readLiquid(reading, value, at)
}

const secretRefused =
  'looks like a secret, which a request must not have: store it as a credential (POST /admin/credentials), ' +
  'and give {"credential": "its name"} instead of the text'

/** Reads `{"credential": "name", "scheme": "bearer"}`. The password is looked up before each call. */
function readCredentialHeader(
  reading: Reading,
  value: Readonly<Record<string, unknown>>,
  { at: path, name, url }: HeaderPlace,
): CredentialHeader {
  const { credential, scheme: given, ...others } = value
  const preset = name.toLowerCase() === 'authorization' ? 'basic' : 'plain'
  const isScheme = (headerSchemes as readonly unknown[]).includes(given)
  const scheme = isScheme ? (given as CredentialHeader['scheme']) : preset
  if (!isScheme && given !== undefined && given !== null) {
    mustBe(reading, joinPath(path, 'scheme'), `one of ${headerSchemes.join(', ')}`, given)
  }
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) wrong(reading, joinPath(path, unknown), 'is not known here; known are credential, scheme')
  const at = joinPath(path, 'credential')
  if (typeof credential !== 'string' || credential === '') {
    return mustBe(reading, at, 'the name of a credential of this workspace', credential) ?? { credential: '', scheme }
  }
  const mistake = reading.credentialOrigins && credentialMistake(reading.credentialOrigins.get(credential), url)
  if (mistake !== undefined) wrong(reading, at, mistake)
  return { credential, scheme }
}

/** Returns why a credential with these origins may not be used for a URL; undefined when it may. Pure. */
function credentialMistake(origins: readonly string[] | undefined, url: unknown): string | undefined {
  if (origins === undefined) return 'must be the name of a credential of this workspace'
  if (typeof url !== 'string' || hasLiquid(url) || mayBeSentTo({ origins }, url)) return undefined
  return `must be a credential for the origin of the URL: this one is for ${origins.join(', ')}`
}

/** Reads a body: text or JSON. In JSON each text is rendered separately, so that a rendered text cannot break the JSON. */
function readBody(reading: Reading, given: unknown, path: string): Json {
  const body = given as Json
  if (inspect(body, true) & broken) {
    wrong(reading, path, 'must be nested at most 50 deep, without NUL characters and half surrogate pairs')
    return body
  }
  if (Buffer.byteLength(typeof body === 'string' ? body : JSON.stringify(body)) > webhookBodyBytesMax)
    wrong(reading, path, `must be at most ${webhookBodyBytesMax} bytes`)
  readTexts(reading, body, path)
  return body
}

function readTexts(reading: Reading, value: Json, path: string): void {
  if (typeof value === 'string') readLiquid(reading, value, path)
  if (value === null || typeof value !== 'object') return
  for (const [name, item] of Object.entries(value)) {
    readTexts(reading, item, Array.isArray(value) ? `${path}[${name}]` : joinPath(path, name))
  }
}

function readLiquid(reading: Reading, text: string, path: string): string {
  const mistake = hasLiquid(text) ? malformedMistake(path, text) : undefined
  if (mistake) wrong(reading, mistake.path, mistake.message)
  return text
}

function isHeaderText(value: string): boolean {
  return isCleanText(value) && !/\p{Cc}/u.test(value.replaceAll('\t', ' '))
}

/** Returns a URL as lists and logs show it: without its query, which may have secrets, and cut. Pure. */
export function shownUrl(url: string): string {
  const [shown = ''] = url.replaceAll(/\s+/g, ' ').split(/[?#]/)
  return shown.length <= shownCharactersMax ? shown : `${shown.slice(0, shownCharactersMax - 3).toWellFormed()}...`
}

/** Checks that the credentials exist, and may be sent to the URL. Throws 400 with the path of the first that may not. */
export async function checkCredentials(
  tx: Tx,
  workspace_id: number,
  { headers, url }: WebhookContent,
  path: string,
  findOrigins: (tx: Tx, workspace_id: number, names: readonly string[]) => Promise<ReadonlyMap<string, string[]>>,
): Promise<void> {
  const named = Object.entries(headers).flatMap(([name, value]) => {
    return typeof value === 'string' ? [] : [{ name, credential: value.credential }]
  })
  if (named.length === 0) return
  const origins = await findOrigins(
    tx,
    workspace_id,
    named.map(({ credential }) => credential),
  )
  for (const { name, credential } of named) {
    const mistake = credentialMistake(origins.get(credential), url)
    const at = joinPath(joinPath(joinPath(path, 'headers'), name), 'credential')
    if (mistake !== undefined) throw invalid(`${at} ${mistake}`)
  }
}
