import type { AddressInfo, Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { Failure, invalid, notFound } from '../errors.ts'
import { newUuid } from '../ids.ts'
import { isAbility } from './abilities.ts'
import { type Answer, type AnswerServices, type Answers, openAnswers, type RoutedRequest } from './answer.ts'
import { bareError } from './dialects.ts'
import { describeUnknownPath } from './nearest-paths.ts'
import type { Page } from './page.ts'
import { parseQuery } from './query.ts'
import type { Query, Route } from './route.ts'
import { folderOf } from './url-folders.ts'

/**
 * How long a request may take to arrive, and how long a stop waits for requests in flight. `slowMs`: how long the body of a stranger may be
 * slower than the minimum rate.
 */
export type Timeouts = { headersMs: number; bodyMs: number; slowMs: number; drainMs: number }

/** How often connections that do not send a complete request are looked for. Each time wakes the process. */
const connectionsCheckedMs = 5_000

export const defaultTimeouts: Timeouts = { headersMs: 15_000, bodyMs: 30_000, slowMs: 5_000, drainMs: 20_000 }

const keepAliveMs = 72_000
export const pathParameterCharsMax = 1500
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

export type ServerOptions = Omit<AnswerServices, 'bodyTimeouts'> & {
  routes: readonly Route[]
  pages: readonly Page[]
  timeouts: Timeouts
}

export type Server = {
  /** Starts to listen. Returns the URL, `http://host:port`. */
  listen(host: string, port: number): Promise<string>
  /** Requests that have arrived and are not answered yet. */
  inFlight(): number
  /** Lets requests that arrive from now on wait until the returned function is called. */
  hold(): () => void
  /** Answers requests from now on with other parts. Their routes and pages have the same paths. */
  replace(parts: ServerOptions): void
  /** Stops listening, answers the requests that have arrived, ends all connections. */
  close(): Promise<void>
}

/** Opens the HTTP server. Fastify listens and routes; `answer.ts` answers. */
export function openServer(parts: ServerOptions): Server {
  const { timeouts } = parts
  const gate = new Gate()
  let set = answerSetOf(parts)
  const bypassing = bypassingAfter(gate)
  const app = createApp(
    timeouts,
    bypassing((arrival) => set.badUrl(arrival)),
  )
  for (const { method = 'GET', path } of [...parts.routes, ...parts.pages]) {
    const url = routerPath(path)
    app.route({ method, url, handler: bypassing((arrival) => set.byRoute.get(`${method} ${url}`)!(arrival)) })
  }
  for (const [url, failure] of refusedMethods(parts)) {
    const handler = bypassing((arrival) => set.answers.refusal(failure.failure)(arrival))
    app.route({ method: failure.methods, url, handler })
  }
  app.setNotFoundHandler(bypassing((arrival) => set.unknownPath(arrival)))
  return {
    async listen(host, port) {
      await app.listen({ host, port })
      const { address, family, port: bound } = app.server.address() as AddressInfo
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`
    },
    inFlight: () => set.answers.inFlight(),
    hold: () => gate.close(),
    replace(others) {
      set = answerSetOf(others)
    },
    async close() {
      set.answers.drain()
      const deadline = setTimeout(() => app.server.closeAllConnections(), timeouts.drainMs)
      await app.close()
      clearTimeout(deadline)
    },
  }
}

/** How requests are answered, by their routes. */
type AnswerSet = {
  readonly answers: Answers
  readonly byRoute: ReadonlyMap<string, Answer>
  readonly unknownPath: Answer
  readonly badUrl: Answer
}

function answerSetOf(parts: ServerOptions): AnswerSet {
  const { routes, pages, timeouts } = parts
  const answers = openAnswers({ ...parts, bodyTimeouts: timeouts })
  for (const route of routes) if (route.permission === 'admin') checkAbility(route)
  const apiFolders = new Set(routes.map(({ path }) => folderOf(path)))
  return {
    answers,
    byRoute: new Map([
      ...routes.map((route) => [`${route.method} ${routerPath(route.path)}`, answers.route(route)] as const),
      ...pages.map((page) => [`${page.method ?? 'GET'} ${routerPath(page.path)}`, answers.page(page)] as const),
    ]),
    unknownPath: answers.refusal(unknownPathOf(routes), apiFolders),
    badUrl: answers.refusal(invalid('The URL is not valid')),
  }
}

/** Lets requests through, or lets them wait. */
class Gate {
  #opened: Promise<void> | undefined

  /** Resolves when requests are let through; undefined when they are. */
  get opened(): Promise<void> | undefined {
    return this.#opened
  }

  /** Lets requests wait until the returned function is called. */
  close(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#opened = promise
    return () => {
      if (this.#opened === promise) this.#opened = undefined
      resolve()
    }
  }
}

/** Returns what a path that is not served is answered. Callers of the administration get its paths, others the public ones. */
function unknownPathOf(routes: readonly Route[]): (url: string) => Failure {
  const groups = Object.groupBy(new Set(routes.map(({ path }) => path)), folderOf)
  const { admin = [], scim: _, ...open } = groups
  const publicPaths = Object.values(open).flatMap((paths = []) => paths)
  return (url) => {
    const folder = folderOf(url)
    if (folder === 'scim') return notFound('Not found')
    const [path = ''] = url.split('?', 1)
    return notFound(describeUnknownPath(path, folder === 'admin' ? admin : publicPaths))
  }
}

/** Denies by default: the server does not start with an admin route without an ability. */
function checkAbility({ method, path, ability }: { method: string; path: string; ability: unknown }): void {
  if (!isAbility(ability)) throw new Error(`${method} ${path} has no ability (base/http/abilities.ts)`)
}

function createApp({ headersMs, bodyMs }: Timeouts, badUrl: FastifyAnswer): FastifyInstance {
  const app = Fastify({
    logger: false,
    genReqId: () => '',
    keepAliveTimeout: keepAliveMs,
    // A body has its own deadline. This one ends connections that do not send a complete request.
    requestTimeout: headersMs + bodyMs,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: Math.min(connectionsCheckedMs, headersMs),
      // Node would answer without a body.
      requireHostHeader: false,
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: pathParameterCharsMax,
      querystringParser: (text) => parseQuery(text) as Record<string, unknown>,
    },
    // Routes have no schemas for Fastify. Loading its schema compilers would take a twentieth of a start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    clientErrorHandler: answerBadConnection,
    frameworkErrors: (_error, request, reply) => badUrl(request, reply),
  })
  app.server.on('checkExpectation', (message, response) => app.server.emit('request', message, response))
  // `answer.ts` reads bodies, after the authorization.
  for (const method of methods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  return app
}

function noSchemas(): never {
  throw new Error('a route has a schema of Fastify')
}

/** Returns the methods that each path refuses, and with what. */
function refusedMethods({ routes, pages }: ServerOptions): Map<string, { methods: string[]; failure: Failure }> {
  const allowed = new Map<string, string[]>()
  for (const { path, method = 'GET' } of [...routes, ...pages]) {
    allowed.set(routerPath(path), [...(allowed.get(routerPath(path)) ?? []), method])
  }
  const refused = [...allowed].map(([url, known]) => {
    const headers = { Allow: [...known, ...(known.includes('GET') ? ['HEAD'] : [])].join(', ') }
    const failure = new Failure('notAllowed', 'Method not allowed', { headers })
    return [url, { methods: methods.filter((name) => !known.includes(name)), failure }] as const
  })
  return new Map(refused)
}

type FastifyAnswer = (request: FastifyRequest, reply: FastifyReply) => void

/** Returns a function for Fastify routes whose answers bypass Fastify, which would add a charset to every JSON content type. */
function bypassingAfter(gate: Gate): (answer: Answer) => FastifyAnswer {
  return (answer) =>
    ({ raw: message, params, query }, reply) => {
      reply.hijack()
      // A URL that cannot be decoded has neither.
      const routed = { params: (params ?? {}) as RoutedRequest['params'], query: (query ?? {}) as Query }
      const arrival = { message, response: reply.raw, ...routed }
      if (gate.opened === undefined) void answer(arrival)
      else void gate.opened.then(() => answer(arrival))
    }
}

/** Returns a path as Fastify writes it: `/catalogs/:catalog_name` for `/catalogs/{catalog_name}`. */
function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

const badConnections: { readonly [code: string]: readonly [number, string, string] } = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The request headers are too large'],
}
const notHttp = [400, 'Bad Request', 'The request is not valid HTTP'] as const

/** Answers bytes that Node's parser does not accept. There is no response object, so the answer is written to the socket. */
function answerBadConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code !== 'ECONNRESET' && socket.writable && !isAnswering(socket)) {
    const [status, reason, message] = badConnections[error.code ?? ''] ?? notHttp
    const body = JSON.stringify(bareError(message))
    socket.write(
      `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        `Connection: close\r\nX-Request-Id: ${newUuid()}\r\n\r\n${body}`,
    )
  }
  socket.destroySoon()
}

/** Whether an answer has begun on this connection. A second one would be read as part of its body. */
function isAnswering(socket: Socket): boolean {
  const response = (socket as Socket & { _httpMessage?: { headersSent: boolean } | null })._httpMessage
  return response?.headersSent === true
}
