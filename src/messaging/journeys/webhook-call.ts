import type { FetchRequest } from '../../base/fetch/fetch.ts'
import { basicAuthorization, type Credential, mayBeSentTo } from '../../content/rendering/credential.ts'
import { isObject, type Json, type JsonObject } from '../../people/values/values.ts'
import type { CredentialHeader, WebhookStep } from '../flows/flow.ts'
import type { Reason } from '../ledger/reasons.ts'
import { fairShares, type LaneShare } from '../messages/fair-shares.ts'
import type { Lane } from '../messages/message.ts'

/** The outcome of a call: its end, for the ledger, or when it is made again. */
export type CallOutcome =
  | { readonly ended: Reason; readonly rule: string; readonly inputs?: object }
  | { readonly againMs: number; readonly inputs: object }
  /** The call was not made, and does not count. */
  | { readonly againMs: number; readonly isUnmade: true }

/** Calls at the same time, and how many of them of one workspace, so that a slow receiver does not delay others. */
export const callsAtOnce = 64
export const callsOfWorkspaceMax = 16
/** A webhook is given up after this number of calls. */
export const callsMax = 5
/** The pause after the first failed call. Each pause is four times as long as the one before. */
const pauseMs = 60_000
const growth = 4
const timeoutMs = 10_000
/** The body of the answer is discarded. */
const answerBytesMax = 65_536

/** The idempotency key: the same for every call of one step and visit, so that the receiver recognizes a repetition. */
export function callKey(entry_id: string, step: string, visit: number): string {
  return `${entry_id}-${step}-${visit}`.replace(/[^\x21-\x7e]/g, (character) =>
    encodeURIComponent(character.toWellFormed()),
  )
}

type Texts = Readonly<Record<string, string>>

/** Returns the Liquid texts of a webhook by the names that `callRequest` uses. */
export function webhookTexts({ url, headers, body = '' }: Pick<WebhookStep, 'url' | 'headers' | 'body'>): Texts {
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

type Credentials = ReadonlyMap<string, Credential>

/** The credentials that the headers of a webhook name. */
export function credentialsIn({ headers }: Pick<WebhookStep, 'headers'>): string[] {
  return [...new Set(Object.values(headers).flatMap((value) => (typeof value === 'string' ? [] : [value.credential])))]
}

/** Returns why a call must not be made with the credentials that were found; undefined when it may. Pure. */
export function refusedCredential(step: Pick<WebhookStep, 'headers'>, url: string, found: Credentials) {
  for (const name of credentialsIn(step)) {
    const credential = found.get(name)
    if (credential === undefined) return { refused: `there is no credential ${JSON.stringify(name)}`, temporary: true }
    if (!mayBeSentTo(credential, url)) {
      return { refused: `the credential ${JSON.stringify(name)} must not be sent to this server`, temporary: false }
    }
  }
  return undefined
}

function headerOf({ credential: name, scheme }: CredentialHeader, credentials: Credentials): string {
  const credential = credentials.get(name)!
  if (scheme === 'basic') return basicAuthorization(credential)
  return scheme === 'bearer' ? `Bearer ${credential.password}` : credential.password
}

/** Returns the request of a webhook with rendered texts, and with the credentials that its headers name. */
export function callRequest(
  { method, headers, body }: Pick<WebhookStep, 'method' | 'headers' | 'body'>,
  texts: Texts,
  key: string,
  credentials: Credentials = new Map(),
): FetchRequest {
  const isJson = body !== undefined && typeof body !== 'string'
  const rendered = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      return [name, typeof value === 'string' ? texts[`header ${name}`]! : headerOf(value, credentials)]
    }),
  )
  const hasContentType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  const renderedBody = body === undefined ? undefined : withTexts(body, (_, name) => texts[name]!)
  const bodyText = isJson ? JSON.stringify(renderedBody) : (renderedBody as string | undefined)
  return {
    method,
    headers: {
      ...rendered,
      ...(isJson && !hasContentType && { 'Content-Type': 'application/json' }),
      'Idempotency-Key': key,
    },
    ...(bodyText !== undefined && method !== 'GET' && { body: bodyText }),
    timeoutMs,
    bytesMax: answerBytesMax,
  }
}

/** Returns the outcome of a call by its answer, or by the error instead of one. `attempts` includes this call. Pure. */
export function outcomeOfAnswer(
  answer: { readonly status: number } | { readonly refused: string; readonly temporary: boolean },
  attempts: number,
  nowMs: number,
): CallOutcome {
  const isAnswer = 'status' in answer
  if (isAnswer && answer.status < 400) {
    return { ended: 'sent', rule: 'the webhook was called', inputs: { status: answer.status } }
  }
  const inputs = isAnswer ? { status: answer.status, attempts } : { refused: answer.refused, attempts }
  if (!isTemporary(answer)) {
    const rule = isAnswer ? `the webhook answer ${answer.status}` : `the webhook could not be called: ${answer.refused}`
    return { ended: 'refused_by_server', rule, inputs }
  }
  if (attempts >= callsMax) return { ended: 'expired', rule: `the webhook was called ${attempts} times`, inputs }
  return { againMs: nowMs + pauseMs * growth ** (attempts - 1), inputs }
}

function isTemporary(answer: Parameters<typeof outcomeOfAnswer>[0]): boolean {
  if ('refused' in answer) return answer.temporary
  const { status } = answer
  return status >= 500 || status === 408 || status === 429
}

/** Returns how many calls to claim in each lane, all of one class, when `free` are possible. No workspace exceeds its maximum. Pure. */
export function shareCalls(
  due: readonly Lane[],
  inFlightOf: (workspace_id: number) => number,
  free: number,
  turn: number,
): LaneShare[] {
  const freeFor = (workspace_id: number) => callsOfWorkspaceMax - inFlightOf(workspace_id)
  const open = due.filter(({ workspace_id }) => freeFor(workspace_id) > 0)
  return fairShares(open, { transactional: free, marketing: free }, turn).map((share) => {
    return { ...share, count: Math.min(share.count, freeFor(share.workspace_id)) }
  })
}
