import type { FetchRequest } from '../../base/fetch/fetch.ts'
import type { Json } from '../../people/values/values.ts'
import type { WebhookStep } from '../flows/flow.ts'
import type { Reason } from '../ledger/reasons.ts'
import { fairShares, type LaneShare } from '../messages/fair-shares.ts'
import type { Lane } from '../messages/message.ts'

/** What a call has come to: why it is over, for the ledger, or when it is to be made again. */
export type CallOutcome =
  | { readonly ended: Reason; readonly rule: string; readonly inputs?: object }
  | { readonly againMs: number; readonly inputs: object }
  /** It was not made after all, and does not count. */
  | { readonly againMs: number; readonly isUnmade: true }

/** Webhooks that are called at the same time, and how many of them of one workspace: who answers slowly keeps no other waiting. */
export const callsAtOnce = 64
export const callsOfWorkspaceMax = 16
/** Times that a webhook is called before it is given up. */
export const callsMax = 5
/** The first pause after a call that failed; each is four times as long as the one before. */
const pauseMs = 60_000
const growth = 4
const timeoutMs = 10_000
/** Of the answer nothing is kept. */
const answerBytesMax = 65_536

/** The same for every call of one step and visit: who is called can tell that it was called before. */
export function callKey(entry_id: string, step: string, visit: number): string {
  return `${entry_id}-${step}-${visit}`.replace(/[^\x21-\x7e]/g, (character) =>
    encodeURIComponent(character.toWellFormed()),
  )
}

type Texts = Readonly<Record<string, string>>

/** The texts of a webhook that are Liquid, by names that `askedOf` finds them by. */
export function webhookTexts({ url, headers, body = '' }: Pick<WebhookStep, 'url' | 'headers' | 'body'>): Texts {
  const texts: Record<string, string> = { url }
  for (const [name, text] of Object.entries(headers)) texts[`header ${name}`] = text
  withTexts(body, (text, name) => {
    texts[name] = text
    return text
  })
  return texts
}

/** The same value with other texts; each is named by its place. */
function withTexts(body: Json, change: (text: string, name: string) => string): Json {
  let count = 0
  const walk = (value: Json): Json => {
    if (typeof value === 'string') return change(value, `body ${++count}`)
    if (Array.isArray(value)) return value.map(walk)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item)]))
  }
  return walk(body)
}

/** A webhook with its texts rendered, as it is asked for. */
export function callRequest(
  { method, headers, body }: Pick<WebhookStep, 'method' | 'headers' | 'body'>,
  texts: Texts,
  key: string,
): FetchRequest {
  const isJson = body !== undefined && typeof body !== 'string'
  const said = Object.fromEntries(Object.keys(headers).map((name) => [name, texts[`header ${name}`]!]))
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  const filled = body === undefined ? undefined : withTexts(body, (_, name) => texts[name]!)
  const sent = isJson ? JSON.stringify(filled) : (filled as string | undefined)
  return {
    method,
    headers: { ...said, ...(isJson && !isTyped && { 'Content-Type': 'application/json' }), 'Idempotency-Key': key },
    ...(sent !== undefined && method !== 'GET' && { body: sent }),
    timeoutMs,
    bytesMax: answerBytesMax,
  }
}

/** What an answer, or its absence, comes to; `attempts`: this call included. Pure. */
export function judgeCall(
  answered: { readonly status: number } | { readonly refused: string; readonly temporary: boolean },
  attempts: number,
  nowMs: number,
): CallOutcome {
  const isAnswer = 'status' in answered
  if (isAnswer && answered.status < 400) {
    return { ended: 'sent', rule: 'the webhook was called', inputs: { status: answered.status } }
  }
  const inputs = isAnswer ? { status: answered.status, attempts } : { refused: answered.refused, attempts }
  if (!isTemporary(answered)) {
    const rule = isAnswer
      ? `the webhook answered ${answered.status}`
      : `the webhook could not be called: ${answered.refused}`
    return { ended: 'refused_by_server', rule, inputs }
  }
  if (attempts >= callsMax) return { ended: 'expired', rule: `the webhook was called ${attempts} times`, inputs }
  return { againMs: nowMs + pauseMs * growth ** (attempts - 1), inputs }
}

function isTemporary(answered: Parameters<typeof judgeCall>[0]): boolean {
  if ('refused' in answered) return answered.temporary
  const { status } = answered
  return status >= 500 || status === 408 || status === 429
}

/** How many calls of each of these lanes, of one class, are made when `free` may be: of each workspace at most its own. Pure. */
export function shareCalls(
  due: readonly Lane[],
  underwayOf: (workspace_id: number) => number,
  free: number,
  turn: number,
): LaneShare[] {
  const room = (workspace_id: number) => callsOfWorkspaceMax - underwayOf(workspace_id)
  const open = due.filter(({ workspace_id }) => room(workspace_id) > 0)
  return fairShares(open, { transactional: free, marketing: free }, turn).map((share) => {
    return { ...share, count: Math.min(share.count, room(share.workspace_id)) }
  })
}
