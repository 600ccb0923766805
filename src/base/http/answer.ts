import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { Call } from '../call.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import { Failure } from '../errors.ts'
import { newUuid } from '../ids.ts'
import type { Log } from '../log.ts'
import { admit, type Caller, type Gate } from './auth.ts'
import { type Bodies, type Body, noBody, openBodies } from './body.ts'
import { errorBody, internalError, statuses } from './dialects.ts'
import { noFields, readForm } from './form.ts'
import type { Metrics } from './metrics.ts'
import type { Page, Streamed } from './page.ts'
import type { Rates } from './rate-limit.ts'
import { type Dialect, Headed, type Query, type Request, type Route, statusOf } from './route.ts'

export type AnswerParts = {
  db: Db
  clock: Clock
  log: Log
  signal: AbortSignal
  gate: Gate
  rates: Rates
  metrics: Metrics
  /** Milliseconds a request body may take to arrive. */
  bodyMs: number
}

/** A request as the router hands it on. */
export type Arrival = {
  message: IncomingMessage
  response: ServerResponse
  params: { readonly [name: string]: string | undefined }
  query: Query
}

type LineFields = { request_id: string; method: string; route: string; ms: number }
type Headers = { [name: string]: string }
type Outcome = { status: number; headers: Headers; body: string | Buffer | Streamed; error?: unknown; caller?: Caller }

const securityHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}
const jsonHeaders = { 'Content-Type': 'application/json', ...securityHeaders }
/** A download that does not move for so long is ended. */
const idleMs = 60_000
// What is left of a refused body would be read as the next request.
const endsConnection: ReadonlySet<number> = new Set([statuses.timedOut, statuses.tooLarge])

/** Answers one request; never rejects. */
export type Answer = (arrival: Arrival) => Promise<void>

export type Answers = {
  route(route: Route): Answer
  page(page: Page): Answer
  /** Requests that reach no route: unknown path, wrong method, bad URL. */
  refusal(failure: Failure): Answer
  /** Requests that have arrived and are not answered yet. */
  inFlight(): number
  /** From now on every answer ends its connection. */
  drain(): void
}

/** The way of one request: who asks, how often, what with, the verb, its answer, one line in the log. */
export function openAnswers(parts: AnswerParts): Answers {
  const { clock, gate, rates, metrics } = parts
  const bodies = openBodies(parts.bodyMs)
  let inFlight = 0
  let draining = false

  async function finish(
    label: string,
    arrival: Arrival,
    work: (requestId: string) => Promise<Outcome> | Outcome,
    quiet = false,
  ) {
    const startedMs = clock.elapsed()
    const requestId = newUuid()
    inFlight++
    const outcome = await work(requestId)
    inFlight--
    outcome.headers['X-Request-Id'] = requestId
    if (draining || endsConnection.has(outcome.status)) outcome.headers.Connection = 'close'
    write(arrival.response, outcome)
    const ms = clock.elapsed() - startedMs
    const method = arrival.message.method ?? ''
    metrics.request(method, label, outcome.status, ms / 1000)
    logLine(parts.log, { request_id: requestId, method, route: label, ms: Math.round(ms * 10) / 10 }, outcome, quiet)
  }

  async function answer(
    route: Route,
    status: number,
    { message, params, query }: Arrival,
    requestId: string,
  ): Promise<Outcome> {
    let caller: Caller | undefined
    let body: Body = noBody
    const headers: Headers = { ...jsonHeaders }
    try {
      const ip = message.socket.remoteAddress ?? ''
      caller = admit(gate, route, message.headers.authorization, ip)
      if (route.limit !== undefined) Object.assign(headers, await rates.take(caller.workspace_id, route.limit))
      if (route.method !== 'GET')
        body = await (route.takes === 'bytes' ? bodies.readBytes(message) : bodies.read(message))
      const request: Request = { ...body, params, query, headers: message.headers, ip, request_id: requestId }
      const reply = await route.handle(callOf(parts, caller, requestId), request)
      if (!(reply instanceof Headed)) return { status, headers, body: replyText(reply), caller }
      return { status, headers: { ...headers, ...reply.headers }, body: replyText(reply.body), caller }
    } catch (error) {
      return { ...failed(route.errors, error, headers), ...(caller && { caller }) }
    } finally {
      bodies.release(body)
    }
  }

  return {
    route(route) {
      const status = statusOf(route)
      return (arrival) => finish(route.path, arrival, (requestId) => answer(route, status, arrival, requestId))
    },
    page: (page) => (arrival) => finish(page.path, arrival, () => pageOutcome(page, arrival, bodies), true),
    refusal: (failure) => (arrival) => finish('none', arrival, () => failed('standard', failure, { ...jsonHeaders })),
    inFlight: () => inFlight,
    drain() {
      draining = true
    },
  }
}

