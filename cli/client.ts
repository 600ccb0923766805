import { openTransport } from '../client/src/transport.ts'
import type { Config } from '../src/base/config.ts'
import { originOf } from '../src/base/config-values.ts'
import { Failure } from '../src/base/errors.ts'
import { parseJson } from '../src/base/parse-json.ts'
import { isObject } from '../src/people/values/values.ts'

const retriesDefault = 5
/** The pauses become twice as long up to a minute, so these take four minutes. */
const patientRetries = 11
const answerMsMax = 120_000

export type Answer = { status: number; body: Record<string, unknown> }

/** Sends JSON to a running server. Requests to a busy or restarting server are retried; other refusals are returned. */
export type Client = {
  readonly origin: string
  /** `idempotencyKey`: repeated requests with the same key have one effect. */
  send(method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<Answer>
}

/** Returns the origin under which this machine reaches the server of this environment. */
export function originIn({ host, port }: Config): string {
  const everywhere = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host]
  return originOf(everywhere ?? host, port)
}

/**
 * Opens a client. `retries`: how often a request is repeated when there is no answer or the server is busy. `timeoutMs`: how long an answer
 * may take.
 */
export function openClient(origin: string, token: string, retries = retriesDefault, timeoutMs = answerMsMax): Client {
  const transport = openTransport({
    url: origin,
    key: token,
    attemptsMax: retries + 1,
    timeoutMs,
    parse: parseJson,
  })

  async function send(method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<Answer> {
    try {
      // A request without an answer is repeated, because the server may be restarting.
      const answer = await transport.send({ method, path, body }, { repeat: true, idempotencyKey })
      return { status: answer.status, body: isObject(answer.body) ? answer.body : {} }
    } catch (error) {
      throw new Failure('unavailable', `no server answers at ${origin}`, {}, error)
    }
  }
  return { origin, send }
}

/** Returns a client that waits longer for a server that has answered before: some minutes, in which it may be started again. */
export function openPatientClient(origin: string, token: string): Client {
  const [first, later] = [openClient(origin, token), openClient(origin, token, patientRetries)]
  let hasAnswered = false
  return {
    origin,
    async send(...request) {
      const answer = await (hasAnswered ? later : first).send(...request)
      hasAnswered = true
      return answer
    },
  }
}
