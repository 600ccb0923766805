import { int4Array, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { join, raw, type Sql, sql } from '../../base/db/sql.ts'
import { parseJson } from '../../base/parse-json.ts'
import { byHistorySource } from '../../people/history/history-store.ts'
import { addressHasher, type Person, person } from '../../people/identity/person.ts'
import { personRows } from '../../people/identity/person-store.ts'
import { listAppUse, listDevices } from '../../people/profile/read-store.ts'
import { addressKeys, effectiveStates } from '../../people/subscription/effective-states.ts'
import { listStates } from '../../people/subscription/group-state-store.ts'
import type { GroupState } from '../../people/subscription/membership-store.ts'
import type { Json } from '../../people/values/values.ts'
import { getInstallation } from '../../workspace/settings/installation-store.ts'
import { lastDaysSpan, propertiesHold } from './evaluate-value.ts'
import { columnOf, type FactNeeds, type Facts, type HistorySummary, type ProfileColumns } from './facts.ts'
import { findConditionCohorts, findHistoryNameIds, listConditionGroups } from './reference-ids-store.ts'
import { microsecondsOf } from './time-span-store.ts'
import type { HistoryFilter } from './tree.ts'

/** The most custom attributes that are selected one by one. For more, all attributes are loaded. */
const pickedAttributesMax = 40
/** From this number of expressions on, the attributes of a person are unpacked once for all of them. */
const unpackedAttributesMin = 2

/** The loaded columns of a profile. */
export type FactRow = { bucket: number; profile_id: string } & Pick<Facts, 'custom' | 'typed'> & Partial<ProfileColumns>

/**
 * Returns profiles with their attributes as `whole_custom` and `whole_typed`. A large attribute value is stored compressed, and every
 * expression that reads it unpacks all of it again. When there are several, `offset 0` keeps the planner from moving the unpacking into
 * each of them: it happens once for each person. It also keeps the planner from seeing the order of the statement, so `order` is given
 * where the first rows are wanted.
 */
export function profilesWith(attributesRead: number, where: Sql, order: Sql = raw('')): Sql {
  if (attributesRead < unpackedAttributesMin)
    return sql`(select p.*, p.custom as whole_custom, p.typed as whole_typed from profile p where ${where})`
  const [unpackedCustom, unpackedTyped] = [raw(`p.custom || '{}'`), raw(`p.typed || '{}'`)]
  return sql`(select p.*, ${unpackedCustom} as whole_custom, ${unpackedTyped} as whole_typed
    from profile p where ${where} ${order} offset 0)`
}

/** Returns the columns of profiles (`profilesWith`) that `needs` names. */
export function factColumns({ columns, custom }: FactNeeds): Sql {
  const own = [...columns].map((column) => raw(`p.${column}, `))
  const typed = raw(custom.size > 0 ? 'p.whole_typed' : `'{}'::jsonb`)
  return sql`${join(own, '')}${pickedAttributes(custom)} as custom, ${typed} as typed`
}

/** Completes loaded profiles with facts from other tables. */
export async function completeFacts(
  tx: Tx,
  workspace_id: number,
  rows: readonly FactRow[],
  needs: FactNeeds,
  nowMs: number,
): Promise<Facts[]> {
  const people = rows.map(({ bucket, profile_id }) => person(bucket, profile_id))
  const some = people.length > 0
  const [groups, cohorts, uses, devices, received, histories] = await Promise.all([
    some && needs.groups.size > 0 ? loadGroups(tx, workspace_id, rows, people, needs.groups) : noRows,
    some && needs.cohorts.size > 0 ? loadCohorts(tx, workspace_id, people, needs.cohorts) : noCohorts,
    some && needs.uses ? listAppUse(tx, people) : [],
    some && needs.devices ? listDevices(tx, people) : [],
    some && needs.received ? listReceived(tx, people) : [],
    some ? loadHistories(tx, workspace_id, people, needs.histories, nowMs) : noRows,
  ])
  const usesOf = Map.groupBy(uses, byProfile)
  const devicesOf = Map.groupBy(devices, byProfile)
  const receivedOf = Map.groupBy(received, byProfile)
  return rows.map((row, i) => {
    const { profile_id, custom, typed } = row
    return {
      ...{ person: people[i]!, columns: row, custom, typed },
      groups: groups.get(profile_id) ?? none,
      cohorts: cohorts.get(profile_id) ?? noCohort,
      uses: mapOf(usesOf.get(profile_id), (each) => [
        each.app_id,
        { first: msOf(each.first_used), last: msOf(each.last_used) },
      ]),
      devices: devicesOf.get(profile_id) ?? noDevices,
      receivedMs: mapOf(receivedOf.get(profile_id), ({ channel, at }) => [channel, at.getTime()]),
      histories: histories.get(profile_id) ?? none,
    }
  })
}

/** Builds a map of rows. Most people have no rows, so they share an empty map. */
function mapOf<Row, V>(
  rows: readonly Row[] | undefined,
  entryOf: (row: Row) => readonly [string, V],
): ReadonlyMap<string, V> {
  return rows ? new Map(rows.map(entryOf)) : none
}

const noCohort: Facts['cohorts'] = new Set()
const noCohorts: ReadonlyMap<string, Set<string>> = new Map()
const noDevices: Facts['devices'] = []
const none: ReadonlyMap<string, never> = new Map<string, never>()
const noRows: ReadonlyMap<string, typeof none> = new Map<string, typeof none>()

function pickedAttributes(names: ReadonlySet<string>): Sql {
  if (names.size === 0) return raw(`'{}'::jsonb`)
  if (names.size > pickedAttributesMax) return raw('p.whole_custom')
  const members = [...names].map((name) => sql`${name}::text, p.whole_custom -> ${name}::text`)
  return sql`jsonb_build_object(${join(members, ', ')})`
}

/** Loads the states in effect of these groups, by `profile_id` and the public id of the group. */
async function loadGroups(
  tx: Tx,
  workspace_id: number,
  profiles: readonly FactRow[],
  people: readonly Person[],
  ids: ReadonlySet<string>,
): Promise<Map<string, Map<string, GroupState>>> {
  const groups = new Map(
    (await listConditionGroups(tx, workspace_id, [...ids])).map((group) => [group.group_id, group]),
  )
  if (groups.size === 0) return new Map()
  const hashAddress = addressHasher((await getInstallation(tx)).secret)
  const addresses = profiles.flatMap((row, i) => {
    const [email, phone] = [columnOf({ columns: row }, 'email'), columnOf({ columns: row }, 'phone')]
    return addressKeys(workspace_id, { email, phone }, i + 1, hashAddress)
  })
  const rows = Map.groupBy(await listStates(tx, people, addresses), ({ n }) => n)
  return new Map(
    [...rows].map(([n, own]) => {
      const states = effectiveStates(own, (group_id) => groups.get(group_id)?.kind)
      const byPublicId = [...states].map(([group_id, state]) => [groups.get(group_id)!.id, state] as const)
      return [profiles[n - 1]!.profile_id, new Map(byPublicId)]
    }),
  )
}

/** Loads which of these cohorts people are in, by `profile_id`. */
async function loadCohorts(
  tx: Tx,
  workspace_id: number,
  people: readonly Person[],
  wanted: FactNeeds['cohorts'],
): Promise<Map<string, Set<string>>> {
  const numbers = await findConditionCohorts(tx, workspace_id, [...wanted.values()])
  const found = new Map<string, Set<string>>()
  if (numbers.size === 0) return found
  const keys = new Map([...numbers].map(([key, cohort_id]) => [cohort_id, key]))
  const rows = await byShard<{ profile_id: string; cohort_id: number }, Person>(
    tx,
    people,
    (part) => sql`
    select m.profile_id, m.cohort_id from ${personRows(part.items)} w(bucket, profile_id)
    join cohort_member m on m.bucket = w.bucket and m.profile_id = w.profile_id
    where m.cohort_id = any(${int4Array([...keys.keys()])}::int4[]) ${withinPart(part, 'm')}`,
  )
  for (const { profile_id, cohort_id } of rows) {
    found.getOrInsertComputed(profile_id, () => new Set()).add(keys.get(cohort_id)!)
  }
  return found
}

type ReceivedRow = { profile_id: string; channel: string; at: Date }

function listReceived(tx: Tx, people: readonly Person[]): Promise<ReceivedRow[]> {
  return byShard<ReceivedRow, Person>(
    tx,
    people,
    (part) => sql`
    select r.profile_id, r.channel, r.at from ${personRows(part.items)} w(bucket, profile_id)
    join last_received r on r.bucket = w.bucket and r.profile_id = w.profile_id ${withinPart(part, 'r')}`,
  )
}

/** A history to count, with the id of its name (null for any) and its time span. */
type CountedHistory = { key: string; what: HistoryFilter; name_id: number | null; fromUs: number; belowUs: number }

async function loadHistories(
  tx: Tx,
  workspace_id: number,
  people: readonly Person[],
  wanted: FactNeeds['histories'],
  nowMs: number,
): Promise<Map<string, Map<string, HistorySummary>>> {
  const found = new Map<string, Map<string, HistorySummary>>()
  if (wanted.size === 0) return found
  const names = await findHistoryNameIds(tx, workspace_id, [...wanted.values()])
  const counted = [...wanted].flatMap(([key, what]): CountedHistory[] => {
    const name_id = what.name === undefined ? null : names[what.of].get(what.name)
    const { fromMs, belowMs } = lastDaysSpan(what.days, nowMs)
    return name_id === undefined
      ? []
      : [{ key, what, name_id, fromUs: microsecondsOf(fromMs), belowUs: microsecondsOf(belowMs) }]
  })
  for (const kind of ['event', 'purchase'] as const) {
    for (const byProperties of [false, true]) {
      const some = counted.filter(({ what }) => what.of === kind && what.properties.length > 0 === byProperties)
      if (some.length === 0) continue
      for (const row of await listHappened(tx, people, kind, some, byProperties)) {
        const { key, what } = some[row.i - 1]!
        if (byProperties && !propertiesHold(what.properties, readProperties(row.properties))) continue
        const own = found.get(row.owner_id) ?? new Map<string, HistorySummary>()
        found.set(row.owner_id, own.set(key, addCounts(own.get(key), row)))
      }
    }
  }
  return found
}

type HappenedRow = { owner_id: string; i: number; properties: string | null; count: number; first: Date; last: Date }

/** Counts each history per person; with `byProperties`, per text of the properties too. */
function listHappened(
  tx: Tx,
  people: readonly Person[],
  of: HistoryFilter['of'],
  counted: readonly CountedHistory[],
  byProperties: boolean,
): Promise<HappenedRow[]> {
  const names = counted.map(({ name_id }) => name_id)
  const properties = raw(byProperties ? 'e.properties' : 'null::text')
  return byHistorySource<HappenedRow>(
    tx,
    people,
    (sources, part) => sql`${sources}
    select s.owner_id, h.* from sources s cross join lateral (
      select w.i::int as i, ${properties} as properties, ${raw(of === 'event' ? 'count(*)::int' : 'sum(e.quantity)::int')} as count,
        min(e.time) as first, max(e.time) as last
      from ${raw(of)} e join unnest(${int4Array(names)}::int4[],
        ${timestampArray(counted.map(({ fromUs }) => fromUs))}::timestamptz[],
        ${timestampArray(counted.map(({ belowUs }) => belowUs))}::timestamptz[]) with ordinality w(name_id, from_time, below, i)
        on (w.name_id is null or w.name_id = e.name_id) and e.time >= w.from_time and e.time < w.below
      where e.bucket = s.bucket and e.profile_id = s.profile_id ${withinPart(part, 'e')}
        and e.time >= (${timestampArray([Math.min(...counted.map(({ fromUs }) => fromUs))])}::timestamptz[])[1]
        ${names.includes(null) ? raw('') : sql`and e.name_id = any(${int4Array(names)}::int4[])`}
      group by 1, 2) h`,
  )
}

/** Reads properties, which are stored as JSON text; null when there are none. */
function readProperties(text: string | null): Json {
  return text === null ? {} : (parseJson(text) as Json)
}

function addCounts(before: HistorySummary | undefined, { count, first, last }: HappenedRow): HistorySummary {
  const row = { count, first: first.getTime(), last: last.getTime() }
  if (before === undefined) return row
  return {
    count: before.count + row.count,
    first: Math.min(before.first, row.first),
    last: Math.max(before.last, row.last),
  }
}

function byProfile({ profile_id }: { profile_id: string }): string {
  return profile_id
}

function msOf(at: Date | null): number | null {
  return at === null ? null : at.getTime()
}
