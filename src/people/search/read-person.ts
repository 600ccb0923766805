import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { findNamesById } from '../../workspace/names/names.ts'
import { type HashedAddress, listSuppressionReasons } from '../addresses/suppression-store.ts'
import { listCohortsOf } from '../cohorts/member-store.ts'
import { listConfirmationsOf } from '../confirmations/confirmation-store.ts'
import { describeConfirmations } from '../confirmations/describe.ts'
import type { ExportServices } from '../export/export-people.ts'
import { recordFields } from '../export/record.ts'
import { loadPeople, nameIdsIn, recordsOf, summaryWindowMs } from '../export/records.ts'
import { bucketsOf, type HashAddress, type Person } from '../identity/person.ts'
import { listStatuses } from '../subscription/user-status.ts'
import { findPathPerson, unknownPerson } from './find-path-person.ts'
import { personListMax } from './schema.ts'
import { sentenceOf } from './sentence.ts'
import { summaryOf } from './summary.ts'
import { listSummaries } from './summary-store.ts'

export type PersonServices = ExportServices & { readonly hashAddress: HashAddress }

const allFields: ReadonlySet<string> = new Set(recordFields)

/** Reads everything that is kept about one person, as of one moment. A merged person leads to the person who was kept. Throws 404. */
export async function readPerson(call: Call, workspace_id: number, id: string, services: PersonServices) {
  const { db, clock } = call
  const { workspaces, serviceName, formatServiceId } = services
  const sinceUs = (clock.now() - summaryWindowMs) * 1000
  const { loaded, askedId, ...described } = await db.transaction(
    async (tx) => {
      const { found, askedId } = await findPathPerson(tx, workspace_id, id, services)
      const described = await describePerson(tx, workspace_id, found, { ...services, clock })
      return { ...described, askedId, loaded: await loadPeople(tx, [found], allFields, sinceUs, services.flowOutlines) }
    },
    { settings: readOnlySnapshot },
  )
  const { apps } = workspaces.get(workspace_id)
  const names = await findNamesById(db, nameIdsIn(loaded))
  const words = { names, apps, serviceIdName: `${serviceName}_id`, formatServiceId }
  const [record = {}] = recordsOf(loaded, allFields, words)
  const merged_from = described.person.id === formatServiceId(askedId) ? null : formatServiceId(askedId)
  return { ...described, merged_from, ...limitLists(record) }
}

type DescribeServices = PersonServices & Pick<Call, 'clock'>

async function describePerson(tx: Tx, workspace_id: number, found: Person, services: DescribeServices) {
  const { workspaces, hashAddress, formatServiceId, clock } = services
  const [row] = await listSummaries(tx, [found])
  if (!row) throw unknownPerson()
  const { groups } = workspaces.get(workspace_id)
  const byNumber = new Map([...groups.values()].map((group) => [group.group_id, group]))
  const [status] = await listStatuses({ db: tx, workspace_id }, [found], byNumber, services)
  const { email } = row
  const suppressions =
    email === null ? [] : await listSuppressionReasons(tx, hashedEmail(workspace_id, email, hashAddress))
  return {
    person: summaryOf(row, formatServiceId),
    sentence: sentenceOf(row, suppressions),
    email_suppressions: suppressions,
    subscription_groups: status?.subscription_groups ?? [],
    confirmations: describeConfirmations(await listConfirmationsOf(tx, [found]), clock.now()),
    cohorts: await listCohortsOf(tx, found),
  }
}

function hashedEmail(workspace_id: number, email: string, hashAddress: HashAddress): HashedAddress {
  const { bucket } = bucketsOf(workspace_id, 'email', email)
  return { bucket, workspace_id, value: hashAddress(workspace_id, 'email', email) }
}

/** Shortens the lists of a record, and returns the lengths of those it has shortened. */
function limitLists(record: Record<string, unknown>) {
  const long = Object.entries(record).filter(([, list]) => Array.isArray(list) && list.length > personListMax)
  const shortened = Object.fromEntries(long.map(([name, list]) => [name, (list as unknown[]).slice(0, personListMax)]))
  return {
    record: { ...record, ...shortened },
    list_totals: Object.fromEntries(long.map(([name, list]) => [name, (list as unknown[]).length])),
  }
}
