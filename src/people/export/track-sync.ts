import type { Call } from '../../base/call.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import type { Request } from '../../base/http/route.ts'
import { findNamesById } from '../../workspace/names/names.ts'
import { findPeople } from '../identity/find-people.ts'
import { aliasParts, type Identifier } from '../identity/identifier.ts'
import type { SplitTrack } from '../intake/split-track.ts'
import { applyTrack, type TrackServices, type TrackSizes } from '../intake/track.ts'
import { type ExportServices, summarySinceUs } from './export-people.ts'
import { loadPeople, nameIdsIn, recordsOf } from './records.ts'
import type { Summary, TrackSyncReply } from './track-sync-schema.ts'

export type TrackSyncServices = ExportServices & TrackServices

const oneObject: TrackSizes = { batchMax: 1, batchMaxPerArray: null, perPersonMax: null }

/** What the object of a request changed: the field of an export that shows it, and the names in that field. */
type Touched = {
  readonly identifier: Identifier
  readonly field: 'custom_attributes' | 'custom_events' | 'purchases'
  readonly names: ReadonlySet<string>
}

/**
 * Applies one object as `/users/track` does, and returns its person with what the object changed. Throws 400 if it is
 * refused.
 */
export async function trackSync(call: Call, request: Request, services: TrackSyncServices): Promise<TrackSyncReply> {
  const split = await applyTrack(call, request, oneObject, services)
  const touched = touchedBy(split)
  // An import of tokens creates anonymous people, which no identifier names.
  const users = touched.identifier.kind === 'push_token' ? [] : await readTouched(call, touched, services)
  return { users, ...split.notices.members(), message: 'success' }
}

function touchedBy({ attributes, events, purchases }: SplitTrack): Touched {
  const [item] = attributes
  if (item !== undefined) {
    const { custom, removed, operations } = item.change
    const names = new Set([...Object.keys(custom ?? {}), ...removed, ...operations.map(({ key }) => key)])
    return { identifier: item.identifier, field: 'custom_attributes', names }
  }
  const [event] = events
  if (event !== undefined) {
    return { identifier: event.identifier, field: 'custom_events', names: new Set([event.name]) }
  }
  const { identifier, product_id } = purchases[0]!
  return { identifier, field: 'purchases', names: new Set([product_id]) }
}

async function readTouched(
  call: Call,
  { identifier, field, names: touched }: Touched,
  { workspaces, flowOutlines, serviceName, formatServiceId, parseServiceId }: TrackSyncServices,
): Promise<TrackSyncReply['users']> {
  const fields = new Set([field])
  const page = await call.db.transaction(
    async (tx) => {
      const [found] = await findPeople(tx, call.workspace_id, [identifier], parseServiceId, 1)
      return loadPeople(tx, found!.people, fields, summarySinceUs(call), flowOutlines)
    },
    { settings: readOnlySnapshot },
  )
  const serviceIdName = `${serviceName}_id`
  const names = await findNamesById(call.db, nameIdsIn(page))
  const { apps } = workspaces.get(call.workspace_id)
  return recordsOf(page, fields, { names, apps, serviceIdName, formatServiceId }).map((record) => ({
    ...identifierMember(identifier, serviceIdName),
    ...shown(record, field, touched),
  }))
}

function identifierMember({ kind, value }: Identifier, serviceIdName: string): Record<string, unknown> {
  if (kind === 'alias') return { user_alias: aliasParts(value) }
  return { [kind === 'service_id' ? serviceIdName : kind]: value }
}

/** Returns the values of the names that were touched. A removed attribute has none. */
function shown(record: Record<string, unknown>, field: Touched['field'], touched: ReadonlySet<string>) {
  if (field === 'custom_attributes') {
    const all = Object.entries(record.custom_attributes as Record<string, unknown>)
    return { custom_attributes: Object.fromEntries(all.filter(([name]) => touched.has(name))) }
  }
  const summaries = ((record[field] ?? []) as readonly Summary[]).filter(({ name }) => touched.has(name))
  return field === 'purchases' ? { purchase_events: summaries } : { custom_events: summaries }
}
