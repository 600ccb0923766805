import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Call } from '../call.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import { Failure, notFound } from '../errors.ts'
import { newRequestId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Telemetry } from '../telemetry.ts'
import { prefersHtml } from './accepted.ts'
import { type AuthLookups, authorize, type Caller, keyIsInBody } from './auth.ts'
import {
  type Body,
  type BodyOwner,
  type BodyReader,
  type BodyTimeouts,
  noBody,
  openBodyReader,
  scimBytesMax,
} from './body.ts'
import { BodyStart } from './body-start.ts'
import { type FindCallerIp, sourceOf } from './caller-ip.ts'
import {
  contentTypeOf,
  dialectAt,
  type ErrorDialect,
  errorBody,
  errorDialectOf,
  type ScimStatus,
  statuses,
} from './dialects.ts'
import { noFields, readForm } from './form.ts'
import { ConnectionCut, type Intercept } from './intercept.ts'
import { openLingering } from './lingering.ts'
import type { Metrics } from './metrics.ts'
import type { AnsweredRequest, ObserveAnswer, SentBody } from './observe.ts'
import type { Page, PageHead } from './page.ts'
import type { RateLimiter } from './rate-limit.ts'
import { describeRequest, recordRequest } from './request-spans.ts'
import {
  JsonLines,
  type Method,
  type Query,
  ReplyWithHeaders,
  type Request,
  type RequestHead,
  type Route,
  statusOf,
} from './route.ts'
import { unknownPage } from './unknown-page.ts'
import { folderOf, rootFrom } from './url-folders.ts'
import { type Headers, type WrittenAnswer, write } from './write-answer.ts'

export type AnswerServices = {
  db: Db
  clock: Clock
  log: Log
  signal: AbortSignal
  authLookups: AuthLookups
  callerIp: FindCallerIp
  rateLimiter: RateLimiter
  metrics: Metrics
  scimStatus(): ScimStatus
  /** Whether all requests of a workspace are strict (`Call`). */
  isStrict(workspace_id: number): boolean
  /** Told of every answer of an endpoint or a page. */
  readonly observe: ObserveAnswer
  bodyTimeouts: BodyTimeouts
  /** Records each request as a span; absent: none is recorded. */
  readonly telemetry?: Telemetry | undefined
  /** Calls the verbs of endpoints; absent: they are called directly. */
  readonly intercept?: Intercept | undefined
}

/** A request as the router passes it on. */
export type RoutedRequest = {
  message: IncomingMessage
  response: ServerResponse
  params: { readonly [name: string]: string | undefined }
  query: Query
}

type LogFields = { request_id: string; method: string; route: string; ms: number }
type Outcome = WrittenAnswer & {
  error?: unknown
  caller?: Caller
  sent?: SentBody
}

const securityHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}
const jsonHeaders = { 'Content-Type': 'application/json', ...securityHeaders }
// The rest of the body may be long, and nothing but its end shows where the next request begins.
const endsConnection: ReadonlySet<number> = new Set([statuses.timedOut, statuses.tooLarge])

/** Answers one request. Never rejects. */
export type Answer = (arrival: RoutedRequest) => Promise<void>

export type Answers = {
  route(route: Route): Answer
  page(page: Page): Answer
  /**
   * Requests that reach no route: unknown path, wrong method, bad URL. `apiFolders`: a browser gets a page, except in these folders, the
   * first segments of the API's paths.
   */
  refusal(failure: Failure | ((url: string) => Failure), apiFolders?: ReadonlySet<string>): Answer
  /** Requests that have arrived and are not answered yet. */
  inFlight(): number
  /** Lets every answer from now on end its connection. */
  drain(): void
}

