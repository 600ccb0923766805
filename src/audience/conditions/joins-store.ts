import { int4Array } from '../../base/db/arrays.ts'
import { join, raw, type Sql, sql } from '../../base/db/sql.ts'
import type { GroupState } from '../../people/subscription/membership-store.ts'
import { lastDaysSpan, type TimeSpan } from './evaluate-value.ts'
import { historyKey } from './facts.ts'
import type { ConditionGroup, HistoryNameIds } from './reference-ids-store.ts'
import { timestampOf } from './time-span-store.ts'
import type { HistoryFilter } from './tree.ts'
import { memberCondition } from './value-to-sql-store.ts'

/** The buckets that a statement reads. */
export type BucketRange = { readonly from: number; readonly below: number }

/** The joins that a tree needs besides `profile p`. Each has at most one row per person, so that no person is returned twice. */
export type Joins = {
  /** Adds an aggregate of a person's rows in a table (alias `x`), such as `max(x.at)`; null for a person without rows. */
  column(table: JoinedTable, aggregate: Sql): Sql
  /** Adds whether a state of a group is in effect. Returns undefined when there are too many groups for one statement. */
  group(group: ConditionGroup, state: GroupState): Sql | undefined
  /** Adds whether a person is in a cohort. Returns undefined when there are too many cohorts for one statement. */
  cohort(cohort_id: number): Sql | undefined
  history(what: HistoryFilter): HistoryColumns
  toSql(): Sql
}

export type JoinedTable = 'app_use' | 'device' | 'last_received'

/** `count` is null for a person without history. Without `isExact`, it may be too high: only JavaScript can test some properties. */
export type HistoryColumns = {
  readonly isExact: boolean
  count(): Sql
  first(): Sql
  last(): Sql
}

/** The most groups of one statement. Each takes two joins. */
const groupJoinsMax = 6
/** The most cohorts of one statement. Each takes a join. */
const cohortJoinsMax = 12

export function openJoins(
  workspace_id: number,
  names: HistoryNameIds,
  nowMs: number,
  buckets: BucketRange | undefined,
): Joins {
  const columns = new Map<string, Sql[]>()
  const numbers = new Map<string, number>()
  const groups = new Map<number, { group: ConditionGroup; states: Set<GroupState> }>()
  const cohorts = new Map<number, Sql>()
  const histories = { event: openHistoryJoin('event', buckets), purchase: openHistoryJoin('purchase', buckets) }

  function column(table: JoinedTable, aggregate: Sql): Sql {
    const key = `${table} ${aggregate.text} ${aggregate.values.map(String).join('\u001f')}`
    const list = columns.get(table) ?? []
    columns.set(table, list)
    let number = numbers.get(key)
    if (number === undefined) {
      number = list.push(aggregate) - 1
      numbers.set(key, number)
    }
    return raw(`${table}.c${number}`)
  }

  return {
    column,
    group(group, state) {
      const { group_id } = group
      if (!groups.has(group_id) && groups.size >= groupJoinsMax) return undefined
      groups.getOrInsertComputed(group_id, () => ({ group, states: new Set() })).states.add(state)
      const [own, address] = [raw(`own_${group_id}`), raw(`address_${group_id}`)]
      const inEffect = sql`case when ${address}.stamp > ${own}.stamp or ${own}.stamp is null then ${address}.state else ${own}.state end`
      return sql`((${inEffect} = ${state}) is true)`
    },
    cohort(cohort_id) {
      if (!cohorts.has(cohort_id)) {
        if (cohorts.size >= cohortJoinsMax) return undefined
        cohorts.set(cohort_id, cohortJoin(cohort_id, buckets))
      }
      return raw(`(in_cohort_${cohort_id}.profile_id is not null)`)
    },
    history(what) {
      return histories[what.of].of(what, names, nowMs)
    },
    toSql() {
      const tables = [...columns].map(([table, list]) => groupedJoin(table, raw(table), list, buckets))
      const groupJoins = [...groups.values()].map((each) =>
        groupJoin(workspace_id, each.group, [...each.states], buckets),
      )
      return join(
        [...tables, ...groupJoins, ...cohorts.values(), histories.event.join(), histories.purchase.join()],
        '',
      )
    },
  }
}

function groupedJoin(alias: string, rows: Sql, columns: readonly Sql[], buckets: BucketRange | undefined): Sql {
  const listed = columns.map((column, i) => sql`, ${column} as ${raw(`c${i}`)}`)
  const name = raw(alias)
  return sql`
    left join (select x.bucket, x.profile_id${join(listed, '')} from ${rows} x where ${inBuckets('x', buckets)}
      group by x.bucket, x.profile_id) ${name} on ${name}.bucket = p.bucket and ${name}.profile_id = p.profile_id`
}

/** Restricts to buckets; without them every row is read. */
export function inBuckets(alias: string, buckets: BucketRange | undefined): Sql {
  if (buckets === undefined) return raw('true')
  const bucket = raw(`${alias}.bucket`)
  return sql`${bucket} >= ${buckets.from}::int4 and ${bucket} < ${buckets.below}::int4`
}

/** In more buckets than these, a hash join that reads all states of addresses is quicker than a look-up for each person. */
const lookedUpBucketsMax = 512

