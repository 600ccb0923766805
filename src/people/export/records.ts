import type { Tx } from '../../base/db/db.ts'
import { type Summary, summarizeEvents, summarizePurchases } from '../history/history.ts'
import type { Person } from '../identity/person.ts'
import {
  type AliasOf,
  type AppUseOf,
  type CardClickOf,
  type DeviceOf,
  listAliases,
  listAppUse,
  listCardClicks,
  listDevices,
  listProfiles,
  listPushTokens,
  type ProfileRow,
  type PushTokenOf,
} from '../profile/read-store.ts'
import type { FlowOutlines } from '../received/flow-outlines.ts'
import type { ReceivedRow, ReceivedStep } from '../received/received.ts'
import { listReceived, listReceivedSteps } from '../received/received-store.ts'
import type { OutlinedFlows } from './received.ts'
import { type Known, recordOf } from './record.ts'

/** How far back `custom_events` and `purchases` look (specification 8). */
export const summaryWindowMs = 90 * 24 * 60 * 60 * 1000

/** One snapshot for all reads of a page of people: a record never shows half of a merge. */
export const snapshot = ["transaction_isolation = 'repeatable read'", 'transaction_read_only = on']

/** What storage has of people, as far as the asked fields need it. */
export type Loaded = {
  profiles: ProfileRow[]
  aliases: ReadonlyMap<string, AliasOf[]>
  pushTokens: ReadonlyMap<string, PushTokenOf[]>
  appUse: ReadonlyMap<string, AppUseOf[]>
  devices: ReadonlyMap<string, DeviceOf[]>
  cardClicks: ReadonlyMap<string, CardClickOf[]>
  events: ReadonlyMap<string, Summary[]>
  purchases: ReadonlyMap<string, Summary[]>
  received: ReadonlyMap<string, ReceivedRow[]>
  receivedSteps: ReadonlyMap<string, ReceivedStep[]>
  flows: OutlinedFlows
}

const none: ReadonlyMap<string, never[]> = new Map()
const nothing: Loaded = {
  profiles: [],
  aliases: none,
  pushTokens: none,
  appUse: none,
  devices: none,
  cardClicks: none,
  events: none,
  purchases: none,
  received: none,
  receivedSteps: none,
  flows: new Map(),
}

/** Reads only what the asked fields need, events and purchases since a moment in epoch microseconds. */
export async function loadPeople(
  tx: Tx,
  people: readonly Person[],
  fields: ReadonlySet<string>,
  sinceUs: number,
  flowOutlines: FlowOutlines,
): Promise<Loaded> {
  if (people.length === 0) return nothing
  const wanted = <Row extends { profile_id: string }>(readers: readonly string[], read: () => Promise<Row[]>) =>
    readers.some((field) => fields.has(field)) ? read().then(byPerson) : none
  // Sent together, answered in order.
  const [profiles, aliases, pushTokens, appUse, devices, cardClicks, events, purchases, received, receivedSteps] =
    await Promise.all([
      listProfiles(tx, people),
      wanted(['user_aliases'], () => listAliases(tx, people)),
      wanted(['push_tokens'], () => listPushTokens(tx, people)),
      wanted(['apps', 'uninstalled_at'], () => listAppUse(tx, people)),
      wanted(['devices'], () => listDevices(tx, people)),
      wanted(['cards_clicked'], () => listCardClicks(tx, people)),
      fields.has('custom_events') ? summarizeEvents(tx, people, sinceUs) : none,
      fields.has('purchases') ? summarizePurchases(tx, people, sinceUs) : none,
      wanted(['campaigns_received', 'canvases_received'], () => listReceived(tx, people)),
      wanted(['canvases_received'], () => listReceivedSteps(tx, people)),
    ])
  const flow_ids = new Set([...received.values()].flat().map(({ flow_id }) => flow_id))
  const flows = await flowOutlines.read(tx, flow_ids)
  return {
    profiles,
    aliases,
    pushTokens,
    appUse,
    devices,
    cardClicks,
    events,
    purchases,
    received,
    receivedSteps,
    flows,
  }
}

/** The numbers of all names that the records will say. */
export function nameIdsIn({ events, purchases }: Loaded): Set<number> {
  const summaries = [...events.values(), ...purchases.values()].flat()
  return new Set(summaries.map((summary) => summary.name_id))
}

/** What turns rows into records; `serviceIdName` is how this service calls `service_id`. */
export type RecordWords = Pick<Known, 'names' | 'apps'> & {
  serviceIdName: string
  formatServiceId(profile_id: string): string
}

/** Exported records (specification 2.3) of the people that were loaded, in their order. */
export function recordsOf(
  loaded: Loaded,
  fields: ReadonlySet<string>,
  { names, apps, serviceIdName, formatServiceId }: RecordWords,
): Record<string, unknown>[] {
  return loaded.profiles.map((profile) => {
    const known = {
      profile,
      service_id: formatServiceId(profile.profile_id),
      aliases: loaded.aliases.get(profile.profile_id) ?? [],
      pushTokens: loaded.pushTokens.get(profile.profile_id) ?? [],
      appUse: loaded.appUse.get(profile.profile_id) ?? [],
      devices: loaded.devices.get(profile.profile_id) ?? [],
      cardClicks: loaded.cardClicks.get(profile.profile_id) ?? [],
      events: loaded.events.get(profile.profile_id) ?? [],
      purchases: loaded.purchases.get(profile.profile_id) ?? [],
      received: loaded.received.get(profile.profile_id) ?? [],
      receivedSteps: loaded.receivedSteps.get(profile.profile_id) ?? [],
      flows: loaded.flows,
      names,
      apps,
    }
    return recordOf(known, fields, serviceIdName)
  })
}

function byPerson<Row extends { profile_id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row[]> {
  return Map.groupBy(rows, (row) => row.profile_id)
}