/** Answers requests in these steps: authorization, checks before the body, rate limit, body, verb, answer, one line in the log. */
export function openAnswers(services: AnswerServices): Answers {
  const { clock, callerIp } = services
  const bodies = openBodyReader(services.bodyTimeouts)
  const lingering = openLingering()
  let inFlight = 0
  let draining = false

  const { telemetry } = services
  const run: typeof respond =
    telemetry === undefined
      ? respond
      : (label, route, routed, ...more) =>
          recordRequest(telemetry, label, routed.message, () => respond(label, route, routed, ...more))

  async function respond(
    label: string,
    route: AnsweredRequest['route'] | undefined,
    routed: RoutedRequest,
    work: (requestId: string) => Promise<Outcome> | Outcome,
    quiet = false,
  ): Promise<void> {
    const request_id = newRequestId()
    const fields = { request_id, method: routed.message.method ?? '', route: label, startedMs: clock.elapsed() }
    inFlight++
    const outcome = await work(request_id)
    inFlight--
    outcome.headers['X-Request-Id'] = request_id
    if (route) observeAnswer(services, route, routed, fields, outcome)
    if (draining || endsConnection.has(outcome.status)) outcome.headers.Connection = 'close'
    if (endsAfter(routed.response, outcome)) lingering.keepOpen(routed.message, ipOf(callerIp, routed.message))
    if (outcome.error instanceof ConnectionCut) routed.message.socket.destroy()
    else write(routed.response, outcome)
    recordAnswer(services, fields, outcome, quiet)
    if (telemetry !== undefined) describeRequest(request_id, outcome.status, outcome.caller?.workspace_id)
  }

  return {
    route(route) {
      const status = statusOf(route)
      return (routed) =>
        run(route.path, route, routed, (requestId) => answer(services, bodies, { route, status }, routed, requestId))
    },
    page: (page) => (routed) =>
      run(page.path, page, routed, (requestId) => pageOutcome(page, routed, { bodies, callerIp }, requestId), true),
    refusal: (failure, apiFolders) => (routed) =>
      run('none', scimRoute(routed.message), routed, () => refused(failure, routed.message, services, apiFolders)),
    inFlight: () => inFlight,
    drain() {
      draining = true
    },
  }
}

/** Answers a request to an endpoint. `status`: of a success. */
async function answer(
  services: AnswerServices,
  bodies: BodyReader,
  { route, status }: { readonly route: Route; readonly status: number },
  routed: RoutedRequest,
  requestId: string,
): Promise<Outcome> {
  const { authLookups, callerIp, rateLimiter } = services
  const { message, params, query } = routed
  let caller: Caller | undefined
  let body: Body = noBody
  let owner: BodyOwner | undefined
  const sent = new BodyStart()
  const known = () => ({ ...(caller && { caller }), ...sent.withParsed(body) })
  const headers: Headers = { ...jsonHeaders, 'Content-Type': contentTypeOf(route.errors, message.headers) }
  try {
    const from = { ip: callerIp(message), request_id: requestId }
    // The sender of a key in a body is a stranger until the body is read.
    const strangers = keyIsInBody(route, message.headers)
    if (strangers) {
      owner = strangerAt(from.ip)
      body = await bodyOf(bodies, route, owner, message, sent)
    }
    caller = await authorize(authLookups, route, { headers: message.headers, query, from, body: body.body })
    checkHead(route, { params, query, headers: message.headers, ...from })
    Object.assign(headers, await countRequest(rateLimiter, route, caller))
    if (!strangers) {
      owner = ownerOf(route, caller)
      body = await bodyOf(bodies, route, owner, message, sent)
    }
    const request: Request = { ...body, params, query, headers: message.headers, ...from, ...mayOf(caller) }
    caller.checkRequest?.(request)
    const call = callOf(services, caller, requestId)
    const reply = await (services.intercept?.(route, call, request) ?? route.handle(call, request))
    return { ...succeeded(route, status, headers, reply), ...known() }
  } catch (error) {
    // This is the edge of a request: an error becomes an answer.
    return { ...failed(errorDialectOf(route), error, headers, services.scimStatus()), ...known() }
  } finally {
    if (owner) bodies.release(body, owner)
  }
}

function mayOf({ may }: Caller): Pick<Request, 'may'> {
  return may ? { may } : {}
}

