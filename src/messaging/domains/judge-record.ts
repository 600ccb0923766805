import { type ExpectedRecord, isPublicName } from './expected-records.ts'
import type { DomainRecord } from './schema.ts'

/** What DNS answered: the values at a name, or why there is no answer. */
export type DnsAnswer = { readonly values: readonly string[] } | { readonly failure: string }

type Verdict = Pick<DomainRecord, 'state' | 'sentence'>

/** Compares a record with what DNS answered. Pure. */
export function judgeRecord(record: ExpectedRecord, answer: DnsAnswer): DomainRecord {
  if ('failure' in answer) return { ...record, state: 'unknown', found: [], sentence: answer.failure }
  const judges = { dkim: judgeDkim, spf: judgeSpf, dmarc: judgeDmarc, return_path: judgeReturnPath, links: judgeLinks }
  return { ...record, found: [...answer.values], ...judges[record.purpose](record, answer.values) }
}

/** Returns the record as long as DNS was not asked. Pure. */
export function unasked(record: ExpectedRecord): DomainRecord {
  return { ...record, state: 'not_checked', found: [], sentence: 'DNS was not asked yet.' }
}

/** Returns why a host cannot be looked up; undefined when it can. Pure. */
export function whyNotAsked({ name, purpose }: ExpectedRecord): string | undefined {
  if (isPublicName(name)) return undefined
  const variable = purpose === 'links' ? 'PUBLIC_URL' : 'BOUNCE_DOMAIN'
  return `${name} is not a name that others can look up: set ${variable} to one before mail goes to people outside.`
}

const missing = (what: string): Verdict => ({ state: 'missing', sentence: `There is no ${what} yet: publish it.` })
const found = (sentence: string): Verdict => ({ state: 'found', sentence })
const different = (sentence: string): Verdict => ({ state: 'different', sentence })

function judgeDkim({ value }: ExpectedRecord, values: readonly string[]): Verdict {
  const keys = values.map((text) => tagsOf(text)).filter((tags) => tags.has('p'))
  const expected = tagsOf(value ?? '').get('p')
  if (keys.length === 0) {
    if (values.length === 0) return missing('DKIM record')
    return different('There is a text at this name, but no DKIM key in it: replace it by the record shown here.')
  }
  const ours = keys.find((tags) => tags.get('p') === expected)
  if (ours && keys.length > 1) {
    return different('There are several keys at this name, and receivers may take the wrong one: delete the others.')
  }
  if (ours) return found('The key is published.')
  if (keys[0]!.get('p') === '') return different('The key at this name is revoked: publish the record shown here.')
  return different('Another key is published at this name, so signatures fail: replace it by the record shown here.')
}

function judgeSpf(_record: ExpectedRecord, values: readonly string[]): Verdict {
  const records = values.filter((text) => /^v=spf1(\s|$)/i.test(text))
  if (records.length === 0) return missing('SPF record')
  if (records.length > 1) {
    return different(`There are ${records.length} SPF records, and then receivers use none: make one of them.`)
  }
  const terms = records[0]!.toLowerCase().split(/\s+/).slice(1)
  if (terms.includes('all') || terms.includes('+all')) {
    return different('The SPF record lets every server send for you (all without ~ or -): end it with ~all.')
  }
  return found('There is an SPF record. Whether it names your mail server, its provider knows.')
}

function judgeDmarc(_record: ExpectedRecord, values: readonly string[]): Verdict {
  const records = values.filter((text) => /^v=dmarc1\s*(;|$)/i.test(text))
  if (records.length === 0) {
    return { state: 'missing', sentence: 'There is no DMARC record yet: publish it, unless a domain above has one.' }
  }
  if (records.length > 1) {
    return different(`There are ${records.length} DMARC records, and then receivers use none: delete the others.`)
  }
  const policy = tagsOf(records[0]!).get('p')?.toLowerCase()
  if (policy === undefined || !['none', 'quarantine', 'reject'].includes(policy)) {
    return different('The DMARC record has no policy (p=none, p=quarantine or p=reject): add one.')
  }
  return found(`The policy is ${policy}.`)
}

function judgeReturnPath({ value }: ExpectedRecord, values: readonly string[]): Verdict {
  if (values.length === 0) return missing('MX record')
  const host = (text: string) => text.replace(/^\d+ /, '').replace(/\.$/, '').toLowerCase()
  if (values.some((text) => host(text) === host(value ?? ''))) return found('Returned mail comes to this server.')
  if (values.every((text) => host(text) === '')) return different('The domain says that it takes no mail: replace it.')
  return different(
    'Returned mail goes to another host. That is right only if it forwards the mail to BOUNCE_SMTP_PORT.',
  )
}

function judgeLinks(_record: ExpectedRecord, values: readonly string[]): Verdict {
  return values.length === 0 ? missing('address at this name') : found('The host has an address.')
}

/** Reads `v=DKIM1; k=rsa; p=...`: the tags of a record. */
function tagsOf(text: string): Map<string, string> {
  const tags = text.split(';').flatMap((tag) => {
    const at = tag.indexOf('=')
    return at < 0 ? [] : [[tag.slice(0, at).trim().toLowerCase(), tag.slice(at + 1).replaceAll(/\s/g, '')] as const]
  })
  return new Map(tags)
}