function callOf({ db, clock, log, signal }: AnswerParts, caller: Caller, request_id: string): Call {
  const { workspace_id, actor } = caller
  let child: Log | undefined
  return {
    db,
    workspace_id,
    actor,
    clock,
    signal,
    // Few calls write to the log, and a child costs as much as a line.
    get log() {
      child ??= log.child({ request_id, workspace_id })
      return child
    },
  }
}

function replyText(reply: object | undefined): string {
  if (reply === undefined) return ''
  return JSON.stringify('message' in reply ? reply : { ...reply, message: 'success' })
}

async function pageOutcome(page: Page, { message, params, query }: Arrival, bodies: Bodies): Promise<Outcome> {
  try {
    const { method = '', url = '', headers: sent } = message
    const ip = message.socket.remoteAddress ?? ''
    const form = page.method === 'POST' ? await readForm(message, bodies) : noFields
    const { status, headers, body } = await page.render({
      method,
      params,
      query,
      root: rootFrom(url),
      form,
      headers: sent,
      ip,
    })
    return { status, headers: { ...securityHeaders, ...headers }, body }
  } catch (error) {
    const outcome = failed('standard', error, { ...jsonHeaders })
    if (!page.failed) return outcome
    const { headers, body } = page.failed(error instanceof Failure ? error : undefined)
    return { ...outcome, headers: { ...outcome.headers, ...headers }, body }
  }
}

function rootFrom(url: string): string {
  const [path = ''] = url.split('?')
  return '../'.repeat(path.replace(/^\/+/, '').split('/').length - 1)
}

function failed(dialect: Dialect, error: unknown, headers: Headers): Outcome {
  if (!(error instanceof Failure)) return { status: 500, headers, body: JSON.stringify(internalError), error }
  const { retryAfterS, headers: own } = error.details
  Object.assign(headers, own)
  if (retryAfterS !== undefined) headers['Retry-After'] = String(retryAfterS)
  return { status: statuses[error.kind], headers, body: JSON.stringify(errorBody(dialect, error)), error }
}

function write(response: ServerResponse, { status, headers, body }: Outcome): void {
  if (typeof body === 'object' && 'stream' in body) {
    send(response, status, headers, body)
    return
  }
  if (response.destroyed || response.headersSent) return
  if (status === 204) {
    delete headers['Content-Type']
    response.writeHead(status, headers).end()
    return
  }
  headers['Content-Length'] = String(Buffer.byteLength(body))
  // A text leaves in one piece with the headers; a buffer would be a second one.
  response.writeHead(status, headers).end(body)
}

/** A body as it is read; whoever goes away, or stays away for too long, ends the reading. */
function send(response: ServerResponse, status: number, headers: Headers, { stream, bytes }: Streamed): void {
  headers['Content-Length'] = String(bytes)
  if (response.destroyed || response.headersSent) {
    stream.destroy()
    return
  }
  response.writeHead(status, headers)
  if (response.req.method === 'HEAD') {
    stream.destroy()
    response.end()
    return
  }
  response.setTimeout(idleMs, () => response.destroy())
  pipeline(stream, response, () => undefined)
}

function logLine(log: Log, fields: LineFields, { status, error, caller }: Outcome, quiet: boolean): void {
  const text = `${fields.method} ${fields.route} ${status}`
  const line = { ...fields, status, ...(caller && { workspace_id: caller.workspace_id, actor: caller.actor.name }) }
  if (status === 500) log.error({ ...line, err: error }, text)
  else if (status === 503) log.warn({ ...line, err: error }, text)
  else if (quiet) log.debug(line, text)
  else if (error instanceof Failure) log.info({ ...line, refused: error.message }, text)
  else log.info(line, text)
}
