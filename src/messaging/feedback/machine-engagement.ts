import { BlockList } from 'node:net'

/** What is seen of somebody who fetches a picture or follows a link. */
export type EngagementRequest = {
  readonly kind: 'opened' | 'clicked'
  /** GET or HEAD. */
  readonly method: string
  /** `User-Agent`. */
  readonly agent: string | undefined
  /** `Sec-Purpose` or `Purpose`. */
  readonly purpose: string | undefined
  readonly ip: string
}

/** Agents that fetch mail before anybody looks: Apple's privacy proxies say no more than this; the other is Gmail's prefetch. */
const prefetching = /^Mozilla\/5\.0$|Edge\/12\.246 Mozilla\/5\.0$/

/** What says of itself that it is no reader. A picture fetched "via ggpht.com GoogleImageProxy" or by Yahoo's proxy is looked at. */
const scanning = new RegExp(
  [
    ...[String.raw`(?<!cu)bot\b`, 'crawl', 'spider', 'scanner', 'prefetch', 'preview', 'headless', 'phantomjs'],
    ...[
      'barracuda',
      'proofpoint',
      'urldefense',
      'mimecast',
      'safelinks',
      'symantec',
      'messagelabs',
      'trendmicro',
      'trend micro',
    ],
    ...[
      'fireeye',
      'trellix',
      'sophos',
      'cisco-ironport',
      'forcepoint',
      'zscaler',
      'mailguard',
      'hornetsecurity',
      'spamtitan',
    ],
    ...['facebookexternalhit', 'whatsapp', 'skypeuripreview', 'virustotal', 'bitdefender', 'checkpoint'],
  ].join('|'),
  'i',
)

/** Apple's own network, and where Exchange Online takes mail in: nobody reads there. */
const networks = listOf(['17.0.0.0/8', '40.92.0.0/15', '40.107.0.0/16', '52.100.0.0/14', '104.47.0.0/17'])
/** Where Google fetches from: pictures when somebody looks, links only to check them. */
const googleNetworks = listOf(['66.102.0.0/20', '66.249.64.0/19', '74.125.0.0/16'])

/**
 * Whether a machine opened or clicked: a proxy that fetches everything in advance, or a scanner that tries links. A mail program always
 * names itself. Networks tell something only where no other proxy stands before this server.
 */
export function isMachine({ kind, method, agent, purpose, ip }: EngagementRequest): boolean {
  if (method === 'HEAD' || !agent || /prefetch|preview/i.test(purpose ?? '')) return true
  if (prefetching.test(agent.trim()) || scanning.test(agent)) return true
  return isIn(networks, ip) || (kind === 'clicked' && isIn(googleNetworks, ip))
}

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address, bits] = subnet.split('/') as [string, string]
    list.addSubnet(address, Number(bits))
  }
  return list
}

function isIn(list: BlockList, ip: string): boolean {
  return ip !== '' && list.check(ip, ip.includes(':') ? 'ipv6' : 'ipv4')
}
