import { byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import { findCurrent } from '../../people/identity/current-store.ts'
import { type HashAddress, type Person, person } from '../../people/identity/person.ts'
import { personRows } from '../../people/identity/person-store.ts'
import { addressKeys, effectiveStates, kindOfAddress } from '../../people/subscription/effective-states.ts'
import { listStates } from '../../people/subscription/group-state-store.ts'
import type { GroupRow } from '../../workspace/settings/store.ts'
import type { TemplateVariables } from '../liquid/variables.ts'

/** Columns of `profile` that templates see under the same names. */
const fields = [
  ...['external_id', 'email', 'phone', 'first_name', 'last_name', 'gender', 'dob', 'country', 'home_city', 'language'],
  ...['time_zone', 'image_url', 'longitude', 'latitude', 'random_bucket', 'email_subscribe', 'push_subscribe'],
  ...[
    'email_opted_in_at',
    'email_unsubscribed_at',
    'push_opted_in_at',
    'push_unsubscribed_at',
    'date_of_first_session',
  ],
  ...['date_of_last_session', 'total_revenue', 'created_at'],
] as const
const columns = raw(fields.map((name) => `p.${name}`).join(', '))

export type VariableServices = {
  /** The subscription groups of the workspace, by their public ids. */
  readonly groups: ReadonlyMap<string, GroupRow>
  readonly hashAddress: HashAddress
  /** `service_id` of a person. */
  readonly formatServiceId: (profile_id: string) => string
}

/** The variables that are loaded only for texts that mention them. */
export type OptionalVariables = { readonly subscribed_state: boolean; readonly most_recently_used_device: boolean }

type PersonRow = Readonly<Record<string, unknown>> & {
  readonly n: number
  readonly bucket: number
  readonly profile_id: string
  readonly email: string | null
  readonly phone: string | null
  readonly email_subscribe: string
  readonly push_subscribe: string
  readonly custom: Readonly<Record<string, unknown>>
  readonly device: Readonly<Record<string, unknown>> | null
}

/** The optional variables of some texts. */
export function optionalVariablesIn(texts: readonly string[]): OptionalVariables {
  return {
    subscribed_state: mentions(texts, 'subscribed_state'),
    most_recently_used_device: mentions(texts, 'most_recently_used_device'),
  }
}

/** Returns whether texts may use a root of the variables, themselves or in a content block. */
export function mentions(texts: readonly string[], root: string): boolean {
  return texts.some((text) => text.includes(root) || text.includes('content_blocks'))
}

/**
 * Loads the variables of people, by the `profile_id` of the query: one statement, and one more for `subscribed_state`. A merged profile
 * gets the variables of the kept profile. Deleted people are omitted.
 */
export async function loadVariables(
  tx: Tx,
  workspace_id: number,
  people: readonly Person[],
  optional: OptionalVariables,
  services: VariableServices,
): Promise<Map<string, TemplateVariables>> {
  const rows = await listPeople(tx, people, optional.most_recently_used_device)
  const states = optional.subscribed_state ? await listSubscribedStates(tx, workspace_id, rows, services) : undefined
  return new Map(
    rows.map((row, i) => {
      const { n, profile_id, custom, device } = row
      const set = fields.flatMap((name) => (row[name] === null ? [] : [[name, row[name]] as const]))
      const standard = { ...Object.fromEntries(set), service_id: services.formatServiceId(profile_id) }
      const subscribed_state = states?.[i]
      const variables = {
        standard,
        custom,
        ...(subscribed_state && { subscribed_state }),
        ...(device && { most_recently_used_device: device }),
      }
      return [people[n - 1]!.profile_id, variables]
    }),
  )
}

/**
 * Selects the device of the latest session, or else the newest one. Its members have the names that templates of engagement platforms use.
 */
const deviceWithin = (part: ShardPart<unknown>): Sql => sql`left join lateral (
  select jsonb_build_object('id', d.device_id, 'model', d.model, 'os', d.os, 'carrier', d.carrier, 'idfa', d.idfa, 'idfv', d.idfv,
    'google_ad_id', d.google_ad_id, 'roku_ad_id', d.roku_ad_id) as device
  from device d
  left join lateral (
    select max(s.started_at) as at from app_session s
    where s.bucket = d.bucket and s.profile_id = d.profile_id and s.device_id = d.device_id ${withinPart(part, 's')}) used on true
  where d.bucket = p.bucket and d.profile_id = p.profile_id ${withinPart(part, 'd')}
  order by used.at desc nulls last, d.created_at desc, d.device_id limit 1) d on true`

function listPeople(tx: Tx, people: readonly Person[], withDevice: boolean): Promise<PersonRow[]> {
  return (tx.placement === undefined ? joinPeople : lookPeopleUp)(tx, people, withDevice)
}

const personColumns = (withDevice: boolean): Sql =>
  sql`p.bucket, p.profile_id, ${columns}, p.custom, ${withDevice ? sql`d.device` : sql`null::jsonb as device`}`

function joinPeople(tx: Tx, people: readonly Person[], withDevice: boolean): Promise<PersonRow[]> {
  return tx.query<PersonRow>(
    prepared(sql`
    select w.n::int as n, ${personColumns(withDevice)}
    from ${personRows(people)} with ordinality w(bucket, profile_id, n)
    join profile requested on requested.bucket = w.bucket and requested.profile_id = w.profile_id
    join profile p on p.bucket = coalesce(requested.merged_bucket, requested.bucket)
      and p.profile_id = coalesce(requested.merged_into, requested.profile_id) and p.merged_into is null
    ${withDevice ? deviceWithin({ items: [] }) : sql``} order by w.n`),
  )
}

/** Does the same in two steps, because the kept person may be on another shard. */
async function lookPeopleUp(tx: Tx, people: readonly Person[], withDevice: boolean): Promise<PersonRow[]> {
  const current = await findCurrent(tx, people)
  const wanted = people.flatMap(({ profile_id }, i) => {
    const found = current.get(profile_id)
    return found === undefined ? [] : [{ person: found, n: i + 1 }]
  })
  const rows = await byShardWithItems<PersonRow, (typeof wanted)[number]>(tx, wanted, (part) =>
    prepared(sql`
    select w.n::int as n, ${personColumns(withDevice)}
    from ${personRows(part.items.map((each) => each.person))} with ordinality w(bucket, profile_id, n)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id and p.merged_into is null ${withinPart(part, 'p')}
    ${withDevice ? deviceWithin(part) : sql``}`),
  )
  return rows.map(({ row, item }) => ({ ...row, n: item.n })).sort((one, other) => one.n - other.n)
}

/** Loads for each row the group states in effect, by the public ids of the groups, and the subscription states of both channels. */
async function listSubscribedStates(
  tx: Tx,
  workspace_id: number,
  rows: readonly PersonRow[],
  { groups, hashAddress }: VariableServices,
): Promise<Record<string, string>[]> {
  const people = rows.map(({ bucket, profile_id }) => person(bucket, profile_id))
  const addresses = rows.flatMap((row, i) => addressKeys(workspace_id, row, i + 1, hashAddress))
  const states = Map.groupBy(await listStates(tx, people, addresses), (state) => state.n)
  const byGroupId = new Map([...groups.values()].map((group) => [group.group_id, group]))
  return rows.map(({ email_subscribe, push_subscribe }, i) => {
    const own = effectiveStates(states.get(i + 1) ?? [], (group_id) => kindOfAddress(byGroupId.get(group_id)))
    const byPublicId = [...own].map(([group_id, state]) => [byGroupId.get(group_id)!.id, state])
    return { email_global: email_subscribe, push_global: push_subscribe, ...Object.fromEntries(byPublicId) }
  })
}
