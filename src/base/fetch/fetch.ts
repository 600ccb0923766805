import type { LookupAddress } from 'node:dns'
import { lookup as lookUp } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import type { FetchAllowEntry } from '../config.ts'
import { type Allowlist, createAllowlist } from './allowlist.ts'
import { FetchError } from './fetch-error.ts'
import { firstHop, type Hop, hostnameOf, nextHop, portOf } from './hop.ts'

const connectMs = 2000
const headersMs = 5000
const defaultMs = 10_000
const defaultBytesMax = 1_048_576
const defaultRedirectsMax = 3
const connectionsPerOriginMax = 16

/** What is sent, and what the answer may cost. Names of headers may be in any case. */
export type FetchRequest = {
  /** `GET` when absent; `HEAD`, `POST`, `PUT`, `PATCH` and `DELETE` are the others. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Bytes the answer's body may have, inclusive; 1 MiB when absent. */
  readonly bytesMax?: number
  /** Milliseconds for everything, redirects and body included; 10 seconds when absent. */
  readonly timeoutMs?: number
  /** 3 when absent; with 0 every redirect is refused. */
  readonly redirectsMax?: number
  /** Gives up when aborted. */
  readonly signal?: AbortSignal
}

/** An answer, whatever its status. `url` is the one that answered; header names are lower case, cookies are left out. */
export type FetchResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly url: string
}

export type Fetcher = {
  /** Rejects with `FetchError` and nothing else. */
  fetch(url: string, asked?: FetchRequest): Promise<FetchResponse>
  /** Gives up what is under way. */
  close(): Promise<void>
}

export type FetcherOptions = {
  /** `config.fetchAllow`. */
  readonly allow: readonly FetchAllowEntry[]
  /** All addresses of a name; the system's resolver when absent. */
  readonly lookup?: Lookup
}

type Lookup = (hostname: string) => Promise<LookupAddress[]>

/**
 * The one way out to URLs that others have written (attachments, connected content, webhooks, callbacks): http(s) to public addresses
 * at ports 80 and 443, and to what `allow` names. Addresses are judged where a connection is made, each redirect anew, so a name that
 * changes its mind in between gains nothing. No cookies, no compression, no credentials for another origin.
 */
