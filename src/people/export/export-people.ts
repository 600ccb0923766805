import type { Call } from '../../base/call.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { invalid } from '../../base/errors.ts'
import { findNamesById } from '../../workspace/names/names.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { type FoundPeople, findPeople } from '../identity/find-people.ts'
import type { Person } from '../identity/person.ts'
import type { FlowOutlines } from '../received/flow-outlines.ts'
import { readExport } from './read-request.ts'
import { type LoadedPeople, loadPeople, nameIdsIn, recordsOf, summaryWindowMs } from './records.ts'
import { exportBytesMax, exportTooLarge } from './schema.ts'

export type ExportServices = {
  workspaces: Workspaces
  flowOutlines: FlowOutlines
  serviceName: string
  formatServiceId(profile_id: string): string
  parseServiceId(text: string): string | undefined
}

export type ExportReply = { users: Record<string, unknown>[]; invalid_user_ids?: string[]; message: 'success' }

/** The most people that are returned for one address, the most recently updated first. */
const ownersMax = 1_000

/** From this weight of attributes and this number of other rows on, the bytes of a page are measured. */
const measuredWeightMin = 1_048_576
const measuredRowsMin = 10_000

/** Exports the requested fields of profiles, by identifier (specification 4.5). Throws 400 when the answer would be too large. */
export async function exportPeople(call: Call, body: unknown, services: ExportServices): Promise<ExportReply> {
  const { serviceName, formatServiceId } = services
  const { settings, apps } = services.workspaces.get(call.workspace_id)
  const request = readExport(body, serviceName, settings.export_all_fields ?? false)
  const sinceUs = summarySinceUs(call)
  const { found, first } = await call.db.transaction(
    async (tx) => {
      const who = [...request.names.keys()]
      const found = await findPeople(tx, call.workspace_id, who, services.parseServiceId, ownersMax)
      return {
        found,
        first: await loadPeople(tx, distinctPeople(found), request.fields, sinceUs, services.flowOutlines),
      }
    },
    { settings: readOnlySnapshot },
  )
  const users: Record<string, unknown>[] = []
  let bytes = 0
  for (let page: LoadedPeople | undefined = first; page; ) {
    const names = await findNamesById(call.db, nameIdsIn(page))
    const words = { names, apps, serviceIdName: `${serviceName}_id`, formatServiceId }
    const records = recordsOf(page, request.fields, words)
    if (page !== first || isLarge(page)) bytes += Buffer.byteLength(JSON.stringify(records))
    if (bytes > exportBytesMax) throw invalid(exportTooLarge)
    for (const record of records) users.push(record)
    const { rest }: LoadedPeople = page
    if (rest.length === 0) break
    page = await call.db.transaction((tx) => loadPeople(tx, rest, request.fields, sinceUs, services.flowOutlines), {
      settings: readOnlySnapshot,
    })
  }
  const unknown = found.filter((each) => each.people.length === 0).map((each) => request.names.get(each.identifier)!)
  return { users, ...(unknown.length > 0 && { invalid_user_ids: unknown }), message: 'success' }
}

/** From when on events and purchases are summarised, in epoch microseconds. */
export function summarySinceUs({ clock }: Call): number {
  return (clock.now() - summaryWindowMs) * 1000
}

/** Whether the answer may become too large: the only page of an answer is not measured when it has little. */
function isLarge({ rest, weight, rows }: LoadedPeople): boolean {
  if (rest.length > 0 || weight > measuredWeightMin) return true
  const counts = Object.values(rows).flatMap((byPerson) => [...byPerson.values()].map(({ length }) => length))
  return counts.reduce((sum, count) => sum + count, 0) > measuredRowsMin
}

/** Returns each person once, in the order of the request. */
function distinctPeople(found: readonly FoundPeople[]): Person[] {
  return [...new Map(found.flatMap((each) => each.people).map((one) => [one.profile_id, one])).values()]
}