/** Reports an answer. A defect of the observer must not keep the caller from the answer. */
function observeAnswer(
  { callerIp, observe, log }: AnswerServices,
  route: AnsweredRequest['route'],
  { message, params, query }: RoutedRequest,
  { request_id, startedMs }: { readonly request_id: string; readonly startedMs: number },
  reply: Outcome,
): void {
  try {
    const { status, error, caller, sent } = reply
    const { method = '', url = '', headers } = message
    const from = caller?.actor.from ?? { ip: ipOf(callerIp, message), request_id }
    const failure = error instanceof Failure ? error : undefined
    const exchanged = { startedMs, method, url, query, headers, sent, reply }
    observe({ route, params, status, failure, caller, from, ...exchanged })
  } catch (observed) {
    // The answer is more important than its record, and the defect is in the log.
    log.error({ err: observed, request_id }, 'an answer could not be recorded')
  }
}

/** Returns a route under `/scim` that does not exist: a provider with a wrong base URL sends requests there. */
function scimRoute({ method = '', url = '' }: IncomingMessage): AnsweredRequest['route'] | undefined {
  if (dialectAt(url) !== 'scim') return undefined
  return { method: method as Method, path: url.replace(/\?.*/s, ''), permission: 'scim' }
}

/** Returns the address of the connection when the headers of a proxy are refused. */
function ipOf(callerIp: FindCallerIp, message: IncomingMessage): string {
  try {
    return callerIp(message)
  } catch {
    // This request is refused for its headers.
    return message.socket.remoteAddress ?? ''
  }
}

/** Refuses NUL in a path: no database stores it in text, so nothing has such a name. */
function refuseNul(params: RoutedRequest['params']): void {
  if (Object.values(params).some((value) => value?.includes('\0'))) throw notFound('Not found')
}

function checkHead(route: Route, head: RequestHead): void {
  // Catalogs have answers of their own for names (contract 4.9.1).
  if (route.errors !== 'catalog') refuseNul(head.params)
  route.admit?.(head)
}

async function countRequest(rateLimiter: RateLimiter, { limit }: Route, { workspace_id, actor }: Caller) {
  return limit && rateLimiter.take(workspace_id, limit, { id: actor.id, ip: actor.from.ip })
}

/** The key of an app is in every copy of the app, so that everybody has it. */
function ownerOf({ permission }: Route, { actor }: Caller): BodyOwner {
  if (permission === 'public' || permission === 'sdk.data') return strangerAt(actor.from.ip)
  return { id: `${actor.kind} ${actor.id}`, isStranger: false }
}

function strangerAt(ip: string): BodyOwner {
  return { id: sourceOf(ip), isStranger: true }
}

async function bodyOf(
  bodies: BodyReader,
  route: Route,
  owner: BodyOwner,
  message: IncomingMessage,
  sent: BodyStart,
): Promise<Body> {
  const { method, takes, errors } = route
  if (method === 'GET') return noBody
  return takes === 'bytes'
    ? bodies.readBytes(message, owner)
    : bodies.read(message, owner, errors === 'scim' ? scimBytesMax : undefined, sent.keep)
}

function callOf({ db, clock, log, signal, isStrict }: AnswerServices, caller: Caller, request_id: string): Call {
  const { workspace_id, actor } = caller
  let child: Log | undefined
  return {
    db,
    workspace_id,
    actor,
    strict: caller.strict || isStrict(workspace_id),
    clock,
    signal,
    // Few calls write to the log, and creating a child takes as long as writing a line.
    get log() {
      child ??= log.child({ request_id, workspace_id })
      return child
    },
  }
}

function succeeded({ errors }: Route, status: number, headers: Headers, reply: object | undefined): Outcome {
  const isScim = errors === 'scim'
  if (!(reply instanceof ReplyWithHeaders)) return { status, headers, body: replyText(reply, isScim) }
  const all = { ...headers, ...reply.headers }
  return { status: reply.status ?? status, headers: all, body: replyText(reply.body, isScim) }
}

