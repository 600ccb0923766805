import { createPublicKey } from 'node:crypto'
import type { Config } from '../src/base/config.ts'
import { FolderInUse } from '../src/base/db/folder-lock.ts'
import { Failure } from '../src/base/errors.ts'
import { askDns } from '../src/messaging/domains/ask-dns.ts'
import { expectedRecords } from '../src/messaging/domains/expected-records.ts'
import { judgeRecord, whyNotAsked } from '../src/messaging/domains/judge-record.ts'
import { mailHostsOf } from '../src/messaging/domains/mail-hosts.ts'
import type { DomainRecord } from '../src/messaging/domains/schema.ts'
import type { AdminAccess, JsonObject } from './admin-access.ts'
import type { Shell } from './command.ts'
import { advice, type Finding, finding } from './finding.ts'
import { withAdminAccess } from './with-admin-access.ts'

/** Receivers treat a shorter RSA key like no signature (RFC 8301). */
const dkimBitsMin = 2048
/** The most names in a line. */
const namesMax = 5

const subjects: Readonly<Record<DomainRecord['purpose'], string>> = {
  ...{ dkim: 'DKIM', spf: 'SPF', dmarc: 'DMARC', return_path: 'Return path', links: 'Links' },
}

type DkimKey = { readonly name: string; readonly dns: { readonly name: string; readonly value: string } }
type Configuration = { readonly keys: readonly JsonObject[]; readonly dkimKeys: readonly DkimKey[] }

/** Checks API keys, DKIM keys and mail domains of all workspaces, in the database or through the server that uses it. */
export async function findInstallation(config: Config, shell: Shell, isServed: boolean): Promise<Finding[]> {
  if (isServed && config.adminToken === undefined)
    return [
      advice(
        'Keys',
        'not checked, nor are mail domains',
        'set EASEL_ADMIN_TOKEN: the running server is asked for them',
      ),
    ]
  let configuration: Configuration
  try {
    configuration = await withAdminAccess(shell, config, undefined, readConfiguration, 'read')
  } catch (error) {
    if (error instanceof Failure && error.kind === 'notFound')
      return [{ subject: 'Keys', ok: true, text: 'none yet: the first start creates them' }]
    // A database that cannot be read is a finding of another check; the reason here is mostly a secret or a token.
    const text = error instanceof FolderInUse ? 'a server has been started meanwhile' : (error as Error).message
    return [finding('Keys', false, text, 'give EASEL_SECRET and EASEL_ADMIN_TOKEN as the server has them')]
  }
  const { keys, dkimKeys } = configuration
  return [...judgeKeys(keys), ...dkimKeys.flatMap(judgeDkimKey), ...(await findDomains(dkimKeys, config))]
}

async function readConfiguration(access: AdminAccess): Promise<Configuration> {
  const keys: JsonObject[] = []
  const dkimKeys: DkimKey[] = []
  for (const { id } of await access.listWorkspaces()) {
    keys.push(...(await access.list('keys', id)))
    dkimKeys.push(...((await access.list('dkim_keys', id)) as unknown as DkimKey[]))
  }
  return { keys, dkimKeys }
}

/** Judges API keys. Pure. */
export function judgeKeys(keys: readonly JsonObject[]): Finding[] {
  const idle = keys.filter(({ permissions }) => (permissions as readonly string[]).length === 0)
  const unused = keys.filter(({ last_used_at }) => last_used_at === null)
  const text = `${keys.length} API keys`
  if (idle.length > 0)
    return [
      finding('Keys', false, `${text}; without permissions: ${namesOf(idle)}`, 'delete them: easel keys delete ID'),
    ]
  if (unused.length === 0) return [{ subject: 'Keys', ok: true, text: `${text}, each was used` }]
  return [advice('Keys', `${text}; never used: ${namesOf(unused)}`, 'delete what nobody needs: easel keys delete ID')]
}

function namesOf(keys: readonly JsonObject[]): string {
  const names = keys.slice(0, namesMax).map(({ name }) => String(name))
  return [...names, ...(keys.length > namesMax ? [`${keys.length - namesMax} more`] : [])].join(', ')
}

/** Judges the key of a domain by its DNS record. Pure. */
export function judgeDkimKey({ name, dns: { value } }: DkimKey): Finding[] {
  const [, kind, published = ''] = /k=(\w+); p=(\S+)/.exec(value) ?? []
  if (kind !== 'rsa') return []
  const key = createPublicKey({ key: Buffer.from(published, 'base64'), format: 'der', type: 'spki' })
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits >= dkimBitsMin) return []
  const remedy = `make a key of ${dkimBitsMin} bits: a dkim_keys entry with another selector and without private_key`
  return [finding('DKIM', false, `${name}: the key has ${bits} bits`, remedy)]
}

/** Asks DNS for what it must say of each domain that has a DKIM key. */
async function findDomains(keys: readonly DkimKey[], config: Config): Promise<Finding[]> {
  if (config.smtpUrl === undefined) return []
  if (keys.length === 0) {
    const remedy = 'add a dkim_keys entry for each sending domain, unless your provider signs'
    return [advice('DKIM', 'no domain has a key: mail is not signed here', remedy)]
  }
  const hosts = mailHostsOf(config)
  const records = keys.flatMap(({ name, dns }) =>
    expectedRecords(name, dns, hosts).map((record) => ({ domain: name, record })),
  )
  const asked = records.filter(({ record }) => whyNotAsked(record) === undefined)
  const answers = await askDns(
    asked.map(({ record }) => record),
    config.dnsServers,
  )
  const findings = records.map((each) => {
    const failure = whyNotAsked(each.record)
    const answer = failure === undefined ? answers[asked.indexOf(each)]! : { failure }
    return findingOf(each.domain, judgeRecord(each.record, answer))
  })
  // Domains share the host of links and often the domain of return paths.
  const lines = findings.map(({ subject, text }) => `${subject} ${text}`)
  return findings.filter(({ subject, text }, i) => lines.indexOf(`${subject} ${text}`) === i)
}

function findingOf(domain: string, { purpose, type, name, value, state, sentence }: DomainRecord): Finding {
  const place = purpose === 'dkim' || purpose === 'dmarc' ? domain : name
  const publish = value === null ? `give ${name} an address in DNS` : `publish ${type} ${name}: ${value}`
  const remedy = state === 'unknown' ? 'check the DNS of this machine, or EASEL_DNS_SERVERS' : publish
  // Receivers look at the domain above when a domain has none (RFC 7489, 6.6.3).
  const isBelow = purpose === 'dmarc' && state === 'missing' && domain.split('.').length > 2
  if (isBelow) return advice(subjects[purpose], `${place}: ${sentence}`, remedy)
  return finding(subjects[purpose], state === 'found', `${place}: ${sentence}`, remedy)
}
