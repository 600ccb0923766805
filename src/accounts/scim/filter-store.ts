import { join, raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { type Comparison, type Filter, itemwise, readInstant, type Term } from './filter.ts'
import { folded } from './filter-match.ts'
import { findChain, pathOf } from './path.ts'
import { userResource } from './schema.ts'

type Column = {
  readonly kind: 'text' | 'exact' | 'id' | 'flag' | 'moment' | 'whole' | 'list'
  readonly sql: Sql
  readonly isNullable: boolean
}

const column = (kind: Column['kind'], text: string, isNullable = false): Column => ({
  kind,
  sql: raw(text),
  isNullable,
})
const nullable = (kind: Column['kind'], text: string) => column(kind, text, true)

/** Everything that a filter may ask of a row of `account`. */
const columns: ReadonlyMap<string, Column> = new Map([
  ['id', column('id', 'account_id')],
  ['externalId', nullable('exact', 'external_id')],
  ['meta', column('whole', 'account_id')],
  ['meta.resourceType', column('exact', "'User'::text")],
  ['meta.created', column('moment', 'created_at')],
  ['meta.lastModified', column('moment', 'updated_at')],
  ['userName', column('text', 'user_name')],
  ['name', column('whole', 'account_id')],
  ['name.givenName', column('text', 'given_name')],
  ['name.familyName', column('text', 'family_name')],
  ['displayName', nullable('text', 'display_name')],
  ['locale', nullable('text', 'locale')],
  ['active', column('flag', 'active')],
  ['emails', column('list', 'emails')],
  ['department', nullable('text', 'department')],
  ['lastSignInAt', nullable('moment', 'last_sign_in_at')],
  ['createdAt', column('moment', 'created_at')],
])

/** Of an item of `emails`. */
const emailColumns: ReadonlyMap<string, Column> = new Map([
  ['value', nullable('text', "(item.value ->> 'value')")],
  ['type', nullable('text', "(item.value ->> 'type')")],
  ['primary', nullable('flag', "(item.value -> 'primary' = 'true'::jsonb)")],
  ['display', nullable('text', "(item.value ->> 'display')")],
])

/** The rows of `account` that a filter means: a condition that is true or false and never null. */
export function whereOf(filter: Filter): Sql {
  return conditionOf(filter, columns)
}

function conditionOf(filter: Filter, among: ReadonlyMap<string, Column>): Sql {
  if ('all' in filter) return joined(filter.all, ' and ', among)
  if ('any' in filter) return joined(filter.any, ' or ', among)
  if ('not' in filter) return sql`not (${conditionOf(filter.not, among)})`
  if ('some' in filter) {
    return sql`exists (select from jsonb_array_elements(emails) item(value) where ${conditionOf(filter.of, emailColumns)})`
  }
  const spread = among === columns && itemwise(filter, userResource)
  return spread ? conditionOf(spread, among) : termCondition(filter, among.get(filter.path)!)
}

function joined(filters: readonly Filter[], separator: string, among: ReadonlyMap<string, Column>): Sql {
  const parts = filters.map((each) => conditionOf(each, among))
  return sql`(${join(parts, separator)})`
}

function termCondition(term: Term, of: Column): Sql {
  if (term.operator === 'pr') return presence(of)
  if (term.value === null) return term.operator === 'eq' ? sql`not (${presence(of)})` : presence(of)
  if (term.operator === 'ne') return sql`not (${termCondition({ ...term, operator: 'eq' }, of)})`
  const condition = comparison(of, term.operator, term.value)
  return of.isNullable ? sql`(${condition}) is true` : condition
}

function presence({ kind, sql: value, isNullable }: Column): Sql {
  if (kind === 'list') return sql`${value} <> '[]'::jsonb`
  if (kind === 'text' || kind === 'exact') return isNullable ? sql`coalesce(${value}, '') <> ''` : sql`${value} <> ''`
  return isNullable ? sql`${value} is not null` : raw('true')
}

const inOrder: Readonly<Partial<Record<Comparison, Sql>>> = {
  eq: raw('='),
  gt: raw('>'),
  ge: raw('>='),
  lt: raw('<'),
  le: raw('<='),
}

function comparison({ kind, sql: value }: Column, operator: Comparison, wanted: string | boolean): Sql {
  if (typeof wanted === 'boolean') return wanted ? value : sql`not ${value}`
  switch (kind) {
    case 'moment':
      return sql`${value} ${inOrder[operator]} ${timestampFromMs(readInstant(wanted)!)}`
    case 'id':
      if (operator === 'eq') return isId(wanted) ? sql`${value} = ${wanted}::uuid` : raw('false')
      return textComparison(sql`(${value}::text collate "C")`, operator, wanted)
    case 'text':
      return textComparison(sql`lower(${value} collate "C")`, operator, folded(wanted))
    default:
      return textComparison(sql`(${value} collate "C")`, operator, wanted)
  }
}

function textComparison(value: Sql, operator: Comparison, wanted: string): Sql {
  switch (operator) {
    case 'co':
      return sql`strpos(${value}, ${wanted}::text) > 0`
    case 'sw':
      return sql`starts_with(${value}, ${wanted}::text)`
    case 'ew':
      return sql`right(${value}, char_length(${wanted}::text)) = ${wanted}::text`
    default:
      return sql`${value} ${inOrder[operator]} ${wanted}::text`
  }
}

/** As the service writes an id; other spellings of a number mean nobody. */
function isId(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)
}

const sortable = [
  'id',
  'externalId',
  'userName',
  'name.givenName',
  'name.familyName',
  'displayName',
  'locale',
  'active',
]
const sortableToo = ['department', 'lastSignInAt', 'createdAt', 'meta.created', 'meta.lastModified']
const sortPaths: ReadonlySet<string> = new Set([...sortable, ...sortableToo])

/**
 * The order of a list by `sortBy` (RFC 7644, section 3.4.2.3), by age where that says nothing; undefined when it is not sorted by. Who
 * has no value comes last, and first when it is turned around.
 */
export function orderOf(sortBy: string | undefined, isDescending: boolean): Sql | undefined {
  const direction = raw(isDescending ? 'desc' : 'asc')
  if (sortBy === undefined) return sql`created_at ${direction}, account_id ${direction}`
  const chain = findChain(sortBy, userResource)
  const path = chain && pathOf(chain)
  if (path === undefined || !sortPaths.has(path)) return undefined
  const { kind, sql: value } = columns.get(path)!
  const key = kind === 'text' ? sql`lower(${value} collate "C")` : kind === 'exact' ? sql`${value} collate "C"` : value
  return sql`${key} ${direction}, created_at ${direction}, account_id ${direction}`
}
