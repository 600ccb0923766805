import type { LookupAddress } from 'node:dns'
import { lookup as lookUp } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { Agent, Dispatcher } from 'undici'
import type { FetchAllowEntry } from '../config-values.ts'
import { activeSpan } from '../telemetry.ts'
import { type Allowlist, createAllowlist } from './allowlist.ts'
import { type Answer, answerTooLarge, type BodyLimit, Exchange, type ReadHead } from './exchange.ts'
import { FetchError } from './fetch-error.ts'
import { recordFetch } from './fetch-span.ts'
import { firstHop, type Hop, hostnameOf, nextHop, portOf } from './hop.ts'

const connectMs = 2000
const defaultMs = 10_000
const defaultBytesMax = 1_048_576
const defaultRedirectsMax = 3
const connectionsPerOriginMax = 16

/** A request, and the limits of its answer. Header names may be in any case. */
export type FetchRequest = {
  /** `GET`, the default, `HEAD`, `POST`, `PUT`, `PATCH` or `DELETE`. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** The largest body of the answer, inclusive; 1 MiB by default. */
  readonly bytesMax?: number
  /** A larger or encoded body of an answer is no error: it is read up to `bytesMax`, or not at all when it is encoded. */
  readonly cutsAnswer?: boolean
  /** Milliseconds for the whole fetch, including redirects and body; 10 seconds by default. */
  readonly timeoutMs?: number
  /** 3 by default; with 0 every redirect is refused. */
  readonly redirectsMax?: number
  /** Aborts the fetch. */
  readonly signal?: AbortSignal
  /** Lets the receiver continue the trace. Only for receivers that have asked for this request by the API. */
  readonly sendsTrace?: boolean
}

/** An answer of any status. `url` is the one that answered. Header names are lower case. Cookies are omitted. */
export type FetchResponse = Answer & { readonly url: string }

export type Fetcher = {
  /** Fetches a URL. Rejects only with `FetchError`. */
  fetch(url: string, request?: FetchRequest): Promise<FetchResponse>
  /** Aborts all requests in flight. */
  close(): Promise<void>
}

export type FetcherOptions = {
  /** `config.fetchAllow`. */
  readonly allow: readonly FetchAllowEntry[]
  /** Returns all addresses of a name; the system's resolver by default. */
  readonly lookup?: Lookup
}

type Lookup = (hostname: string) => Promise<LookupAddress[]>

/**
 * Fetches URLs that users have written (attachments, connected content, webhooks, callbacks): http(s) to public addresses at ports 80 and
 * 443, and to what `allow` names. Addresses are checked when a connection is made, again for each redirect. So a name whose address changes
 * in between (DNS rebinding) is also checked. No cookies, no compression, no credentials for another origin.
 */
