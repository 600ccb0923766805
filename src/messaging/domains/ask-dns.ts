import { Resolver } from 'node:dns/promises'
import type { ExpectedRecord } from './expected-records.ts'
import type { DnsAnswer } from './judge-record.ts'
import { checkMsMax, questionMsMax, valueCharactersMax, valuesMax } from './schema.ts'

/** No record of this type, and no such name. */
const nothing: readonly unknown[] = ['ENODATA', 'ENOTFOUND']

const failures: Readonly<Record<string, string>> = {
  ETIMEOUT: 'The DNS servers did not answer in time. Try again.',
  ECANCELLED: 'The DNS servers did not answer in time. Try again.',
  ECONNREFUSED: 'The DNS servers cannot be reached from this machine.',
  ESERVFAIL: 'The DNS servers could not find the answer: the name servers of the domain may be down or misconfigured.',
  EREFUSED: 'The DNS servers refused the question.',
}

/** Asks DNS for some records, all at once, within a deadline. `servers`: those of the machine when undefined. Never throws. */
export async function askDns(
  records: readonly Pick<ExpectedRecord, 'name' | 'type'>[],
  servers: readonly string[] | undefined,
  msMax = checkMsMax,
): Promise<DnsAnswer[]> {
  const resolver = new Resolver({ timeout: questionMsMax, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  const timer = setTimeout(() => resolver.cancel(), msMax)
  try {
    return await Promise.all(records.map((record) => ask(resolver, record)))
  } finally {
    clearTimeout(timer)
  }
}

async function ask(resolver: Resolver, { name, type }: Pick<ExpectedRecord, 'name' | 'type'>): Promise<DnsAnswer> {
  try {
    const values = await valuesOf(resolver, name, type)
    return { values: values.slice(0, valuesMax).map((value) => value.slice(0, valueCharactersMax)) }
  } catch (error) {
    const code = (error as { code?: unknown }).code
    if (nothing.includes(code)) return { values: [] }
    // A DNS server that fails is part of the answer.
    return { failure: failures[String(code)] ?? 'The question to DNS failed. Try again.' }
  }
}

async function valuesOf(resolver: Resolver, name: string, type: ExpectedRecord['type']): Promise<string[]> {
  if (type === 'TXT') return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
  if (type === 'MX') return (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${exchange}`)
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = [four, six].flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  if (addresses.length === 0 && four.status === 'rejected') throw four.reason
  return addresses
}
