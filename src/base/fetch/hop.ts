import { FetchError } from './fetch-error.ts'

const urlCharsMax = 8192
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
const userAgent = 'Easel'
/** Headers of the connection and of this client. They are dropped from a request. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...['accept-encoding', 'connection', 'content-length', 'cookie', 'cookie2', 'expect', 'host', 'keep-alive'],
  ...['proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent'],
])
/** The headers that another origin gets after a redirect. All others may be credentials. */
const harmlessHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent'],
])
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** One request in a chain of redirects. */
export type Hop = {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

type HopRequest = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Returns the first request. Throws `FetchError`. */
export function firstHop(text: string, { method = 'GET', headers = {}, body }: HopRequest): Hop {
  const verb = method.toUpperCase()
  if (!methods.has(verb)) throw new FetchError('request', `The method must be one of ${[...methods].join(', ')}`)
  if (body !== undefined && (verb === 'GET' || verb === 'HEAD'))
    throw new FetchError('request', `A ${verb} has no body`)
  return { url: urlOf(text), method: verb, headers: headersOf(headers), body }
}

/** Returns the request to which an answer redirects, as browsers do it. Undefined when it does not redirect. Throws `FetchError`. */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | undefined {
  if (!redirects.has(status) || location === undefined) return undefined
  const url = urlOf(location, hop.url)
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST'
  const headers = Object.entries(hop.headers).filter(
    ([name]) =>
      (url.origin === hop.url.origin || harmlessHeaders.has(name)) && !(becomesGet && name.startsWith('content-')),
  )
  const kept = becomesGet ? { method: 'GET', body: undefined } : { method: hop.method, body: hop.body }
  return { url, headers: Object.fromEntries(headers), ...kept }
}

/** Returns the host without the brackets of an IPv6 address and without a final dot. */
export function hostnameOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

function urlOf(text: string, base?: URL): URL {
  if (text.length > urlCharsMax) throw new FetchError('url', `The URL must be at most ${urlCharsMax} characters long`)
  const url = URL.parse(text, base)
  if (url === null) throw new FetchError('url', 'The URL is not valid')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new FetchError('url', 'The URL must begin with http:// or https://')
  if (url.username !== '' || url.password !== '') throw new FetchError('url', 'The URL must not have credentials in it')
  return url
}

function headersOf(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase()
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower)) throw new FetchError('request', 'A header has no valid name')
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new FetchError('request', `The header ${lower} has no valid value`)
    if (!ownHeaders.has(lower)) headers.set(lower, value)
  }
  return { ...Object.fromEntries(headers), 'user-agent': userAgent, 'accept-encoding': 'identity' }
}
