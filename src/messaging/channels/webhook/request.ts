import type { FetchRequest } from '../../../base/fetch/fetch.ts'
import { basicAuthorization, type Credential, mayBeSentTo } from '../../../content/rendering/credential.ts'
import { isObject, type Json, type JsonObject } from '../../../people/values/values.ts'
import type { CredentialHeader, WebhookContent } from './content.ts'

type Texts = Readonly<Record<string, string>>
type Headers = Pick<WebhookContent, 'headers'>
export type Credentials = ReadonlyMap<string, Credential>

/** Returns the Liquid texts of a webhook by the names that `callRequest` uses. */
export function webhookTexts({ url, headers, body = '' }: Pick<WebhookContent, 'url' | 'headers' | 'body'>): Texts {
  const texts: Record<string, string> = { url }
  for (const [name, text] of Object.entries(headers)) if (typeof text === 'string') texts[`header ${name}`] = text
  withTexts(body, (text, name) => {
    texts[name] = text
    return text
  })
  return texts
}

/** Replaces the texts of a body. Each text is named by its position. */
function withTexts(body: Json, change: (text: string, name: string) => string): Json {
  let count = 0
  const walk = (value: Json): Json => {
    if (typeof value === 'string') return change(value, `body ${++count}`)
    if (Array.isArray(value)) return value.map(walk)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value as JsonObject).map(([name, item]) => [name, walk(item)]))
  }
  return walk(body)
}

/** The credentials that the headers of a webhook name. */
export function credentialsIn({ headers }: Headers): string[] {
  return [...new Set(Object.values(headers).flatMap((value) => (typeof value === 'string' ? [] : [value.credential])))]
}

/** Why a call is not made. `temporary`: it may be possible later. */
export type RefusedCall = { readonly refused: string; readonly temporary: boolean }

/** Returns why a call must not be made with the credentials that were found; undefined when it may. Pure. */
export function refusedCredential(content: Headers, url: string, found: Credentials): RefusedCall | undefined {
  for (const name of credentialsIn(content)) {
    const credential = found.get(name)
    if (credential === undefined) return { refused: `there is no credential ${JSON.stringify(name)}`, temporary: true }
    if (!mayBeSentTo(credential, url)) {
      return { refused: `the credential ${JSON.stringify(name)} must not be sent to this server`, temporary: false }
    }
  }
  return undefined
}

/** A rendered request. A header with a credential does not have its text yet. */
export type RenderedRequest = {
  readonly method: WebhookContent['method']
  readonly url: string
  readonly headers: WebhookContent['headers']
  readonly body?: string
}

/** The idempotency key as a header: the same for every call of one message, so that the receiver recognizes a repetition. Pure. */
export function callKey(key: string): string {
  return key.replace(/[^\x21-\x7e]/g, (character) => encodeURIComponent(character.toWellFormed()))
}

/** Returns a webhook with its rendered texts. Pure. */
export function renderedRequest(
  { method, headers, body }: Pick<WebhookContent, 'method' | 'headers' | 'body'>,
  texts: Texts,
): RenderedRequest {
  const isJson = body !== undefined && typeof body !== 'string'
  const rendered = Object.entries(headers).map(([name, value]) => {
    return [name, typeof value === 'string' ? texts[`header ${name}`]! : value] as const
  })
  const hasContentType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  const renderedBody = body === undefined ? undefined : withTexts(body, (_, name) => texts[name]!)
  const bodyText = isJson ? JSON.stringify(renderedBody) : (renderedBody as string | undefined)
  return {
    method,
    url: texts.url!,
    headers: {
      ...Object.fromEntries(rendered),
      ...(isJson && !hasContentType && { 'Content-Type': 'application/json' }),
    },
    ...(bodyText !== undefined && method !== 'GET' && { body: bodyText }),
  }
}

/** Returns a request as it is sent, with its key and the texts of its credentials. Pure. */
export function callRequest(
  { method, headers, body }: RenderedRequest,
  key: string,
  credentials: Credentials = new Map(),
): Pick<FetchRequest, 'method' | 'headers' | 'body'> {
  const whole = Object.entries(headers).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : headerOf(value, credentials)]
  })
  return {
    method,
    headers: { ...Object.fromEntries(whole), 'Idempotency-Key': key },
    ...(body !== undefined && { body }),
  }
}

function headerOf({ credential: name, scheme }: CredentialHeader, credentials: Credentials): string {
  const credential = credentials.get(name)!
  if (scheme === 'basic') return basicAuthorization(credential)
  return scheme === 'bearer' ? `Bearer ${credential.password}` : credential.password
}

/** Returns the server that a URL leads to, and under which it is shown and called one call at a time; the empty text for no URL. Pure. */
export function receiverOf(url: string): string {
  const origin = URL.parse(url)?.origin ?? ''
  return origin === 'null' ? '' : origin
}
