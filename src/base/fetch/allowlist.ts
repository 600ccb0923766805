import ipaddr from 'ipaddr.js'
import type { FetchAllowEntry } from '../config.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = { network: [Address, number]; ports: readonly number[] }
type Host = { matches: (hostname: string) => boolean; ports: readonly number[] }

const openPorts: readonly number[] = [80, 443]
const [globalUnicast, globalBits] = ipaddr.IPv6.parseCIDR('2000::/3')
/** Where a translator puts IPv4 addresses, in the last four bytes (RFC 6052); hosts without IPv4 reach the rest of the world so. */
const [translated, translatedBits] = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Looks public, yet is the channel of one cloud to each of its machines, which tells their secrets. */
const cloudChannel = '168.63.129.16'

/** Whether everybody on the internet means the same by it: not loopback, private, link-local, multicast, reserved, a tunnel. */
export function isPublic(text: string): boolean {
  return isPublicAddress(ipaddr.process(text))
}

function isPublicAddress(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && address.toString() !== cloudChannel
  if (address.match(translated, translatedBits))
    return isPublicAddress(new ipaddr.IPv4(address.toByteArray().slice(-4)))
  return address.range() === 'unicast' && address.match(globalUnicast, globalBits)
}

/** What may be reached: public addresses at ports 80 and 443, and what the entries name besides. */
export type Allowlist = {
  /** False when no entry opens this port, whatever the host: then nobody needs to be asked where the host is. */
  opensPort(port: number): boolean
  /** Why a host that is at this address must not be reached at this port; undefined when it may. */
  refuses(hostname: string, port: number, address: string): 'port' | 'address' | undefined
}

/** An entry without a port is about 80 and 443. */
export function createAllowlist(entries: readonly FetchAllowEntry[]): Allowlist {
  const networks: Network[] = []
  const hosts: Host[] = []
  for (const { target, port } of entries) {
    const ports = port === undefined ? openPorts : [port]
    const network = networkOf(target)
    if (network) networks.push({ network, ports })
    else hosts.push({ matches: hostMatcher(target.toLowerCase()), ports })
  }
  const named = (hostname: string, port: number) =>
    hosts.some((host) => host.ports.includes(port) && host.matches(hostname))
  return {
    opensPort: (port) => openPorts.includes(port) || [...networks, ...hosts].some(({ ports }) => ports.includes(port)),
    refuses(hostname, port, text) {
      if (named(hostname, port)) return undefined
      const address = ipaddr.process(text)
      if (networks.some(({ network, ports }) => ports.includes(port) && isIn(address, network))) return undefined
      if (!isPublicAddress(address)) return 'address'
      return openPorts.includes(port) ? undefined : 'port'
    },
  }
}

/** `*.example.com` means every name below it, not itself. */
function hostMatcher(target: string): (hostname: string) => boolean {
  if (target.startsWith('*.')) return (hostname) => hostname.endsWith(target.slice(1))
  return (hostname) => hostname === target
}

function networkOf(target: string): [Address, number] | undefined {
  const [text = '', bits] = target.split('/')
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined
  if (bits !== undefined) return ipaddr.parseCIDR(target)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function isIn(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}