export function openFetcher({ allow: entries, lookup = resolve }: FetcherOptions): Fetcher {
  const allow = createAllowlist(entries)
  let client: Promise<Agent> | undefined
  let closed = false

  async function follow(url: string, request: FetchRequest, attempt: Attempt): Promise<FetchResponse> {
    const { redirectsMax = defaultRedirectsMax, bytesMax = defaultBytesMax, cutsAnswer: cuts = false } = request
    let hop = firstHop(url, request)
    for (let redirects = 0; ; redirects++) {
      check(hop.url, allow)
      client ??= openClient(lookup, allow)
      const dispatcher = await client
      const own = hop
      let next: Hop | undefined
      const answer = await attempt.send(dispatcher, own, (status, headers) => {
        next = nextHop(own, status, headers.location)
        // The body of a redirect is not read, although that closes the connection.
        return next === undefined ? limitOf(own, headers, bytesMax, cuts) : undefined
      })
      if (next === undefined) return { ...answer, url: own.url.href }
      if (redirects === redirectsMax) throw new FetchError('redirects', `There are more than ${redirectsMax} redirects`)
      hop = next
    }
  }

  async function fetch(url: string, request: FetchRequest = {}): Promise<FetchResponse> {
    const { timeoutMs = defaultMs, signal } = request
    const attempt = new Attempt()
    const late = () => attempt.abort(new FetchError('timeout', `There was no complete answer within ${timeoutMs} ms`))
    const timer = setTimeout(late, timeoutMs)
    const cancel = () => attempt.abort(new FetchError('closed', 'The request was aborted'))
    signal?.addEventListener('abort', cancel)
    try {
      if (closed || signal?.aborted) cancel()
      return await follow(url, request, attempt)
    } catch (error) {
      throw fetchErrorOf(error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
  }

  return {
    fetch(url, request) {
      const span = activeSpan()
      return span === undefined ? fetch(url, request) : recordFetch(span, url, request ?? {}, fetch)
    },
    async close() {
      closed = true
      const dispatcher = await client
      await dispatcher?.destroy(new FetchError('closed', 'The service is stopping'))
    },
  }
}

/** One fetch with its redirects. It can be aborted at any time. */
class Attempt {
  #aborted: FetchError | undefined
  #exchange: Exchange | undefined

  abort(error: FetchError): void {
    this.#aborted ??= error
    this.#exchange?.abort(this.#aborted)
  }

  async send(dispatcher: Dispatcher, hop: Hop, readHead: ReadHead): Promise<Answer> {
    if (this.#aborted) throw this.#aborted
    this.#exchange = new Exchange(hop, readHead)
    return this.#exchange.send(dispatcher)
  }
}

/** Loaded by the first request: many processes send none, and loading takes a sixth of a start. */
async function openClient(lookup: Lookup, allow: Allowlist): Promise<Agent> {
  const { Agent, Pool } = await import('undici')
  return new Agent({
    // Each request has its own, exact deadlines.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    connections: connectionsPerOriginMax,
    factory: (origin, options) =>
      new Pool(origin, {
        ...options,
        connect: { timeout: connectMs, lookup: checkedLookup(new URL(origin), lookup, allow) },
      }),
  })
}

function resolve(hostname: string): Promise<LookupAddress[]> {
  return lookUp(hostname, { all: true })
}

/** Checks port and address of a URL without a look-up. An IP address in a URL is never looked up, so nothing else would check it. */
function check(url: URL, allow: Allowlist): void {
  const [hostname, port] = [hostnameOf(url), portOf(url)]
  if (!allow.allowsPort(port)) throw notAllowed(url, 'port')
  const reason = isIP(hostname) > 0 ? allow.refusalOf(hostname, port, hostname) : undefined
  if (reason) throw notAllowed(url, reason)
}

/** A look-up for the connections to one origin. It refuses the name when any of its addresses is not allowed. */
function checkedLookup(url: URL, lookup: Lookup, allow: Allowlist): LookupFunction {
  const [own, port] = [hostnameOf(url), portOf(url)]
  const lookupAllowed = async (hostname: string) => {
    const addresses = await lookup(hostname)
    for (const { address } of addresses) {
      const reason = allow.refusalOf(own, port, address)
      if (reason) throw notAllowed(url, reason)
    }
    if (addresses.length === 0) throw new FetchError('host', `${url.host} is not known`)
    return addresses
  }
  return (hostname, { all }, done) =>
    void lookupAllowed(hostname).then(
      (addresses) => (all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family)),
      (error) => done(error, ''),
    )
}

function notAllowed({ host }: URL, reason: 'port' | 'address'): FetchError {
  const why =
    reason === 'port'
      ? 'only ports 80 and 443 may be reached; name host:port in EASEL_FETCH_ALLOW'
      : 'its address is not a public one'
  return new FetchError(reason, `${host} must not be reached: ${why}`)
}

/** Returns what is read of the body of an answer. Throws `FetchError` when it is encoded or too large. */
function limitOf(hop: Hop, headers: Readonly<Record<string, string>>, bytesMax: number, cuts: boolean): BodyLimit {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    if (cuts) return undefined
    const message = `${hop.url.host} answered with the encoding ${encoding}, which was not requested`
    throw new FetchError('encoded', message)
  }
  const isTooLarge = !cuts && hop.method !== 'HEAD' && Number(headers['content-length'] ?? 0) > bytesMax
  if (isTooLarge) throw answerTooLarge(hop, bytesMax)
  return { bytesMax, cuts }
}

function fetchErrorOf(error: unknown): FetchError {
  if (error instanceof FetchError) return error
  const code = String((error as { code?: unknown } | null)?.code ?? 'no reason given')
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new FetchError('timeout', `There was no connection within ${connectMs} ms`, error)
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return new FetchError('host', 'The host is not known', error)
  return new FetchError('unreachable', `The host could not be reached (${code})`, error)
}
