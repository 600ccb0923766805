import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Outcome } from './answer.ts'
import { EaselError } from './easel-error.ts'
import { pauseAfter } from './repeat.ts'

/** How often a request is sent at most. */
export const attemptsMaxDefault = 6
/** How long an answer may take, its body included. */
export const timeoutMsDefault = 30_000

const jsonType = /^application\/([\w.-]+\+)?json\b/i

export type TransportOptions = {
  /** The address of Easel, such as `http://127.0.0.1:8080`. A path before the paths of the API is kept. */
  readonly url: string
  /** The API key, or the admin token for operations under `/admin`. */
  readonly key?: string | undefined
  /** How long each attempt may take, in milliseconds. */
  readonly timeoutMs?: number
  /** How often a request is sent at most, the first attempt included. */
  readonly attemptsMax?: number
  /** Told before each pause. */
  readonly onRepeat?: (repeat: Repeat) => void
  /** Waits between attempts. It may reject when `signal` is aborted. */
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>
  readonly parse?: (text: string) => unknown
}

export type CallOptions = {
  /** Ends the call. It rejects with the reason of the signal, and it is not known whether the request had an effect. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  /** Says that this request may be sent again after a 503 or a lost connection, although it is a POST or PATCH. */
  readonly repeat?: boolean | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
}

/** Options of operations that take an `Idempotency-Key`. */
export type KeyedOptions = CallOptions & {
  /** 1 to 255 visible characters. The same key and body have one effect, so such a request is repeated like a GET. */
  readonly idempotencyKey?: string | undefined
}

export type SentRequest = {
  readonly method: string
  readonly path: string
  /** Undefined members are left out. A list is sent as one parameter for each of its entries. */
  readonly query?: object
  readonly body?: unknown
}

/** A pause before the next attempt. `status` is undefined when there was no answer. */
export type Repeat = {
  readonly method: string
  readonly path: string
  readonly status: number | undefined
  /** The attempt that has failed; the first is 1. */
  readonly attempt: number
  readonly pauseMs: number
}

export type Transport = {
  /** Returns an answer, also a refusal. Throws an EaselError without a status when there is none. */
  send(request: SentRequest, options?: KeyedOptions): Promise<Answer>
}

/** Opens the way to a server: it sends requests, and repeats those for which this is safe. */
export function openTransport(options: TransportOptions): Transport {
  const { attemptsMax = attemptsMaxDefault, wait = pause, onRepeat } = options
  if (!(attemptsMax >= 1)) throw new RangeError('attemptsMax must be at least 1')

  async function send(request: SentRequest, call: KeyedOptions = {}): Promise<Answer> {
    const { method, path } = request
    const sent = requestOf(options, request, call)
    const rule = { isRepeatable: isRepeatable(method, call), hasKey: call.idempotencyKey !== undefined }
    for (let attempt = 1; ; attempt++) {
      call.signal?.throwIfAborted()
      const outcome = await attemptOnce(sent, options, call)
      const pauseMs = attempt < attemptsMax ? pauseAfter(outcome, attempt, rule) : undefined
      if (pauseMs === undefined) {
        if ('lost' in outcome) throw new EaselError({ method, path, cause: outcome.lost })
        return outcome
      }
      onRepeat?.({ method, path, status: 'lost' in outcome ? undefined : outcome.status, attempt, pauseMs })
      await wait(pauseMs, call.signal)
    }
  }
  return { send }
}

function isRepeatable(method: string, { repeat, idempotencyKey }: KeyedOptions): boolean {
  return repeat === true || idempotencyKey !== undefined || ['GET', 'PUT', 'DELETE'].includes(method)
}

type Prepared = { readonly url: string; readonly init: RequestInit }

function requestOf({ url, key }: TransportOptions, request: SentRequest, call: KeyedOptions): Prepared {
  const { method, path, query, body } = request
  const given = {
    ...call.headers,
    authorization: key === undefined || key === '' ? undefined : `Bearer ${key}`,
    'content-type': body === undefined ? undefined : 'application/json',
    'idempotency-key': call.idempotencyKey,
  }
  const headers = Object.fromEntries(
    Object.entries(given).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  )
  return {
    url: `${url.replace(/\/+$/, '')}${path}${textOf(query)}`,
    init: { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) },
  }
}

function textOf(query: object = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (each === undefined ? [] : [[name, String(each)]])),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

async function attemptOnce(sent: Prepared, options: TransportOptions, call: KeyedOptions): Promise<Outcome> {
  const timeout = AbortSignal.timeout(call.timeoutMs ?? options.timeoutMs ?? timeoutMsDefault)
  const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout
  const parse = options.parse ?? JSON.parse
  try {
    const response = await fetch(sent.url, { ...sent.init, signal })
    const text = await response.text()
    const isJson = text !== '' && jsonType.test(response.headers.get('content-type') ?? '')
    const body = isJson ? parse(text) : text === '' ? undefined : text
    return { status: response.status, headers: response.headers, body }
  } catch (error) {
    // Without a whole answer the outcome is unknown, and the caller of this function decides. An end by the signal is the user's.
    call.signal?.throwIfAborted()
    return { lost: error }
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal ? { signal } : {})
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
