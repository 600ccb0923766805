import { isIP } from 'node:net'

/** Longest secret of the environment, in characters. */
export const secretLengthMax = 256
/** Shortest token that callers of the service send, in characters: nobody can guess it. */
export const tokenLengthMin = 32
export const tokenText = `${tokenLengthMin} to ${secretLengthMax} visible characters without spaces`

/** Client secrets and names of people are sent to an issuer, so the connection must be encrypted. */
export function isIssuer(given: string): boolean {
  const issuer = url(given, ['http:', 'https:'])
  if (issuer?.search !== '' || issuer.username !== '') return false
  return issuer.protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(issuer.hostname)
}

/** A URL of an HTTP interface with the account and the secret that it asks for. */
export function isProvider(given: string): boolean {
  const provider = url(given, ['http:', 'https:'])
  return provider?.search === '' && provider.hash === '' && provider.username !== '' && provider.password !== ''
}

const quotedLengthMax = 120

/** Returns a value as an error repeats it: a secret is only described. */
export function quoted(given: string, isSecret = false): string {
  if (!isSecret) return JSON.stringify(given.slice(0, quotedLengthMax))
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(given)?.[0]
  return scheme ? `${scheme}(rest not shown)` : `a value of ${given.length} characters (not shown)`
}

/** Returns `http://HOST:PORT`, with brackets around an IPv6 address. */
export function originOf(host: string, port: number): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

export function text(given: string): string | undefined {
  return given.includes('\0') ? undefined : given
}

export function secret(given: string): string | undefined {
  return given.length <= secretLengthMax && /^[\x21-\x7e]+$/.test(given) ? given : undefined
}

export function token(given: string): string | undefined {
  return given.length >= tokenLengthMin ? secret(given) : undefined
}

/** The most root secrets: the current one, and earlier ones until the database is rotated. */
export const rootSecretsMax = 10
export const rootSecretsText = `1 to ${rootSecretsMax} secrets of ${tokenText}, separated by commas, the current one first`

/** Reads root secrets. A comma separates them, so none contains one. */
export function readRootSecrets(given: string): readonly string[] | undefined {
  const entries = given.split(/[\s,]+/).filter((entry) => entry !== '')
  const isValid = entries.length > 0 && entries.length <= rootSecretsMax && entries.every((entry) => token(entry))
  return isValid ? entries : undefined
}

export function wholeNumber(given: string, min: number, max: number): number | undefined {
  const number = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

export function oneOf<const T extends string>(given: string, choices: readonly T[]): T | undefined {
  return choices.find((choice) => choice === given)
}

export function url(given: string, protocols: readonly string[]): URL | undefined {
  const parsed = URL.canParse(given) ? new URL(given) : undefined
  return parsed && protocols.includes(parsed.protocol) && parsed.hash === '' ? parsed : undefined
}

export function withoutSlash(given: string): string {
  return given.replace(/\/+$/, '')
}

/** One entry of EASEL_FETCH_ALLOW: a host, `*.` and a domain, an address or a network, at one port or at 80 and 443. */
export type FetchAllowEntry = { readonly target: string; readonly port?: number }

export function hostsAndNetworks(given: string): readonly FetchAllowEntry[] | undefined {
  const entries = given.split(/[\s,]+/).filter((entry) => entry !== '')
  const read = entries.map(hostOrNetwork)
  return read.every((entry) => entry !== undefined) ? read : undefined
}

export function networks(given: string): readonly string[] | undefined {
  const entries = given.split(/[\s,]+/).filter((entry) => entry !== '')
  return entries.every(isNetwork) ? entries : undefined
}

/** Reads addresses of DNS servers, each with a port if need be; an IPv6 address with a port stands in brackets. */
export function dnsServers(given: string): readonly string[] | undefined {
  const entries = given.split(/[\s,]+/).filter((entry) => entry !== '')
  return entries.length > 0 && entries.every(isServer) ? entries : undefined
}

function isServer(entry: string): boolean {
  if (isIP(entry) !== 0) return true
  const [, bracketed, plain = bracketed ?? '', digits = ''] = /^(?:\[(.+)\]|([^:]+)):(\d+)$/.exec(entry) ?? []
  return isIP(plain) !== 0 && wholeNumber(digits, 1, 65_535) !== undefined
}

function hostOrNetwork(entry: string): FetchAllowEntry | undefined {
  if (isNetwork(entry)) return { target: entry }
  const [, bracketed, plain = bracketed ?? '', digits] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? []
  if (!isNetwork(plain) && !/^(\*\.)?[A-Za-z0-9][A-Za-z0-9.-]*$/.test(plain)) return undefined
  if (digits === undefined) return { target: plain }
  const port = wholeNumber(digits, 1, 65_535)
  return port === undefined ? undefined : { target: plain, port }
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return bits === undefined || wholeNumber(bits, 0, version === 4 ? 32 : 128) !== undefined
}

/** Accepts a duration of whole days, weeks, months and years. */
export function retention(given: string): string | undefined {
  return /^P(?=.*[1-9])(?:\d{1,4}Y)?(?:\d{1,4}M)?(?:\d{1,4}W)?(?:\d{1,5}D)?$/.test(given) ? given : undefined
}

const batchMaxOfNamed = 75

/**
 * Returns the limit of updates in each array when no limit is given. Clients of a hosted product send up to 75 in each, and some of them
 * lose what is refused.
 */
export function batchMaxOf(serviceName: string, givenBatchMax = ''): number | undefined {
  return serviceName !== 'service' && givenBatchMax.trim() === '' ? batchMaxOfNamed : undefined
}

/** EASEL_TEST_* belongs to the tests. Kubernetes gives the other names to every pod beside a Service called easel. */
export const foreignNames = /^EASEL_(TEST_|SERVICE_(HOST|PORT)|PORT(_|$))/
