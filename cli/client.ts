import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, originOf } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { parseJson } from '../src/base/parse-json.ts'

const retriesDefault = 5
const pauseMsDefault = 1_000
const pauseMsMax = 60_000
const answerMsMax = 120_000

export type Answer = { status: number; body: Record<string, unknown> }

/** Sends JSON to a running server. Requests to a busy or restarting server are retried; other refusals are returned. */
export type Client = {
  readonly origin: string
  send(method: string, path: string, body?: unknown): Promise<Answer>
}

/** Returns the origin under which this machine reaches the server of this environment. */
export function originIn({ host, port }: Config): string {
  const everywhere = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host]
  return originOf(everywhere ?? host, port)
}

/** Opens a client. `retries`: how often a request is repeated when there is no answer or the server is busy. */
export function openClient(origin: string, token: string, retries = retriesDefault): Client {
  async function attempt(
    method: string,
    path: string,
    body: unknown,
  ): Promise<Answer & { pauseMs: number | undefined }> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const response = await fetch(new URL(path, origin), {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerMsMax),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const busy = response.status === 429 || response.status === 503
    const pauseMs = Number(response.headers.get('retry-after') ?? 1) * 1000
    return {
      status: response.status,
      body: isJson ? (parseJson(text) as Answer['body']) : {},
      pauseMs: busy ? pauseMs : undefined,
    }
  }

  async function send(method: string, path: string, body?: unknown): Promise<Answer> {
    for (let left = retries; ; left--) {
      let pauseMs = pauseMsDefault
      try {
        const answer = await attempt(method, path, body)
        if (answer.pauseMs === undefined || left <= 0) return answer
        pauseMs = answer.pauseMs
      } catch (error) {
        // A request without an answer is repeated, because the server may be restarting.
        if (left <= 0) throw new Failure('unavailable', `no server answers at ${origin}`, {}, error)
      }
      await sleep(Math.min(pauseMs, pauseMsMax))
    }
  }
  return { origin, send }
}
