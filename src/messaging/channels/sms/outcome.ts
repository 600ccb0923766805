import { membersOf } from '../../../base/fetch/answers.ts'
import type { FetchResponse } from '../../../base/fetch/fetch.ts'
import { FetchError } from '../../../base/fetch/fetch-error.ts'
import { neverConnected } from '../../../base/fetch/never-connected.ts'
import type { BounceKind, TransportOutcome } from '../../messages/transport-outcome.ts'

/** Codes of the provider by which a number can get no text, now and later. */
const hardCodes: ReadonlySet<number> = new Set([21211, 21217, 21614, 30005, 30006])
/** Codes by which this text was not delivered, which says little about the number. */
const softCodes: ReadonlySet<number> = new Set([21612, 30003, 30008])
/** The code by which the person has answered STOP to the sender, and the provider sends nothing more. */
export const leftCode = 21610
/** Mistakes in `SMS_URL`, by which the provider got no text. */
const neverSent: ReadonlySet<string> = new Set(['url', 'request', 'port', 'address', 'redirects'])
/** Statuses of a mistake in `SMS_URL`, which say nothing about the text. */
const setupStatuses: ReadonlySet<number> = new Set([401, 403, 404, 405])
const saidCharactersMax = 500

/** Returns what a code of the provider says about the number. Anything unknown is about the text. */
export function bounceOfCode(code: number): BounceKind {
  if (hardCodes.has(code)) return 'hard'
  return softCodes.has(code) ? 'soft' : 'policy'
}

/**
 * Finds the outcome of a request to the provider. Without an answer the provider may have the text, unless there was no connection.
 * `group_id`: the group of the text.
 */
export function outcomeOfAnswer(answer: FetchResponse | FetchError, group_id?: number): TransportOutcome {
  if (answer instanceof FetchError) {
    const isUnreached = neverSent.has(answer.reason) || neverConnected(answer)
    return { kind: isUnreached ? 'unreached' : 'uncertain', message: answer.message }
  }
  const { status } = answer
  const { sid, status: state, code, message } = membersOf(answer)
  if (status >= 200 && status < 300) {
    if (typeof sid === 'string') return { kind: 'accepted', response: `${sid} ${String(state ?? '')}`.trim() }
    return { kind: 'uncertain', message: `it answered ${status} without the id of the text` }
  }
  const said = `${status} ${[code, message].filter((part) => part !== undefined).join(' ')}`
    .trim()
    .slice(0, saidCharactersMax)
  const reply = { code: typeof code === 'number' ? code : status, response: said }
  if (status === 429) return { kind: 'deferred', throttled: true, ...reply }
  if (status >= 500) return { kind: 'deferred', throttled: false, ...reply }
  if (setupStatuses.has(status) || status < 400) return { kind: 'unreached', message: said }
  const left = reply.code === leftCode && group_id !== undefined ? { leftGroup: group_id } : {}
  return { kind: 'refused', bounce: bounceOfCode(reply.code), ...left, ...reply }
}
