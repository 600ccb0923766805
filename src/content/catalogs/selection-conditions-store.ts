import { join, type Sql, sql } from '../../base/db/sql.ts'
import type { Field, Filter, Selection } from './schema.ts'

type FieldsByName = ReadonlyMap<string, Field>

/** Returns whether an item `i` has passed all filters, as a condition. */
export function conditionsOf(filters: readonly Filter[], fields: readonly Field[]): Sql {
  const fieldsByName: FieldsByName = new Map(fields.map((field) => [field.name, field]))
  const conditions = filters.map((filter) => sql` and ${conditionOf(filter, fieldsByName.get(filter.field)!)}`)
  return sql`true${join(conditions, '')}`
}

/** The value of an item `i` by which a selection sorts, as an expression: at most one of them. */
export type SortKey = { readonly text?: Sql; readonly json?: Sql }

export function sortKeyOf({ sort_field }: Pick<Selection, 'sort_field'>, fields: readonly Field[]): SortKey {
  if (sort_field === null) return {}
  const field = fields.find(({ name }) => name === sort_field)!
  if (field.type === 'string' || field.type === 'time') return { text: textOf(field) }
  return { json: sql`(i.fields -> ${field.token}::text)` }
}

/** True or false, never null. JSON values are compared as JSON, so that a value of another type causes no error. */
function conditionOf({ operator, value }: Filter, field: Field): Sql {
  const json = sql`(i.fields -> ${field.token}::text)`
  const text = textOf(field)
  switch (operator) {
    case 'equals':
    case 'is':
      return field.type === 'string'
        ? sql`coalesce(${text} = ${value}::text, false)`
        : sql`coalesce(${json} = ${JSON.stringify(value)}::jsonb, false)`
    case 'does not equal':
      return field.type === 'string'
        ? sql`${text} is distinct from ${value}::text`
        : sql`${json} is distinct from ${JSON.stringify(value)}::jsonb`
    case 'greater than':
      return sql`coalesce(${json} > ${JSON.stringify(value)}::jsonb, false)`
    case 'less than':
      return sql`coalesce(${json} < ${JSON.stringify(value)}::jsonb, false)`
    case 'before':
      return sql`coalesce(${text} < ${value}::text, false)`
    case 'after':
      return sql`coalesce(${text} > ${value}::text, false)`
    case 'includes value':
      return sql`coalesce(${json} ? ${value}::text, false)`
    case 'does not include value':
      return sql`not coalesce(${json} ? ${value}::text, false)`
    default:
      return sql`false`
  }
}

/** A field as text, compared by code points on every database. */
function textOf({ name, token }: Field): Sql {
  return name === 'id' ? sql`i.item_id` : sql`((i.fields ->> ${token}::text) collate "C")`
}
