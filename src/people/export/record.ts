import type { HistorySummary } from '../history/history-store.ts'
import type { AppUseOf, ProfileRow } from '../profile/read-store.ts'
import type { RowKind, RowOf } from './person-rows.ts'
import { campaignsReceived, canvasesReceived, type OutlinedFlows } from './received-fields.ts'

/** The data from which the record of one person is built. */
export type RecordSource = {
  readonly profile: ProfileRow
  readonly service_id: string
  readonly flows: OutlinedFlows
  readonly names: ReadonlyMap<number, string>
  readonly apps: ReadonlyMap<string, { name: string; platform: string }>
  /** Returns the person's rows of a kind; empty when no requested field needs them. */
  rows<Kind extends RowKind>(kind: Kind): readonly RowOf<Kind>[]
}

/** Every field of specification 2.3, in the order of the recorded responses. Null and empty values are omitted from the record. */
const fields: Record<string, (source: RecordSource) => Record<string, unknown>> = {
  created_at: ({ profile }) => ({ created_at: profile.created_at }),
  external_id: ({ profile }) => ({ external_id: profile.external_id }),
  user_aliases: ({ rows }) => ({
    user_aliases: rows('aliases').map(({ alias_name, alias_label }) => ({ alias_name, alias_label })),
  }),
  service_id: ({ service_id }) => ({ service_id }),
  first_name: ({ profile }) => ({ first_name: profile.first_name }),
  last_name: ({ profile }) => ({ last_name: profile.last_name }),
  random_bucket: ({ profile }) => ({ random_bucket: profile.random_bucket }),
  email: ({ profile }) => ({ email: profile.email }),
  phone: ({ profile }) => ({ phone: profile.phone }),
  dob: ({ profile }) => ({ dob: profile.dob }),
  country: ({ profile }) => ({ country: profile.country }),
  home_city: ({ profile }) => ({ home_city: profile.home_city }),
  language: ({ profile }) => ({ language: profile.language }),
  gender: ({ profile }) => ({ gender: profile.gender }),
  time_zone: ({ profile }) => ({ time_zone: profile.time_zone }),
  last_coordinates: ({ profile: { longitude, latitude } }) => ({
    last_coordinates: longitude === null || latitude === null ? null : [longitude, latitude],
  }),
  custom_attributes: ({ profile }) => ({ custom_attributes: profile.custom }),
  custom_events: ({ rows, names }) => ({ custom_events: summaries(rows('events'), names) }),
  purchases: ({ rows, names }) => ({ purchases: summaries(rows('purchases'), names) }),
  total_revenue: ({ profile }) => ({ total_revenue: profile.total_revenue }),
  push_subscribe: ({ profile }) => ({
    push_subscribe: profile.push_subscribe,
    push_opted_in_at: profile.push_opted_in_at,
    push_unsubscribed_at: profile.push_unsubscribed_at,
  }),
  push_opted_in_at: ({ profile }) => ({ push_opted_in_at: profile.push_opted_in_at }),
  push_unsubscribed_at: ({ profile }) => ({ push_unsubscribed_at: profile.push_unsubscribed_at }),
  email_subscribe: ({ profile }) => ({
    email_subscribe: profile.email_subscribe,
    email_opted_in_at: profile.email_opted_in_at,
    email_unsubscribed_at: profile.email_unsubscribed_at,
  }),
  email_opted_in_at: ({ profile }) => ({ email_opted_in_at: profile.email_opted_in_at }),
  email_unsubscribed_at: ({ profile }) => ({ email_unsubscribed_at: profile.email_unsubscribed_at }),
  push_tokens: ({ rows, apps }) => ({
    push_tokens: rows('pushTokens').map(({ app_id, token, device_id, notifications_enabled }) => {
      const app = apps.get(app_id)
      return { app: app?.name ?? app_id, platform: app?.platform, token, device_id, notifications_enabled }
    }),
  }),
  apps: ({ rows, apps }) => ({
    apps: rows('appUse').map(({ app_id, version, sessions, first_used, last_used }) => {
      const app = apps.get(app_id)
      return withoutEmpty({
        name: app?.name ?? app_id,
        platform: app?.platform,
        version,
        sessions,
        first_used,
        last_used,
      })
    }),
  }),
  devices: ({ rows }) => ({ devices: rows('devices').map(({ profile_id: _, ...device }) => withoutEmpty(device)) }),
  attributed_campaign: ({ profile }) => ({ attributed_campaign: profile.attributed_campaign }),
  attributed_source: ({ profile }) => ({ attributed_source: profile.attributed_source }),
  attributed_adgroup: ({ profile }) => ({ attributed_adgroup: profile.attributed_adgroup }),
  attributed_ad: ({ profile }) => ({ attributed_ad: profile.attributed_ad }),
  campaigns_received: ({ rows, flows }) => ({ campaigns_received: campaignsReceived(rows('received'), flows) }),
  canvases_received: ({ rows, flows }) => ({
    canvases_received: canvasesReceived(rows('received'), rows('receivedSteps'), flows),
  }),
  cards_clicked: ({ rows }) => ({ cards_clicked: rows('cardClicks').map(({ card }) => ({ name: card })) }),
  uninstalled_at: ({ rows }) => ({ uninstalled_at: lastUninstalled(rows('appUse')) }),
}

/** These are present even when they are empty (docs/api-decisions.md). Other empty fields are omitted. */
const presentWhenEmpty = new Set(['user_aliases', 'custom_attributes', 'total_revenue'])

/** All fields; the caller replaces `service_id` with the configured word. */
export const recordFields: readonly string[] = Object.keys(fields)

/** Builds an entry of `users` with the requested fields (specification 2.3). `serviceIdName` is the configured word for `service_id`. */
export function recordOf(
  source: RecordSource,
  requested: ReadonlySet<string>,
  serviceIdName: string,
): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (const [field, read] of Object.entries(fields)) {
    if (!requested.has(field)) continue
    for (const [name, value] of Object.entries(read(source))) {
      if (isEmpty(value) && !presentWhenEmpty.has(name)) continue
      // JSON.stringify is slower for the whole record when it contains a Date.
      record[name === 'service_id' ? serviceIdName : name] = value instanceof Date ? value.toISOString() : value
    }
  }
  return record
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0)
}

function summaries(rows: readonly HistorySummary[], names: ReadonlyMap<number, string>): object[] {
  return rows.map(({ name_id, first, last, count }) => ({ name: names.get(name_id), first, last, count }))
}

/** Returns the members that are neither null nor empty. */
function withoutEmpty(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)))
}

/** Returns the latest time of an uninstall, of the apps that are not installed now. */
function lastUninstalled(appUse: readonly AppUseOf[]): Date | null {
  const [last = null] = appUse.flatMap(({ uninstalled_at }) => uninstalled_at ?? []).toSorted((a, b) => +b - +a)
  return last
}
