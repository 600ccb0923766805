import { BlockList, isIP } from 'node:net'
import { createIsbotFromList, isbot, isbotPatterns, list } from 'isbot'

/** The request for a tracking pixel or a tracked link. */
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

/** Agents that fetch mail before it is read: Apple's privacy proxies send only this prefix; the other one is Gmail's prefetch. */
const prefetching = /^Mozilla\/5\.0$|Edge\/12\.246 Mozilla\/5\.0$/

/** Mail programs and proxies that fetch a picture when a person views the mail. Links are opened in browsers. */
const readers = [
  'AppleMail/3654',
  'Airmail 5',
  'Lotus-Notes/6.0',
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'Outlook-iOS/2.0',
  'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
]
/** Scanners of mail that `isbot` knows by no name of their own, only because browsers are not called so. */
const scanners = new RegExp(
  [
    ...['barracuda', 'proofpoint', 'urldefense', 'mimecast', 'safelinks', 'symantec', 'messagelabs', 'trend ?micro'],
    ...['fireeye', 'trellix', 'sophos', 'cisco-ironport', 'forcepoint', 'zscaler', 'mailguard', 'hornetsecurity'],
    ...['spamtitan', 'virustotal', 'bitdefender', 'checkpoint'],
  ].join('|'),
  'i',
)
const patternsOfReaders = new Set(readers.flatMap((reader) => isbotPatterns(reader)))
const isBotThatViews = createIsbotFromList(list.filter((pattern) => !patternsOfReaders.has(pattern)))

/** Networks without readers: Apple's own, and those in which Exchange Online receives mail. */
const networks = blockListOf(['17.0.0.0/8', '40.92.0.0/15', '40.107.0.0/16', '52.100.0.0/14', '104.47.0.0/17'])
/** Google fetches pictures from here when they are viewed, but links only to check them. */
const googleNetworks = blockListOf(['66.102.0.0/20', '66.249.64.0/19', '74.125.0.0/16'])

/**
 * Whether a machine opened or clicked: a proxy that fetches everything in advance, or a scanner that tries links. Every mail program sends
 * a user agent. Networks are recognised by the address of the caller (`EASEL_TRUSTED_PROXIES`).
 */
export function isMachine({ kind, method, agent, purpose, ip }: EngagementRequest): boolean {
  if (method === 'HEAD' || !agent || /prefetch|preview/i.test(purpose ?? '')) return true
  if (prefetching.test(agent.trim()) || scanners.test(agent)) return true
  if (kind === 'clicked' ? isbot(agent) : isBotThatViews(agent)) return true
  return contains(networks, ip) || (kind === 'clicked' && contains(googleNetworks, ip))
}

function blockListOf(subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address, bits] = subnet.split('/') as [string, string]
    list.addSubnet(address, Number(bits))
  }
  return list
}

function contains(list: BlockList, ip: string): boolean {
  const family = isIP(ip)
  return family !== 0 && list.check(ip, family === 6 ? 'ipv6' : 'ipv4')
}
