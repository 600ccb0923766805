import type { Call } from '../../base/call.ts'
import { notFound } from '../../base/errors.ts'
import { exceeded } from '../../base/http/rate-headers.ts'
import { deleteOldWindows, takeFromWindow } from '../../base/http/rate-store.ts'
import { getWorkspace } from '../../workspace/settings/selected.ts'
import { dkimRecord } from '../mail/dkim-keys-config-section.ts'
import { listDkimKeys } from '../mail/secret-store.ts'
import { askDns } from './ask-dns.ts'
import { type ExpectedRecord, expectedRecords, type MailHosts, mayAsk } from './expected-records.ts'
import { judgeRecord, unasked, whyNotAsked } from './judge-record.ts'
import { checksPerMinuteMax, type DomainReply } from './schema.ts'

export type DomainServices = {
  readonly mailHosts: MailHosts
  /** The DNS servers to ask; those of the machine when undefined. */
  readonly dnsServers: readonly string[] | undefined
}

const lengthMs = 60_000

/** Returns the records that DNS should have for the domain of a DKIM key. Throws 404. */
export async function readDomain(
  call: Call,
  services: DomainServices,
  id: string,
  workspace?: string,
): Promise<DomainReply> {
  const { domain, records } = await findDomain(call, services, id, workspace)
  return { domain, records: records.map(unasked) }
}

/** Asks DNS what it has now. Throws 404, and 429 when a workspace asks too often. */
export async function checkDomain(
  call: Call,
  services: DomainServices,
  id: string,
  workspace?: string,
): Promise<DomainReply> {
  const { domain, records, workspace_id } = await findDomain(call, services, id, workspace)
  await countCheck(call, workspace_id)
  const asked = records.filter((record) => whyNotAsked(record) === undefined)
  const foreign = asked.find(({ name }) => !mayAsk(name, domain, services.mailHosts))
  if (foreign) throw new Error(`the check of ${domain} would ask for ${foreign.name}`)
  const answers = await askDns(asked, services.dnsServers)
  return {
    domain,
    records: records.map((record) => {
      const failure = whyNotAsked(record)
      return judgeRecord(record, failure === undefined ? answers[asked.indexOf(record)]! : { failure })
    }),
  }
}

async function findDomain(
  { db }: Call,
  { mailHosts }: DomainServices,
  id: string,
  workspace: string | undefined,
): Promise<{ domain: string; records: ExpectedRecord[]; workspace_id: number }> {
  const { workspace_id } = await getWorkspace(db, workspace)
  const key = (await listDkimKeys(db, workspace_id)).find((each) => each.id === id)
  if (key === undefined) throw notFound(`There is no dkim_key ${JSON.stringify(id)}`)
  const { name, value } = dkimRecord(key)
  return { domain: key.name, records: expectedRecords(key.name, { name, value }, mailHosts), workspace_id }
}

async function countCheck({ db, clock }: Call, workspace_id: number): Promise<void> {
  const nowMs = clock.elapsed()
  const startMs = Math.floor(nowMs / lengthMs) * lengthMs
  const key = { workspace_id, name: 'domain_checks/per_minute', startMs, lengthMs }
  const used = await takeFromWindow(db, key, 1, checksPerMinuteMax)
  if (used === undefined) throw exceeded({ size: checksPerMinuteMax, remaining: 0, endMs: startMs + lengthMs }, nowMs)
  if (used === 0) await deleteOldWindows(db, key)
}
