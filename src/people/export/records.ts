import type { Tx } from '../../base/db/db.ts'
import type { Person } from '../identity/person.ts'
import { listProfiles, type ProfileRow } from '../profile/read-store.ts'
import type { FlowOutlines } from '../received/flow-outlines.ts'
import { noRows, type PersonRows, readPersonRows } from './person-rows.ts'
import type { OutlinedFlows } from './received-fields.ts'
import { type RecordSource, recordOf } from './record.ts'

/** How far back `custom_events` and `purchases` look (specification 8). */
export const summaryWindowMs = 90 * 24 * 60 * 60 * 1000

/** One snapshot for all reads of a page of people: a record never shows half of a merge. */
export const snapshot = ["transaction_isolation = 'repeatable read'", 'transaction_read_only = on']

/** What storage has of people, as far as the asked fields need it. */
export type LoadedPeople = { profiles: ProfileRow[]; rows: PersonRows; flows: OutlinedFlows }

/** Reads only what the asked fields need, events and purchases since a moment in epoch microseconds. */
export async function loadPeople(
  tx: Tx,
  people: readonly Person[],
  fields: ReadonlySet<string>,
  sinceUs: number,
  flowOutlines: FlowOutlines,
): Promise<LoadedPeople> {
  if (people.length === 0) return { profiles: [], rows: noRows, flows: new Map() }
  const [profiles, rows] = await Promise.all([listProfiles(tx, people), readPersonRows(tx, people, fields, sinceUs)])
  const flow_ids = new Set([...rows.received.values()].flat().map(({ flow_id }) => flow_id))
  return { profiles, rows, flows: await flowOutlines.read(tx, flow_ids) }
}

/** The ids of all names that the records will say. */
export function nameIdsIn({ rows }: LoadedPeople): Set<number> {
  const summaries = [...rows.events.values(), ...rows.purchases.values()].flat()
  return new Set(summaries.map((summary) => summary.name_id))
}

/** What turns rows into records; `serviceIdName` is how this service calls `service_id`. */
export type RecordWords = Pick<RecordSource, 'names' | 'apps'> & {
  serviceIdName: string
  formatServiceId(profile_id: string): string
}

/** Exported records (specification 2.3) of the people that were loaded, in their order. */
export function recordsOf(
  { profiles, rows, flows }: LoadedPeople,
  fields: ReadonlySet<string>,
  { names, apps, serviceIdName, formatServiceId }: RecordWords,
): Record<string, unknown>[] {
  return profiles.map((profile) => {
    const { profile_id } = profile
    const source: RecordSource = {
      ...{ profile, service_id: formatServiceId(profile_id), flows, names, apps },
      rows: (kind) => rows[kind].get(profile_id) ?? [],
    }
    return recordOf(source, fields, serviceIdName)
  })
}
