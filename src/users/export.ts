import type { Call } from '../base/call.ts'
import type { Tx } from '../base/db/db.ts'
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
} from '../profiles/export-store.ts'
import { type Found, findPeople } from '../profiles/find.ts'
import { type Summary, summarizeEvents, summarizePurchases } from '../profiles/history.ts'
import type { Person } from '../profiles/ref.ts'
import type { Workspaces } from '../workspace/cache.ts'
import { namesOf } from '../workspace/names.ts'
import { readExport } from './export-request.ts'
import { recordOf } from './record.ts'

export type ExportParts = {
  workspaces: Workspaces
  serviceName: string
  formatServiceId(profile_id: string): string
  parseServiceId(text: string): string | undefined
}

export type ExportAnswer = { users: Record<string, unknown>[]; invalid_user_ids?: string[]; message: 'success' }

/** People returned for one shared e-mail or phone, the most recently updated first. */
const sharersMax = 1_000
const summaryWindowMs = 90 * 24 * 60 * 60 * 1000

/** One snapshot for all reads of an export: a record never shows half of a merge. */
const settings = ["transaction_isolation = 'repeatable read'", 'transaction_read_only = on']

/** Whole profiles by identifier, only the asked fields (specification 4.5). */
export async function exportIds(call: Call, body: unknown, parts: ExportParts): Promise<ExportAnswer> {
  const workspace = parts.workspaces.get(call.workspace_id)
  const asked = readExport(body, parts.serviceName, workspace.settings.export_all_fields ?? false)
  const sinceUs = (call.clock.now() - summaryWindowMs) * 1000
  const { found, loaded } = await call.db.transaction(
    async (tx) => {
      const who = [...asked.names.keys()]
      const found = await findPeople(tx, call.workspace_id, who, parts.parseServiceId, sharersMax)
      return { found, loaded: await load(tx, everybody(found), asked.fields, sinceUs) }
    },
    { settings },
  )
  const names = await namesOf(call.db, nameIdsIn(loaded))
  const users = loaded.profiles.map((profile) => {
    const known = {
      profile,
      service_id: parts.formatServiceId(profile.profile_id),
      aliases: loaded.aliases.get(profile.profile_id) ?? [],
      pushTokens: loaded.pushTokens.get(profile.profile_id) ?? [],
      appUse: loaded.appUse.get(profile.profile_id) ?? [],
      devices: loaded.devices.get(profile.profile_id) ?? [],
      cardClicks: loaded.cardClicks.get(profile.profile_id) ?? [],
      events: loaded.events.get(profile.profile_id) ?? [],
      purchases: loaded.purchases.get(profile.profile_id) ?? [],
      names,
      apps: workspace.apps,
    }
    return recordOf(known, asked.fields, `${parts.serviceName}_id`)
  })
  const strangers = found.filter((each) => each.people.length === 0).map((each) => asked.names.get(each.who)!)
  return { users, ...(strangers.length > 0 && { invalid_user_ids: strangers }), message: 'success' }
}

type Loaded = {
  profiles: ProfileRow[]
  aliases: ReadonlyMap<string, AliasOf[]>
  pushTokens: ReadonlyMap<string, PushTokenOf[]>
  appUse: ReadonlyMap<string, AppUseOf[]>
  devices: ReadonlyMap<string, DeviceOf[]>
  cardClicks: ReadonlyMap<string, CardClickOf[]>
  events: ReadonlyMap<string, Summary[]>
  purchases: ReadonlyMap<string, Summary[]>
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
}

/** Reads only what the asked fields need. */
async function load(tx: Tx, people: readonly Person[], fields: ReadonlySet<string>, sinceUs: number): Promise<Loaded> {
  if (people.length === 0) return nothing
  const wanted = <Row extends { profile_id: string }>(readers: readonly string[], read: () => Promise<Row[]>) =>
    readers.some((field) => fields.has(field)) ? read().then(byPerson) : none
  // Sent together, answered in order.
  const [profiles, aliases, pushTokens, appUse, devices, cardClicks, events, purchases] = await Promise.all([
    listProfiles(tx, people),
    wanted(['user_aliases'], () => listAliases(tx, people)),
    wanted(['push_tokens'], () => listPushTokens(tx, people)),
    wanted(['apps', 'uninstalled_at'], () => listAppUse(tx, people)),
    wanted(['devices'], () => listDevices(tx, people)),
    wanted(['cards_clicked'], () => listCardClicks(tx, people)),
    wanted(['custom_events'], () => summarizeEvents(tx, people, sinceUs)),
    wanted(['purchases'], () => summarizePurchases(tx, people, sinceUs)),
  ])
  return { profiles, aliases, pushTokens, appUse, devices, cardClicks, events, purchases }
}

function byPerson<Row extends { profile_id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row[]> {
  return Map.groupBy(rows, (row) => row.profile_id)
}

/** Each person once, in the order asked. */
function everybody(found: readonly Found[]): Person[] {
  return [...new Map(found.flatMap((each) => each.people).map((one) => [one.profile_id, one])).values()]
}

function nameIdsIn({ events, purchases }: Loaded): Set<number> {
  const summaries = [...events.values(), ...purchases.values()].flat()
  return new Set(summaries.map((summary) => summary.name_id))
}
