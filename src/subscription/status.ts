import type { Call } from '../base/call.ts'
import { invalid } from '../base/errors.ts'
import type { Query } from '../base/http/route.ts'
import { listProfiles, type ProfileRow } from '../profiles/export-store.ts'
import { findPeople } from '../profiles/find.ts'
import { type Identifier, readEmail, readExternalId, readPhone, toE164 } from '../profiles/identifier.ts'
import { type Person, placeOf } from '../profiles/ref.ts'
import type { Workspaces } from '../workspace/cache.ts'
import type { GroupRow } from '../workspace/store.ts'
import { type AddressPlace, listStates, type StateRow } from './store.ts'

const identifiersMax = 50
const limitMax = 100
/** People looked at for one shared e-mail or phone. */
const sharersMax = 1_000

export type UserStatus = {
  email: string | null
  phone: string | null
  external_id: string | null
  subscription_groups: { id: string; name: string; channel: string; status: 'Subscribed' | 'Unsubscribed' }[]
}

export type StatusAnswer = { users: UserStatus[]; total_count: number; message: 'success' }

export type StatusParts = { workspaces: Workspaces }

/** The groups of people found by external_id, e-mail or phone (specification 4.4): the union, each person once. */
export async function userStatus(call: Call, query: Query, parts: StatusParts): Promise<StatusAnswer> {
  const asked = readAsked(query)
  const offset = readWhole(query, 'offset', 0)
  const limit = Math.min(readWhole(query, 'limit', limitMax), limitMax)
  const found = await findPeople(call.db, call.workspace_id, asked, () => undefined, sharersMax)
  const people = [...new Map(found.flatMap((each) => each.people).map((one) => [one.profile_id, one])).values()]
  const page = people.slice(offset, offset + limit)
  const users = page.length === 0 ? [] : await statuses(call, page, parts)
  return { users, total_count: people.length, message: 'success' }
}

async function statuses(call: Call, page: readonly Person[], parts: StatusParts): Promise<UserStatus[]> {
  const profiles = await listProfiles(call.db, page)
  const places = profiles.flatMap((profile, i) => addressPlaces(call.workspace_id, profile, i + 1))
  const byId = new Map(page.map((one) => [one.profile_id, one]))
  const rows = await listStates(
    call.db,
    profiles.map((profile) => byId.get(profile.profile_id)!),
    places,
  )
  const groups = new Map(
    [...parts.workspaces.get(call.workspace_id).groups.values()].map((group) => [group.group_id, group]),
  )
  return profiles.map(({ email, phone, external_id }, i) => {
    const own = rows.filter((row) => row.n === i + 1)
    return { email, phone, external_id, subscription_groups: effective(own, groups) }
  })
}

/** The state in effect per group is the later stamp's, of those set for the person and those of the address of the group's channel. */
export function effective(
  rows: readonly StateRow[],
  groups: ReadonlyMap<number, GroupRow>,
): UserStatus['subscription_groups'] {
  const latest = new Map<number, StateRow>()
  for (const row of rows) {
    const group = groups.get(row.group_id)
    if (!group || !(row.kind === 'person' || (row.kind === 'email') === (group.channel === 'email'))) continue
    const before = latest.get(row.group_id)
    if (!before || Number(before.stamp_us) < Number(row.stamp_us)) latest.set(row.group_id, row)
  }
  return [...latest.values()].map((row) => {
    const { id, name, channel } = groups.get(row.group_id)!
    return { id, name, channel, status: row.state === 'subscribed' ? 'Subscribed' : 'Unsubscribed' }
  })
}

function addressPlaces(workspace_id: number, { email, phone }: ProfileRow, n: number): AddressPlace[] {
  const place = (kind: 'email' | 'phone', value: string): AddressPlace => {
    return { n, bucket: placeOf(workspace_id, kind, value).bucket, workspace_id, kind, value }
  }
  const number = phone === null ? undefined : toE164(phone)
  return [...(email === null ? [] : [place('email', email)]), ...(number === undefined ? [] : [place('phone', number)])]
}

const readers = { external_id: (text: string) => readExternalId(text, true), email: readEmail, phone: readPhone }

function readAsked(query: Query): Identifier[] {
  const asked: Identifier[] = []
  for (const [name, read] of Object.entries(readers)) {
    const given = (query[name] ?? []).filter((text) => text !== '')
    if (given.length > identifiersMax) throw invalid('The max number of ids per request was exceeded')
    for (const text of given) {
      const identifier = read(text)
      if (typeof identifier === 'string') throw invalid(identifier)
      asked.push(identifier)
    }
  }
  if (asked.length === 0) throw invalid('Either external_id, email or phone must be provided')
  return asked
}

function readWhole(query: Query, name: string, fallback: number): number {
  const text = query[name]?.[0]
  if (text === undefined || text === '') return fallback
  if (!/^\d{1,9}$/.test(text)) throw invalid(`'${name}' is not valid`)
  return Number(text)
}
