import { isIP } from 'node:net'
import type { DomainRecord } from './schema.ts'

/** A record that DNS should have. */
export type ExpectedRecord = Pick<DomainRecord, 'purpose' | 'type' | 'name' | 'value' | 'explanation'>

/** Where this installation sends mail from, and what it needs of DNS beside the domain. */
export type MailHosts = {
  /** `PUBLIC_URL`. */
  readonly publicUrl: string
  /** The domain of return paths; undefined when the return path of a mail is its sender. */
  readonly bounceDomain: string | undefined
  /** The host of the mail server; undefined without one. */
  readonly mailServer: string | undefined
}

/** Returns the records of a domain, the most important first. `dkim` is the record of its key. Pure. */
export function expectedRecords(
  domain: string,
  dkim: { readonly name: string; readonly value: string },
  hosts: MailHosts,
): ExpectedRecord[] {
  const { bounceDomain } = hosts
  const spfName = bounceDomain ?? domain
  const records: ExpectedRecord[] = [
    {
      purpose: 'dkim',
      type: 'TXT',
      ...dkim,
      explanation: 'Receivers check with this key that a mail is from you and was not changed.',
    },
    {
      purpose: 'spf',
      type: 'TXT',
      name: spfName,
      value: `v=spf1 ${spfSource(hosts)} ~all`,
      explanation:
        'It lists the servers that may send mail with this return path. A mail provider tells you what to write, ' +
        'such as include:spf.example.com.',
    },
    {
      purpose: 'dmarc',
      type: 'TXT',
      name: `_dmarc.${domain}`,
      value: 'v=DMARC1; p=none',
      explanation: 'It says what receivers do with mail that fails both checks above. Large receivers ask for one.',
    },
  ]
  if (bounceDomain !== undefined) {
    records.push({
      purpose: 'return_path',
      type: 'MX',
      name: bounceDomain,
      value: `10 ${hostOf(hosts.publicUrl)}`,
      explanation: 'Returned mail comes to this server, so that addresses that bounce are not used again.',
    })
  }
  records.push({
    purpose: 'links',
    type: 'A',
    name: hostOf(hosts.publicUrl),
    value: null,
    explanation: 'Links, pictures that count opens, and unsubscribe pages of mails lead to this host (PUBLIC_URL).',
  })
  return records
}

/** Whether a name is the domain, a name below it, or a host of this installation: no other name is ever asked for. Pure. */
export function mayAsk(name: string, domain: string, { publicUrl, bounceDomain }: MailHosts): boolean {
  return name === domain || name.endsWith(`.${domain}`) || name === bounceDomain || name === hostOf(publicUrl)
}

/** Whether a host is a name that DNS can know: no address, and no name of this machine alone. Pure. */
export function isPublicName(host: string): boolean {
  return (
    isIP(host.replace(/^\[|\]$/g, '')) === 0 && host.includes('.') && !/(^|\.)(localhost|local|internal)$/.test(host)
  )
}

function hostOf(url: string): string {
  return new URL(url).hostname
}

function spfSource({ mailServer, publicUrl }: MailHosts): string {
  const host = [mailServer, hostOf(publicUrl)].find((each) => each !== undefined && isPublicName(each))
  return host === undefined ? 'mx' : `a:${host}`
}
