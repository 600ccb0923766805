import ipaddr from 'ipaddr.js'
import type { FetchAllowEntry } from '../config-values.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = { network: [Address, number]; ports: readonly number[] }
type Host = { matches: (hostname: string) => boolean; ports: readonly number[] }

const defaultPorts: readonly number[] = [80, 443]
const [globalUnicast, globalBits] = ipaddr.IPv6.parseCIDR('2000::/3')
/** NAT64 addresses have an IPv4 address in the last four bytes (RFC 6052). Hosts without IPv4 reach IPv4 hosts by them. */
const [translated, translatedBits] = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Addresses in the public range of metadata services of clouds, which give secrets to their machines. */
const metadataAddress = '168.63.129.16'

/** Whether an address is public: not loopback, private, link-local, multicast, reserved or a tunnel. */
function isPublicAddress(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && address.toString() !== metadataAddress
  if (address.match(translated, translatedBits))
    return isPublicAddress(new ipaddr.IPv4(address.toByteArray().slice(-4)))
  return address.range() === 'unicast' && address.match(globalUnicast, globalBits)
}

/** The hosts that may be reached: public addresses at ports 80 and 443, and those that the entries allow. */
export type Allowlist = {
  /** Returns false when no entry allows this port for any host. Then the host need not be looked up. */
  allowsPort(port: number): boolean
  /** Returns why a host with this address must not be reached at this port; undefined when it may be reached. */
  refusalOf(hostname: string, port: number, address: string): 'port' | 'address' | undefined
}

/** An entry without a port is for ports 80 and 443. */
export function createAllowlist(entries: readonly FetchAllowEntry[]): Allowlist {
  const networks: Network[] = []
  const hosts: Host[] = []
  for (const { target, port } of entries) {
    const ports = port === undefined ? defaultPorts : [port]
    const network = networkOf(target)
    if (network) networks.push({ network, ports })
    else hosts.push({ matches: hostMatcher(target.toLowerCase()), ports })
  }
  const isNamed = (hostname: string, port: number) =>
    hosts.some((host) => host.ports.includes(port) && host.matches(hostname))
  return {
    allowsPort: (port) =>
      defaultPorts.includes(port) || [...networks, ...hosts].some(({ ports }) => ports.includes(port)),
    refusalOf(hostname, port, text) {
      if (isNamed(hostname, port)) return undefined
      const address = ipaddr.process(text)
      if (networks.some(({ network, ports }) => ports.includes(port) && isIn(address, network))) return undefined
      if (!isPublicAddress(address)) return 'address'
      return defaultPorts.includes(port) ? undefined : 'port'
    },
  }
}

/** `*.example.com` matches every name below example.com, not example.com itself. */
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
