import { membersOf, retryAfterOf, saidBy, saidBytesMax } from '../../../base/fetch/answers.ts'
import type { FetchResponse } from '../../../base/fetch/fetch.ts'
import { FetchError } from '../../../base/fetch/fetch-error.ts'
import { neverConnected } from '../../../base/fetch/never-connected.ts'
import type { TransportOutcome } from '../../messages/transport-outcome.ts'

/** What became of a push to one device. `gone`: the service no longer knows the token. */
export type DeviceOutcome =
  | { readonly kind: 'accepted'; readonly response: string }
  | { readonly kind: 'gone'; readonly code: number; readonly response: string }
  | {
      readonly kind: 'deferred'
      readonly throttled: boolean
      readonly code: number
      readonly response: string
      /** Not before this many milliseconds. */
      readonly askedMs?: number
    }
  | { readonly kind: 'refused'; readonly code: number; readonly response: string }
  | { readonly kind: 'unreached'; readonly message: string }
  | { readonly kind: 'uncertain'; readonly message: string }

/** An address that must not be reached stays so, and one that leads elsewhere is no push service. */
const forbidden: ReadonlySet<string> = new Set(['url', 'request', 'port', 'address', 'redirects'])
/** A service that asks for more is asked again after a day. */
export const askedMsMax = 86_400_000

/** Finds the outcome of a request without an answer. The service may have the push, unless there was no connection. Pure. */
function outcomeOfError(error: FetchError): DeviceOutcome {
  if (forbidden.has(error.reason)) return { kind: 'refused', code: 0, response: error.message }
  return { kind: neverConnected(error) ? 'unreached' : 'uncertain', message: error.message }
}

/** Returns the outcome of an answer that asks to try later. */
function deferredBy(answer: FetchResponse, response: string): DeviceOutcome {
  const { status } = answer
  const askedMs = Math.min(retryAfterOf(answer), askedMsMax)
  return { kind: 'deferred', throttled: status === 429, code: status, response, ...(askedMs > 0 && { askedMs }) }
}

/** Finds the outcome of a request to a push service of a browser (RFC 8030). Pure. */
export function outcomeOfWebPush(answer: FetchResponse | FetchError): DeviceOutcome {
  if (answer instanceof FetchError) return outcomeOfError(answer)
  const { status } = answer
  const reply = { code: status, response: saidBy(answer) }
  if (status >= 200 && status < 300) return { kind: 'accepted', response: reply.response }
  if (status === 404 || status === 410) return { kind: 'gone', ...reply }
  if (status === 429 || status >= 500) return deferredBy(answer, reply.response)
  return { kind: 'refused', ...reply }
}

/** Finds the outcome of a request to FCM. 401 is not decided here: the bearer token may have ended. Pure. */
export function outcomeOfFcm(answer: FetchResponse | FetchError): DeviceOutcome {
  if (answer instanceof FetchError) return outcomeOfError(answer)
  const { status } = answer
  const { name, error } = membersOf(answer) as FcmFields
  if (status >= 200 && status < 300) {
    if (typeof name === 'string') return { kind: 'accepted', response: name.slice(0, saidBytesMax) }
    return { kind: 'uncertain', message: `it answered ${status} without the name of the message` }
  }
  const code = errorCodeOf(error)
  const reply = {
    code: status,
    response: saidBy({ status, body: Buffer.from(`${code} ${String(error?.message ?? '')}`) }),
  }
  if (code === 'UNREGISTERED') return { kind: 'gone', ...reply }
  if (status === 429 || status >= 500) return deferredBy(answer, reply.response)
  // A project that does not exist is 404 without the code of a token, and a key without the right is 403.
  if (status === 401 || status === 404 || (status === 403 && code !== 'SENDER_ID_MISMATCH') || status < 400)
    return { kind: 'unreached', message: reply.response }
  return { kind: 'refused', ...reply }
}

type FcmError = { readonly status?: unknown; readonly message?: unknown; readonly details?: unknown }
type FcmFields = { readonly name?: unknown; readonly error?: FcmError | null }

/** Returns the code of FCM from the details of an error, or the status of the error. */
function errorCodeOf(error: FcmError | null | undefined): string {
  const details = Array.isArray(error?.details) ? (error.details as { errorCode?: unknown }[]) : []
  const code = details.find((one) => typeof one?.errorCode === 'string')?.errorCode
  return String(code ?? error?.status ?? '')
}

/** The outcome of a push to one device. */
export type ReachedDevice = { readonly device: string; readonly outcome: DeviceOutcome }

/**
 * Returns the outcome of a push from those of its devices. It is sent when no device is left that may still get it. What is unknown or
 * deferred is decided by the next attempt, which leaves out the devices that have it. `earlier` devices got it in earlier attempts. Pure.
 */
export function outcomeOfAll(reached: readonly ReachedDevice[], earlier: number): TransportOutcome {
  const of = <Kind extends DeviceOutcome['kind']>(kind: Kind) =>
    reached.flatMap(({ device, outcome }) =>
      outcome.kind === kind ? [{ device, outcome: outcome as Extract<DeviceOutcome, { kind: Kind }> }] : [],
    )
  const accepted = of('accepted')
  const has = accepted.length + earlier
  const all = reached.length + earlier
  const count = all > 1 ? `${has} of ${all} devices have it. ` : ''
  const [uncertain] = of('uncertain')
  if (uncertain) return { kind: 'uncertain', message: `${count}${uncertain.outcome.message}` }
  const [unreached] = of('unreached')
  if (unreached) return { kind: 'unreached', message: `${count}${unreached.outcome.message}` }
  const [deferred] = of('deferred').sort((a, b) => (b.outcome.askedMs ?? 0) - (a.outcome.askedMs ?? 0))
  if (deferred) return { ...deferred.outcome, response: `${count}${deferred.outcome.response}` }
  const lost = [...of('gone'), ...of('refused')].map(({ device, outcome: { response } }) => `${device}: ${response}`)
  if (has > 0) {
    const [first] = accepted
    const response = `${count}${first?.outcome.response ?? ''}`.trim()
    return { kind: 'accepted', response, ...(lost.length > 0 && { warnings: lost }) }
  }
  const [refused] = of('refused')
  if (refused) {
    const { code, response } = refused.outcome
    return { kind: 'refused', bounce: 'policy', code, response }
  }
  const [gone] = of('gone')
  const { code, response } = gone?.outcome ?? { code: 410, response: 'the person has no device any more' }
  return { kind: 'refused', bounce: 'hard', code, response }
}
