import type { Call } from '../../base/call.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { findNamesById } from '../../workspace/names/names.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { type FoundPeople, findPeople } from '../identity/find-people.ts'
import type { Person } from '../identity/person.ts'
import type { FlowOutlines } from '../received/flow-outlines.ts'
import { readExport } from './read-request.ts'
import { loadPeople, nameIdsIn, recordsOf, summaryWindowMs } from './records.ts'

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

/** Exports the requested fields of profiles, by identifier (specification 4.5). */
export async function exportPeople(call: Call, body: unknown, services: ExportServices): Promise<ExportReply> {
  const { serviceName, formatServiceId } = services
  const { settings, apps } = services.workspaces.get(call.workspace_id)
  const request = readExport(body, serviceName, settings.export_all_fields ?? false)
  const sinceUs = (call.clock.now() - summaryWindowMs) * 1000
  const { found, loaded } = await call.db.transaction(
    async (tx) => {
      const who = [...request.names.keys()]
      const found = await findPeople(tx, call.workspace_id, who, services.parseServiceId, ownersMax)
      return {
        found,
        loaded: await loadPeople(tx, distinctPeople(found), request.fields, sinceUs, services.flowOutlines),
      }
    },
    { settings: readOnlySnapshot },
  )
  const names = await findNamesById(call.db, nameIdsIn(loaded))
  const users = recordsOf(loaded, request.fields, { names, apps, serviceIdName: `${serviceName}_id`, formatServiceId })
  const unknown = found.filter((each) => each.people.length === 0).map((each) => request.names.get(each.identifier)!)
  return { users, ...(unknown.length > 0 && { invalid_user_ids: unknown }), message: 'success' }
}

/** Returns each person once, in the order of the request. */
function distinctPeople(found: readonly FoundPeople[]): Person[] {
  return [...new Map(found.flatMap((each) => each.people).map((one) => [one.profile_id, one])).values()]
}