/** Joins the states of the person and of the person's address, which is found by its stored hash. `states`: those that matter. */
function groupJoin(
  workspace_id: number,
  { group_id, kind }: ConditionGroup,
  states: readonly GroupState[],
  buckets: BucketRange | undefined,
): Sql {
  const [own, address] = [raw(`own_${group_id}`), raw(`address_${group_id}`)]
  const text = sql`convert_to(${`${workspace_id}\u001f${kind}\u001f`}::text || p.${raw(kind)}, 'UTF8')`
  const hashed = sql`encode(sha256((select secret from installation) || ${text}), 'hex')`
  const ofGroup = (alias: Sql) => {
    return sql`${alias}.workspace_id = ${workspace_id}::int4 and ${alias}.kind = ${kind}::text and ${alias}.group_id = ${group_id}::int4`
  }
  const ownJoin = sql`
    left join membership ${own} on ${own}.bucket = p.bucket and ${own}.profile_id = p.profile_id
      and ${own}.group_id = ${group_id}::int4 and ${inBuckets(own.text, buckets)}`
  if (buckets && buckets.below - buckets.from <= lookedUpBucketsMax) {
    // The limit keeps the planner from reading the states of all addresses.
    return sql`${ownJoin}
    left join lateral (select x.state, x.stamp from address_state x
      where x.bucket = (get_byte(sha256(${text}), 0) << 4) + (get_byte(sha256(${text}), 1) >> 4) and x.value = ${hashed}
        and ${ofGroup(raw('x'))} limit 1) ${address} on true`
  }
  // An address without one of these states decides only about people who have one themselves. The others' addresses are not hashed.
  const wanted = join(
    states.map((state) => sql`${state}::text`),
    ', ',
  )
  const matters = sql`${own}.state in (${wanted})
      or exists (select 1 from address_state s where ${ofGroup(raw('s'))} and s.state in (${wanted}))`
  return sql`${ownJoin}
    left join address_state ${address} on ${address}.value = case when ${matters} then ${hashed} end and ${ofGroup(address)}`
}

function cohortJoin(cohort_id: number, buckets: BucketRange | undefined): Sql {
  const alias = raw(`in_cohort_${cohort_id}`)
  return sql`
    left join cohort_member ${alias} on ${alias}.bucket = p.bucket and ${alias}.profile_id = p.profile_id
      and ${alias}.cohort_id = ${cohort_id}::int4 and ${inBuckets(alias.text, buckets)}`
}

function openHistoryJoin(table: HistoryFilter['of'], buckets: BucketRange | undefined) {
  const columns: Sql[] = []
  const added = new Map<string, HistoryColumns>()
  const nameIds = new Set<number | null>()
  const spans: TimeSpan[] = []
  const alias = raw(`${table}s`)
  /** Returns a function for a column, which is added to the join when it is first used. */
  const lazy = (aggregate: Sql) => {
    let number: number | undefined
    return () => {
      number ??= columns.push(aggregate) - 1
      return raw(`${alias.text}.c${number}`)
    }
  }

  function of(what: HistoryFilter, names: HistoryNameIds, nowMs: number): HistoryColumns {
    const key = historyKey(what)
    const before = added.get(key)
    if (before) return before
    const name_id = what.name === undefined ? null : names[table].get(what.name)
    if (name_id === undefined) return never
    const span = lastDaysSpan(what.days, nowMs)
    nameIds.add(name_id)
    spans.push(span)
    const properties = what.properties.map(({ name, test }) => memberCondition(propertiesOf, name, test, 'long'))
    const filter = join(
      [
        ...(name_id === null ? [] : [sql`x.name_id = ${name_id}::int4`]),
        ...(span.fromMs === Number.NEGATIVE_INFINITY ? [] : [sql`x.time >= ${timestampOf(span.fromMs)}`]),
        ...properties.map(({ sql: condition }) => sql`(${condition})`),
        raw('true'),
      ],
      ' and ',
    )
    const many = raw(table === 'event' ? 'count(*)' : 'sum(x.quantity)')
    const [count, first, last] = [many, raw('min(x.time)'), raw('max(x.time)')].map((aggregate) =>
      lazy(sql`${aggregate} filter (where ${filter})`),
    ) as [() => Sql, () => Sql, () => Sql]
    const isExact = properties.every((condition) => condition.isExact)
    const made: HistoryColumns = { isExact, count, first, last }
    added.set(key, made)
    return made
  }

  /** Returns the join. The history of people who were just merged is still under their former ids (`merged_profile`). */
  function joined(): Sql {
    if (columns.length === 0) return raw('')
    const named = nameIds.has(null) ? raw('true') : sql`e.name_id = any(${int4Array([...nameIds])}::int4[])`
    const fromMs = Math.min(...spans.map((span) => span.fromMs))
    const belowMs = Math.max(...spans.map((span) => span.belowMs))
    const since = fromMs === Number.NEGATIVE_INFINITY ? raw('true') : sql`e.time >= ${timestampOf(fromMs)}`
    const counted = sql`${named} and ${since} and e.time < ${timestampOf(belowMs)}`
    const values = raw(`e.name_id, e.time, ${table === 'event' ? 'e.properties' : 'e.quantity, e.properties'}`)
    const rows = sql`(
      select e.bucket, e.profile_id, ${values} from ${raw(table)} e where ${inBuckets('e', buckets)} and ${counted}
      union all
      select a.bucket, a.profile_id, ${values}
      from merged_profile a join ${raw(table)} e on e.bucket = a.from_bucket and e.profile_id = a.from_id
      where not a.moved and ${inBuckets('a', buckets)} and ${counted})`
    return groupedJoin(alias.text, rows, columns, undefined)
  }

  return { of, join: joined }
}

const propertiesOf = raw(`coalesce(x.properties, '{}')::jsonb`)

const never: HistoryColumns = {
  isExact: true,
  count: () => raw('null::bigint'),
  first: () => raw('null::timestamptz'),
  last: () => raw('null::timestamptz'),
}
