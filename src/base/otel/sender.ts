import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Agent, Dispatcher } from 'undici'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { outsideScopes } from '../telemetry.ts'
import type { Signal } from '../telemetry-variables.ts'

/** The first pause after a failure. Each further one is twice as long, up to the last. */
const pauseMsMin = 500
const pauseMsMax = 5_000
const answerBytesMax = 65_536
const causeCharsMax = 200
/** Answers after which the same request may succeed. */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504])

export type SenderOptions = {
  readonly signal: Signal
  /** `traces` or `metrics`, for the log. */
  readonly what: string
  readonly tls: { readonly ca?: Buffer; readonly key?: Buffer; readonly cert?: Buffer }
  /** How long one delivery may take, with its repetitions. */
  readonly timeoutMs: number
  readonly isPacked: boolean
  /** Aborted when nothing is sent any more. */
  readonly stopped: AbortSignal
  readonly log: Log
  readonly clock: Pick<Clock, 'elapsed'>
}

export type Sender = {
  /** Sends one request of OTLP. Resolves with the body of the answer. Rejects when the collector did not take it. */
  send(message: Uint8Array): Promise<Uint8Array>
  /** Resolves when everything that was sent has been taken or dropped. */
  idle(): Promise<void>
  /** Records that the collector refused a part. */
  refused(cause: string): void
  close(): Promise<void>
}

/** An answer that says that the collector has not taken a request. */
class Refused extends Error {
  readonly status: number
  readonly retryAfterMs: number | undefined

  constructor(status: number, retryAfter: string | undefined) {
    super(`it answered ${status}`)
    this.status = status
    this.retryAfterMs = /^\d{1,4}$/.test(retryAfter ?? '') ? 1_000 * Number(retryAfter) : undefined
  }
}

/**
 * Opens a sender of OTLP over HTTP. It repeats a request that may succeed later until its time is up, and stops at once when it must: the
 * exporters of the SDK have pauses that nothing ends. Says in the log once that the collector is not reached, and once that it is again.
 */
export function openSender({ signal, tls, timeoutMs, isPacked, stopped, clock, ...named }: SenderOptions): Sender {
  const trouble = openTrouble(signal.url, named)
  const pending = new Set<Promise<unknown>>()
  let agent: Promise<Agent> | undefined
  const headers = {
    ...signal.headers,
    'content-type': 'application/x-protobuf',
    ...(isPacked && { 'content-encoding': 'gzip' }),
  }

  async function repeat(message: Uint8Array): Promise<Uint8Array> {
    const body = isPacked ? await promisify(gzip)(message) : message
    const untilMs = clock.elapsed() + timeoutMs
    const ended = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)])
    for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      try {
        agent ??= openAgent(tls)
        return await post(signal.url, { headers, body, dispatcher: await agent, signal: ended })
      } catch (error) {
        const waitMs = (error instanceof Refused && error.retryAfterMs) || pauseMs
        if (!isTemporary(error) || ended.aborted || clock.elapsed() + waitMs > untilMs) throw error
        await pause(waitMs, undefined, { signal: ended, ref: false }).catch(() => {
          throw error
        })
      }
    }
  }

  async function deliver(message: Uint8Array): Promise<Uint8Array> {
    try {
      const answer = await repeat(message)
      trouble.ended()
      return answer
    } catch (error) {
      if (!stopped.aborted) trouble.began(causeOf(error, timeoutMs))
      throw error
    }
  }

  return {
    send(message) {
      // A delivery is not part of the request whose spans it has.
      const delivery = outsideScopes(() => deliver(message))
      pending.add(delivery)
      return delivery.finally(() => pending.delete(delivery))
    },
    async idle() {
      await Promise.allSettled(pending)
    },
    refused: (cause) => outsideScopes(() => trouble.began(cause)),
    async close() {
      await (await agent)?.destroy()
    },
  }
}

type Posted = Pick<Dispatcher.RequestOptions, 'body' | 'headers'> & { dispatcher: Agent; signal: AbortSignal }

async function post(url: string, posted: Posted): Promise<Uint8Array> {
  const { request } = await import('undici')
  const { body, headers, statusCode } = await request(url, { method: 'POST', ...posted })
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > answerBytesMax) throw new Error(`it answered with more than ${answerBytesMax} bytes`)
    parts.push(part)
  }
  if (statusCode < 200 || statusCode > 299) throw new Refused(statusCode, String(headers['retry-after'] ?? ''))
  return Buffer.concat(parts)
}

async function openAgent(tls: SenderOptions['tls']): Promise<Agent> {
  const { Agent: HttpAgent } = await import('undici')
  return new HttpAgent({ connect: tls, headersTimeout: 0, bodyTimeout: 0, connections: 2 })
}

/** A refusal is final but for a few answers; what keeps a request from arriving may pass. */
function isTemporary(error: unknown): boolean {
  return error instanceof Refused ? retryable.has(error.status) : error instanceof Error && 'code' in error
}

function causeOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `it did not answer within ${timeoutMs} ms`
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : error.message
}

/** Logs the beginning and the end of a trouble, each once. */
function openTrouble(url: string, { log, what }: Pick<SenderOptions, 'log' | 'what'>) {
  const server = new URL(url).origin
  let isIn = false
  return {
    began(cause: string) {
      if (isIn) return
      isIn = true
      const shown = cause.slice(0, causeCharsMax)
      log.warn({ server, cause: shown }, `the collector ${server} does not take ${what}, which are dropped: ${shown}`)
    },
    ended() {
      if (!isIn) return
      isIn = false
      log.info({ server }, `the collector ${server} takes ${what} again`)
    },
  }
}
