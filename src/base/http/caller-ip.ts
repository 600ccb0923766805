import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { invalid } from '../errors.ts'

/** IP addresses of a proxy header that are read, from the right. */
export const forwardedIpsMax = 32
/** IP addresses of which it is remembered whether they are proxies. */
const checkedIpsMax = 1024
/** Parts of 16 bits in the network part of an IPv6 address. */
const sourceParts = 4

/** What the IP address of a caller is read from. */
type Arrival = Pick<IncomingMessage, 'headers'> & { readonly socket: { readonly remoteAddress?: string | undefined } }

/**
 * Returns the IP address of the caller of a request, in the plain form of its family; empty when the connection has ended. Throws 400 when
 * a trusted proxy passes on headers that name different callers.
 */
export type FindCallerIp = (arrival: Arrival) => string

/**
 * Creates the only reader of callers' addresses. Without trusted proxies it is the peer of the connection. `trusted`: the IP addresses and
 * networks of proxies whose `X-Forwarded-For` and `Forwarded` are read, from the right: the first address that is not a trusted proxy is
 * the caller. The caller itself has written the entries to the left of it.
 */
export function createCallerIp(trusted: readonly string[]): FindCallerIp {
  const isProxy = openProxyCheck(trusted)
  return ({ headers, socket }) => {
    const peer = plainIp(socket.remoteAddress ?? '')
    if (trusted.length === 0 || !isProxy(peer)) return peer
    const chains = [readForwardedFor(headers['x-forwarded-for']), readForwarded(headers.forwarded)]
    const [caller = peer, other = caller] = chains.flatMap((chain) => (chain ? [callerOf(chain, peer, isProxy)] : []))
    // A proxy passes on the header that it does not write, so the caller may have written it.
    if (caller !== other) {
      throw invalid(
        'X-Forwarded-For and Forwarded name different callers: the proxy must remove the one that it does not write',
      )
    }
    return caller
  }
}

/** Remembers what it has checked: the same few proxies stand in front of every request, and a check takes microseconds. */
function openProxyCheck(trusted: readonly string[]): (ip: string) => boolean {
  const proxies = listOf(trusted)
  const checked = new Map<string, boolean>()
  return (ip) => {
    const known = checked.get(ip)
    if (known !== undefined) return known
    const family = isIP(ip)
    const isProxy = family !== 0 && proxies.check(ip, family === 6 ? 'ipv6' : 'ipv4')
    if (checked.size >= checkedIpsMax) checked.clear()
    checked.set(ip, isProxy)
    return isProxy
  }
}

/** Walks from the right. An entry without an IP address ends the walk: its proxy does not say who the caller is. */
function callerOf(chain: readonly string[], peer: string, isProxy: (ip: string) => boolean): string {
  let caller = peer
  for (const entry of chain.slice(-forwardedIpsMax).reverse()) {
    const ip = ipIn(entry)
    if (ip === undefined) return caller
    caller = ip
    if (!isProxy(caller)) return caller
  }
  return caller
}

function readForwardedFor(header: string | readonly string[] | undefined): string[] | undefined {
  return header === undefined ? undefined : String(header).split(',')
}

// Elements and parameters of RFC 7239, section 4; a value is a token or a quoted string.
const parameter = /\s*([\w!#$%&'*+.^`|~-]+)=("(?:[^"\\]|\\.)*"|[^\s",;]*)\s*([;,]|$)/y

/** Returns the `for` of each element. Throws 400 for another text: where its last element begins is not certain. */
function readForwarded(header: string | undefined): string[] | undefined {
  if (header === undefined) return undefined
  const entries: string[] = []
  let entry = ''
  parameter.lastIndex = 0
  while (parameter.lastIndex < header.length) {
    const [, name = '', value = '', end] = parameter.exec(header) ?? []
    if (name === '') throw invalid('Forwarded is not valid')
    if (name.toLowerCase() === 'for') entry = value.startsWith('"') ? value.slice(1, -1) : value
    if (end === ';') continue
    entries.push(entry)
    entry = ''
  }
  return entries
}

/** Returns the IP address of `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`. */
function ipIn(entry: string): string | undefined {
  const text = entry.trim()
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(text) ?? []
  const ip = plainIp(bracketed ?? dotted ?? text)
  return isIP(ip) === 0 || ip.includes('%') ? undefined : ip
}

/** Returns an IPv4 address that is written as IPv6 in its own form, so that one caller has one address. */
function plainIp(ip: string): string {
  if (!ip.startsWith('::')) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  return mapped ?? ip
}

/** Returns what one caller cannot change at will: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function sourceOf(ip: string): string {
  const plain = plainIp(ip)
  return isIP(plain) === 6 ? ipaddr.IPv6.parse(plain).parts.slice(0, sourceParts).join(':') : plain
}

const networkBytes = { ipv4: 3, ipv6: 6 } as const
const byteBits = 8

/**
 * Returns the network of an IP address, such as `192.0.2.0/24` or `2001:db8:1::/48`: enough to recognize a provider, and not a person. Null
 * for what is no IP address.
 */
export function networkOf(ip: string): string | null {
  if (!ipaddr.isValid(ip)) return null
  const address = ipaddr.process(ip)
  const kind = address.kind()
  const bytes = address.toByteArray().map((byte, i) => (i < networkBytes[kind] ? byte : 0))
  return `${ipaddr.fromByteArray(bytes).toString()}/${networkBytes[kind] * byteBits}`
}

function listOf(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [ip = '', bits] = entry.split('/')
    const family = isIP(ip) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(ip, family)
    else list.addSubnet(ip, Number(bits), family)
  }
  return list
}
