import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Accepts an IPv4 address of four decimal parts, an IPv6 address without zone, or either with a prefix length for a network. */
export function isIpOrNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  if (rest.length > 0 || address.includes('%')) return false
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && ipaddr.isValidCIDR(text) && !isMapped(address))
}

/** Whether `ip` is one of the addresses or in one of the networks. An IPv4-mapped IPv6 address counts as IPv4. */
export function isAllowed(ip: string, allowed: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false
  const address = ipaddr.process(ip)
  return allowed.some((entry) => {
    const [network, bits] = networkOf(entry)
    return network.kind() === address.kind() && address.match(network, bits)
  })
}

function networkOf(entry: string): [Address, number] {
  if (entry.includes('/')) return ipaddr.parseCIDR(entry)
  const address = ipaddr.process(entry)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function isMapped(address: string): boolean {
  return ipaddr.IPv6.isValid(address) && ipaddr.IPv6.parse(address).isIPv4MappedAddress()
}
