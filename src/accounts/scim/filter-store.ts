import { join, raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { type FilterOperator, type FilterTerm, overItems, parseDateTime, type ScimFilter } from './filter.ts'
import { lowerAscii } from './filter-match.ts'
import { chainPath, findChain } from './path.ts'
import { userResource } from './schema.ts'

type Column = {
  readonly kind: 'text' | 'exact' | 'id' | 'flag' | 'time' | 'object' | 'list'
  readonly sql: Sql
  readonly isNullable: boolean
}

const column = (kind: Column['kind'], text: string, isNullable = false): Column => ({
  kind,
  sql: raw(text),
  isNullable,
})
const nullable = (kind: Column['kind'], text: string) => column(kind, text, true)

/** The columns of `account` for the paths of a filter. */
const columns: ReadonlyMap<string, Column> = new Map([
  ['id', column('id', 'account_id')],
  ['externalId', nullable('exact', 'external_id')],
  ['meta', column('object', 'account_id')],
  ['meta.resourceType', column('exact', "'User'::text")],
  ['meta.created', column('time', 'created_at')],
  ['meta.lastModified', column('time', 'updated_at')],
  ['userName', column('text', 'user_name')],
  ['name', column('object', 'account_id')],
  ['name.givenName', column('text', 'given_name')],
  ['name.familyName', column('text', 'family_name')],
  ['displayName', nullable('text', 'display_name')],
  ['locale', nullable('text', 'locale')],
  ['title', nullable('text', 'title')],
  ['userType', nullable('text', 'user_type')],
  ['active', column('flag', 'active')],
  ['emails', column('list', 'emails')],
  ['ims', column('list', 'ims')],
  ['department', nullable('text', 'department')],
  ['lastSignInAt', nullable('time', 'last_sign_in_at')],
  ['createdAt', column('time', 'created_at')],
])

/** The same for an item of `emails` or `ims`. */
const addressColumns: ReadonlyMap<string, Column> = new Map([
  ['value', nullable('text', "(item.value ->> 'value')")],
  ['type', nullable('text', "(item.value ->> 'type')")],
  ['primary', nullable('flag', "(item.value -> 'primary' = 'true'::jsonb)")],
  ['display', nullable('text', "(item.value ->> 'display')")],
])

/** Returns a filter as a condition on a row of `account` that is never null. */
export function filterToSql(filter: ScimFilter): Sql {
  return filterCondition(filter, columns)
}

function filterCondition(filter: ScimFilter, among: ReadonlyMap<string, Column>): Sql {
  if ('all' in filter) return joinedCondition(filter.all, ' and ', among)
  if ('any' in filter) return joinedCondition(filter.any, ' or ', among)
  if ('not' in filter) return sql`not (${filterCondition(filter.not, among)})`
  if ('some' in filter) {
    const { sql: list } = columns.get(filter.some)!
    return sql`exists (select from jsonb_array_elements(${list}) item(value) where ${filterCondition(filter.of, addressColumns)})`
  }
  const spread = among === columns && overItems(filter, userResource)
  return spread ? filterCondition(spread, among) : termCondition(filter, among.get(filter.path)!)
}

function joinedCondition(filters: readonly ScimFilter[], separator: string, among: ReadonlyMap<string, Column>): Sql {
  const conditions = filters.map((each) => filterCondition(each, among))
  return sql`(${join(conditions, separator)})`
}

function termCondition(term: FilterTerm, of: Column): Sql {
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

const inOrder: Readonly<Partial<Record<FilterOperator, Sql>>> = {
  eq: raw('='),
  gt: raw('>'),
  ge: raw('>='),
  lt: raw('<'),
  le: raw('<='),
}

function comparison({ kind, sql: value }: Column, operator: FilterOperator, wanted: string | boolean): Sql {
  if (typeof wanted === 'boolean') return wanted ? value : sql`not ${value}`
  switch (kind) {
    case 'time':
      return sql`${value} ${inOrder[operator]} ${timestampFromMs(parseDateTime(wanted)!)}`
    case 'id':
      if (operator === 'eq') return isId(wanted) ? sql`${value} = ${wanted}::uuid` : raw('false')
      return textComparison(sql`(${value}::text collate "C")`, operator, wanted)
    case 'text':
      return textComparison(sql`lower(${value} collate "C")`, operator, lowerAscii(wanted))
    default:
      return textComparison(sql`(${value} collate "C")`, operator, wanted)
  }
}

function textComparison(value: Sql, operator: FilterOperator, wanted: string): Sql {
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

/** The form in which the service writes ids; other spellings of a UUID match no account. */
function isId(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)
}

/** A sub-attribute of the primary address of a list, or of the first where none is primary (RFC 7644, section 3.4.2.3). */
function ofPrimary(list: string, name: string): Column {
  const primary = `(select item.value from jsonb_array_elements(${list}) item(value)
    where item.value -> 'primary' = 'true'::jsonb limit 1)`
  return nullable('text', `coalesce(${primary}, ${list} -> 0) ->> '${name}'`)
}

const primaryColumns: ReadonlyMap<string, Column> = new Map(
  ['emails', 'ims'].flatMap((list): [string, Column][] => [
    [list, ofPrimary(list, 'value')],
    ...['value', 'type', 'display'].map((name): [string, Column] => [`${list}.${name}`, ofPrimary(list, name)]),
  ]),
)

const sortPaths: ReadonlySet<string> = new Set([
  ...['id', 'externalId', 'userName', 'name.givenName', 'name.familyName', 'displayName', 'locale', 'active'],
  ...['title', 'userType'],
  ...['department', 'lastSignInAt', 'createdAt', 'meta.created', 'meta.lastModified'],
])

/**
 * Returns the order for `sortBy` (RFC 7644, section 3.4.2.3), by default oldest first; undefined when the attribute cannot be sorted by.
 * Accounts without a value come last, and first in descending order.
 */
export function sortToSql(sortBy: string | undefined, isDescending: boolean): Sql | undefined {
  const direction = raw(isDescending ? 'desc' : 'asc')
  if (sortBy === undefined) return sql`created_at ${direction}, account_id ${direction}`
  const chain = findChain(sortBy, userResource)
  const path = chain && chainPath(chain)
  if (path === undefined) return undefined
  const found = primaryColumns.get(path) ?? (sortPaths.has(path) ? columns.get(path) : undefined)
  if (found === undefined) return undefined
  const { kind, sql: value } = found
  const key = kind === 'text' ? sql`lower(${value} collate "C")` : kind === 'exact' ? sql`${value} collate "C"` : value
  return sql`${key} ${direction}, created_at ${direction}, account_id ${direction}`
}
