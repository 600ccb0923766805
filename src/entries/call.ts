import type { FetchAsked } from '../base/fetch/fetch.ts'
import type { Reason } from '../ledger/reasons.ts'

/** What a call has come to: why it is over, for the ledger, or when it is to be made again. */
export type CallEnd =
  | { readonly ended: Reason; readonly rule: string; readonly inputs?: object }
  | { readonly againMs: number; readonly inputs: object }

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

/** A webhook with its texts rendered, as it is asked for. */
export function askedOf(
  { method, headers, body }: { method: string; headers: Readonly<Record<string, string>>; body: string | undefined },
  key: string,
): FetchAsked {
  const isNamed = Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key')
  return {
    method,
    headers: isNamed ? headers : { ...headers, 'Idempotency-Key': key },
    ...(body !== undefined && method !== 'GET' && { body }),
    timeoutMs,
    bytesMax: answerBytesMax,
  }
}

/** What an answer, or its absence, comes to; `attempts`: this call included. Pure. */
export function judgeCall(
  answered: { readonly status: number } | { readonly refused: string; readonly temporary: boolean },
  attempts: number,
  nowMs: number,
): CallEnd {
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