function replyText(reply: object | undefined, isScim: boolean): string {
  if (reply === undefined) return ''
  if (reply instanceof JsonLines) return reply.lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  return JSON.stringify(isScim || 'message' in reply ? reply : { ...reply, message: 'success' })
}

async function pageOutcome(
  page: Page,
  { message, params, query }: RoutedRequest,
  { bodies, callerIp }: { bodies: BodyReader; callerIp: FindCallerIp },
  request_id: string,
): Promise<Outcome> {
  try {
    const { method = '', url = '', headers: sent } = message
    const ip = callerIp(message)
    refuseNul(params)
    const head: PageHead = { method, params, query, root: rootFrom(url), headers: sent, ip, request_id }
    page.admit?.(head)
    const form = page.method === 'POST' ? await readForm(message, strangerAt(ip), bodies) : noFields
    const { status, headers, body } = await page.render({ ...head, form })
    return { status, headers: { ...securityHeaders, ...headers }, body }
  } catch (error) {
    // This is the edge of a request: an error becomes an answer.
    const outcome = failed('standard', error, { ...jsonHeaders })
    if (!page.renderError) return outcome
    const failure = error instanceof Failure ? error : undefined
    const { headers, body } = page.renderError(failure, rootFrom(message.url ?? ''))
    return { ...outcome, headers: { ...outcome.headers, ...headers }, body }
  }
}

function failed(dialect: ErrorDialect, error: unknown, headers: Headers, scimStatus: ScimStatus = 'number'): Outcome {
  const failure = error instanceof Failure ? error : undefined
  const { retryAfterS, headers: own } = failure?.details ?? {}
  Object.assign(headers, own)
  if (retryAfterS !== undefined) headers['Retry-After'] = String(retryAfterS)
  const body = JSON.stringify(errorBody(dialect, failure, scimStatus))
  return { status: failure ? statuses[failure.kind] : 500, headers, body, error }
}

function refused(
  given: Failure | ((url: string) => Failure),
  { url = '', headers }: IncomingMessage,
  { scimStatus }: AnswerServices,
  apiFolders?: ReadonlySet<string>,
): Outcome {
  const dialect = dialectAt(url)
  const failure = given instanceof Failure ? given : given(url)
  const json = { ...jsonHeaders, 'Content-Type': contentTypeOf(dialect, headers) }
  const outcome = failed(dialect, failure, json, scimStatus())
  if (!apiFolders || apiFolders.has(folderOf(url)) || !prefersHtml(headers.accept)) return outcome
  const page = unknownPage(rootFrom(url))
  return { ...outcome, headers: { ...outcome.headers, ...page.headers }, body: page.body }
}

/** Returns whether the connection ends after an answer: the service or the client wants it. */
function endsAfter({ shouldKeepAlive }: ServerResponse, { headers }: Outcome): boolean {
  return headers.Connection === 'close' || !shouldKeepAlive
}

function recordAnswer(
  { clock, metrics, log }: AnswerServices,
  { startedMs, ...fields }: Omit<LogFields, 'ms'> & { startedMs: number },
  outcome: Outcome,
  quiet: boolean,
): void {
  const ms = clock.elapsed() - startedMs
  metrics.request(fields.method, fields.route, outcome.status, ms / 1000)
  logLine(log, { ...fields, ms: Math.round(ms * 10) / 10 }, outcome, quiet)
}

function logLine(log: Log, fields: LogFields, { status, error, caller }: Outcome, quiet: boolean): void {
  const text = `${fields.method} ${fields.route} ${status}`
  const line = { ...fields, status, ...(caller && { workspace_id: caller.workspace_id, actor: caller.actor.name }) }
  if (error instanceof ConnectionCut) log.info(line, text)
  else if (status === 500) log.error({ ...line, err: error }, text)
  else if (status === 503) log.warn({ ...line, err: error }, text)
  else if (quiet) log.debug(line, text)
  else if (error instanceof Failure) log.info({ ...line, refused: error.message }, text)
  else log.info(line, text)
}
