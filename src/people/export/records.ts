import type { Tx } from '../../base/db/db.ts'
import type { Person } from '../identity/person.ts'
import { listProfilePage, type ProfileRow } from '../profile/read-store.ts'
import type { FlowOutlines } from '../received/flow-outlines.ts'
import { noRows, type PersonRows, readPersonRows } from './person-rows.ts'
import type { OutlinedFlows } from './received-fields.ts'
import { type RecordSource, recordOf } from './record.ts'

/** How far back `custom_events` and `purchases` reach (specification 8). */
export const summaryWindowMs = 90 * 24 * 60 * 60 * 1000

/** The most people that are loaded at a time, and what the attributes of several may weigh (`listProfilePage`). */
const pagePeopleMax = 250
const pageWeightMax = 4 * 1_048_576

/** The data of people that the requested fields need. `weight`: of their attributes. `rest`: the people of the next page. */
export type LoadedPeople = {
  profiles: ProfileRow[]
  rows: PersonRows
  flows: OutlinedFlows
  weight: number
  rest: readonly Person[]
}

/**
 * Reads the data that the requested fields need, of the first people that fit into a page. Reads events and purchases since `sinceUs`
 * (epoch microseconds).
 */
export async function loadPeople(
  tx: Tx,
  people: readonly Person[],
  fields: ReadonlySet<string>,
  sinceUs: number,
  flowOutlines: FlowOutlines,
): Promise<LoadedPeople> {
  if (people.length === 0) return { profiles: [], rows: noRows, flows: new Map(), weight: 0, rest: [] }
  const page = people.slice(0, pagePeopleMax)
  const [profiles, rows] = await Promise.all([
    listProfilePage(tx, page, pageWeightMax),
    readPersonRows(tx, page, fields, sinceUs),
  ])
  // People who were removed have no profile: without any profile there is nobody on the page.
  const { n: reached, weight } = profiles.at(-1) ?? { n: page.length, weight: 0 }
  const flow_ids = new Set([...rows.received.values()].flat().map(({ flow_id }) => flow_id))
  const flows = await flowOutlines.read(tx, flow_ids)
  return { profiles, rows, flows, weight, rest: people.slice(reached) }
}

/** Returns the ids of the names of events and products in the records. */
export function nameIdsIn({ rows }: LoadedPeople): Set<number> {
  const summaries = [...rows.events.values(), ...rows.purchases.values()].flat()
  return new Set(summaries.map((summary) => summary.name_id))
}

/** The services that records need besides rows. `serviceIdName` is the configured word for `service_id`. */
export type RecordWords = Pick<RecordSource, 'names' | 'apps'> & {
  serviceIdName: string
  formatServiceId(profile_id: string): string
}

/** Builds the records (specification 2.3) of the loaded people, in their order. */
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
