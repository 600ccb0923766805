import type { Call } from '../../base/call.ts'
import { findNamesById } from '../../workspace/names/names.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { type FoundPeople, findPeople } from '../identity/find-people.ts'
import type { Person } from '../identity/person.ts'
import type { FlowOutlines } from '../received/flow-outlines.ts'
import { readExport } from './read-request.ts'
import { loadPeople, nameIdsIn, recordsOf, snapshot, summaryWindowMs } from './records.ts'

export type ExportServices = {
  workspaces: Workspaces
  flowOutlines: FlowOutlines
  serviceName: string
  formatServiceId(profile_id: string): string
  parseServiceId(text: string): string | undefined
}

export type ExportReply = { users: Record<string, unknown>[]; invalid_user_ids?: string[]; message: 'success' }

/** People returned for one shared e-mail or phone, the most recently updated first. */
const ownersMax = 1_000

/** Whole profiles by identifier, only the asked fields (specification 4.5). */
export async function exportPeople(call: Call, body: unknown, parts: ExportServices): Promise<ExportReply> {
  const { serviceName, formatServiceId } = parts
  const { settings, apps } = parts.workspaces.get(call.workspace_id)
  const asked = readExport(body, serviceName, settings.export_all_fields ?? false)
  const sinceUs = (call.clock.now() - summaryWindowMs) * 1000
  const { found, loaded } = await call.db.transaction(
    async (tx) => {
      const who = [...asked.names.keys()]
      const found = await findPeople(tx, call.workspace_id, who, parts.parseServiceId, ownersMax)
      return { found, loaded: await loadPeople(tx, distinctPeople(found), asked.fields, sinceUs, parts.flowOutlines) }
    },
    { settings: snapshot },
  )
  const names = await findNamesById(call.db, nameIdsIn(loaded))
  const users = recordsOf(loaded, asked.fields, { names, apps, serviceIdName: `${serviceName}_id`, formatServiceId })
  const strangers = found.filter((each) => each.people.length === 0).map((each) => asked.names.get(each.identifier)!)
  return { users, ...(strangers.length > 0 && { invalid_user_ids: strangers }), message: 'success' }
}

/** Each person once, in the order asked. */
function distinctPeople(found: readonly FoundPeople[]): Person[] {
  return [...new Map(found.flatMap((each) => each.people).map((one) => [one.profile_id, one])).values()]
}