export function openFetcher({ allow: entries, lookup = resolve }: FetcherOptions): Fetcher {
  const allow = createAllowlist(entries)
  let client: Promise<Client> | undefined
  let closed = false

  async function follow(url: string, asked: FetchRequest, attempt: AbortController): Promise<FetchResponse> {
    const { redirectsMax = defaultRedirectsMax, bytesMax = defaultBytesMax } = asked
    let hop = firstHop(url, asked)
    for (let redirects = 0; ; redirects++) {
      check(hop.url, allow)
      client ??= openClient(lookup, allow)
      const answer = await send(hop, await client, attempt)
      const { location } = answer.headers
      const next = nextHop(hop, answer.statusCode, Array.isArray(location) ? location[0] : location)
      if (next === undefined) return await received(hop, answer, bytesMax)
      // What it says beside is not waited for, though that costs the connection.
      answer.body.destroy()
      if (redirects === redirectsMax) throw new FetchError('redirects', `There are more than ${redirectsMax} redirects`)
      hop = next
    }
  }

  return {
    async fetch(url, asked = {}) {
      const { timeoutMs = defaultMs, signal } = asked
      const attempt = new AbortController()
      const late = () => attempt.abort(new FetchError('timeout', `There was no whole answer within ${timeoutMs} ms`))
      const timer = setTimeout(late, timeoutMs)
      const leave = () => attempt.abort(new FetchError('closed', 'The request was given up'))
      signal?.addEventListener('abort', leave)
      try {
        if (closed || signal?.aborted) leave()
        attempt.signal.throwIfAborted()
        return await orAborted(follow(url, asked, attempt), attempt.signal)
      } catch (error) {
        throw refusalOf(error)
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
    },
    async close() {
      closed = true
      const { dispatcher } = (await client) ?? {}
      await dispatcher?.destroy(new FetchError('closed', 'The service is leaving'))
    },
  }
}

type Client = { readonly request: typeof import('undici').request; readonly dispatcher: Agent }

/** Loaded by the first request: most processes of a day send none, and to load it is a sixth of a start. */
async function openClient(lookup: Lookup, allow: Allowlist): Promise<Client> {
  const { Agent, Pool, request } = await import('undici')
  const dispatcher = new Agent({
    // Requests have deadlines of their own, which are exact.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    connections: connectionsPerOriginMax,
    factory: (origin, options) =>
      new Pool(origin, { ...options, connect: { timeout: connectMs, lookup: judged(new URL(origin), lookup, allow) } }),
  })
  return { request, dispatcher }
}

function resolve(hostname: string): Promise<LookupAddress[]> {
  return lookUp(hostname, { all: true })
}

/** Refuses without asking anybody what the URL itself shows: an address is never looked up, so nothing else would judge it. */
function check(url: URL, allow: Allowlist): void {
  const [hostname, port] = [hostnameOf(url), portOf(url)]
  if (!allow.opensPort(port)) throw refusalTo(url, 'port')
  const reason = isIP(hostname) > 0 ? allow.refuses(hostname, port, hostname) : undefined
  if (reason) throw refusalTo(url, reason)
}

/** A look-up for the connections to one origin; one address that must not be reached condemns the name. */
function judged(url: URL, lookup: Lookup, allow: Allowlist): LookupFunction {
  const [own, port] = [hostnameOf(url), portOf(url)]
  const judge = async (hostname: string) => {
    const addresses = await lookup(hostname)
    for (const { address } of addresses) {
      const reason = allow.refuses(own, port, address)
      if (reason) throw refusalTo(url, reason)
    }
    if (addresses.length === 0) throw new FetchError('host', `${url.host} is not known`)
    return addresses
  }
  return (hostname, { all }, told) =>
    void judge(hostname).then(
      (addresses) => (all ? told(null, addresses) : told(null, addresses[0]!.address, addresses[0]!.family)),
      (error) => told(error, ''),
    )
}

function refusalTo({ host }: URL, reason: 'port' | 'address'): FetchError {
  const why =
    reason === 'port'
      ? 'only ports 80 and 443 may be reached; name host:port in EASEL_FETCH_ALLOW'
      : 'its address is not a public one'
  return new FetchError(reason, `${host} must not be reached: ${why}`)
}

async function send(
  hop: Hop,
  { request, dispatcher }: Client,
  attempt: AbortController,
): Promise<Dispatcher.ResponseData> {
  const late = () => attempt.abort(new FetchError('timeout', `${hop.url.host} did not answer within ${headersMs} ms`))
  const timer = setTimeout(late, headersMs)
  try {
    const answer = await request(hop.url, {
      dispatcher,
      method: hop.method,
      headers: hop.headers,
      ...(hop.body !== undefined && { body: hop.body }),
      signal: attempt.signal,
    })
    // Errors of a body that nobody reads on would be nobody's.
    answer.body.on('error', () => undefined)
    return answer
  } finally {
    clearTimeout(timer)
  }
}

async function received(
  { url, method }: Hop,
  answer: Dispatcher.ResponseData,
  bytesMax: number,
): Promise<FetchResponse> {
  const { statusCode: status, body } = answer
  const headers = plainHeaders(answer.headers)
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    body.destroy()
    throw new FetchError('encoded', `${url.host} answered with the encoding ${encoding}, which was not asked for`)
  }
  const tooLarge = () => new FetchError('too_large', `${url.host} answered with more than ${bytesMax} bytes`)
  if (method !== 'HEAD' && Number(headers['content-length'] ?? 0) > bytesMax) {
    body.destroy()
    throw tooLarge()
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // Leaving the loop ends the stream, and with it the connection.
    if (bytes > bytesMax) throw tooLarge()
    chunks.push(chunk)
  }
  return { status, headers, body: Buffer.concat(chunks, bytes), url: url.href }
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || name === 'set-cookie' ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  )
  return Object.fromEntries(entries)
}

/** A request that still waits for its connection does not hear of its signal. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return Promise.race([work, promise])
}

function refusalOf(error: unknown): FetchError {
  if (error instanceof FetchError) return error
  const code = String((error as { code?: unknown } | null)?.code ?? 'no reason given')
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new FetchError('timeout', `There was no connection within ${connectMs} ms`, error)
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return new FetchError('host', 'The host is not known', error)
  return new FetchError('unreachable', `The host could not be reached (${code})`, error)
}
