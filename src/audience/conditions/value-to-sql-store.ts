import { raw, type Sql, sql } from '../../base/db/sql.ts'
import { isTimeTest, timeSpan } from './evaluate-value.ts'
import { postgresPattern } from './postgres-pattern.ts'
import { withinNumber } from './time-span-store.ts'
import type { CountTest, NumberTest, Path, Presence, TextTest, TimeTest, ValueTest } from './tree.ts'

/**
 * A condition in SQL that is never null. Without `isExact`, it may also be true for people who do not meet the condition, and JavaScript
 * decides.
 */
export type SqlCondition = { readonly sql: Sql; readonly isExact: boolean }

/** Cheap conditions come first: a column, a member of a JSON object, a member as text, a nested value, a join. */
export const cost = { column: 0, member: 1, text: 2, nested: 3, joined: 4 } as const

const orderOperators = {
  greater_than: '>',
  greater_than_or_equal_to: '>=',
  less_than: '<',
  less_than_or_equal_to: '<=',
} as const

export function exact(condition: Sql): SqlCondition {
  return { sql: condition, isExact: true }
}

export function superset(condition: Sql): SqlCondition {
  return { sql: condition, isExact: false }
}

/** Returns a comparison of one number that is never null. */
export function numberCondition(value: Sql, { comparison, number }: CountTest): Sql {
  const operator = comparison === 'equals' ? '=' : comparison === 'not_equal' ? '<>' : orderOperators[comparison]
  return sql`${value} ${raw(operator)} ${number}::float8`
}

/** Returns a comparison of one text that may be null. */
export function textCondition(value: Sql, test: TextTest | Presence): SqlCondition {
  switch (test.comparison) {
    case 'exists':
      return exact(sql`${value} is not null`)
    case 'does_not_exist':
      return exact(sql`${value} is null`)
    case 'equals':
      return exact(sql`(${value} is not null and ${value} = ${test.text})`)
    case 'not_equal':
      return exact(sql`(${value} = ${test.text}) is not true`)
    default:
      return patternCondition(value, test) ?? superset(sql`${value} is not null`)
  }
}

/**
 * Returns the condition that a text matches a pattern or does not, when PostgreSQL reads the pattern as RE2 does. No text that is stored of
 * a person is as long as what a pattern reads (`matchedCharactersMax`).
 */
function patternCondition(value: Sql, { comparison, text }: TextTest): SqlCondition | undefined {
  const pattern = postgresPattern(text)
  if (pattern === undefined) return undefined
  const operator = raw(comparison === 'matches_regex' ? '~' : '!~')
  return exact(sql`(${value} collate "C" ${operator} ${pattern}::text) is true`)
}

/** Returns a condition on a custom attribute of `p`. */
export function attributeCondition(path: Path, test: ValueTest, nowMs: number): SqlCondition {
  if (path.length > 1) return nestedCondition(path, test)
  if (!isTimeTest(test)) return memberCondition(raw('p.whole_custom'), path[0], test, 'short')
  return exact(sql`(${withinNumber(sql`(p.whole_typed -> ${path[0]}::text)`, timeSpan(test, nowMs))}) is true`)
}

/**
 * Returns a condition on a member of a JSON object that is never null. `texts`: whether its texts are shorter than what a pattern reads, as
 * those of attributes are. Properties may be longer.
 */
export function memberCondition(
  object: Sql,
  name: string,
  test: Exclude<ValueTest, TimeTest>,
  texts: 'short' | 'long',
): SqlCondition {
  const value = sql`(${object} -> ${name}::text)`
  const isSet = sql`(${value} <> 'null'::jsonb) is true`
  const holds = (wanted: unknown) => sql`${object} @> ${`{${JSON.stringify(name)}:${JSON.stringify(wanted)}}`}::jsonb`
  if ('value' in test) return exact(unlessNot(holds([test.value]), test.comparison === 'includes_value'))
  if ('flag' in test) return exact(unlessNot(holds(test.flag), test.comparison === 'equals'))
  if ('number' in test) return exact(memberNumber(value, isSet, holds(test.number), test))
  switch (test.comparison) {
    case 'exists':
      return exact(isSet)
    case 'does_not_exist':
      return exact(sql`not ${isSet}`)
    case 'equals':
    case 'not_equal':
      return exact(unlessNot(holds((test as TextTest).text), test.comparison === 'equals'))
    default: {
      const isText = sql`(jsonb_typeof${value} = 'string') is true`
      const matches =
        texts === 'short' ? patternCondition(sql`(${object} ->> ${name}::text)`, test as TextTest) : undefined
      return matches ? exact(sql`(${isText} and ${matches.sql})`) : superset(isText)
    }
  }
}

/**
 * Compares a member with a number. In jsonb, numbers are less than booleans, and these are less than lists and objects: two comparisons
 * show that it is a number.
 */
function memberNumber(value: Sql, isSet: Sql, equal: Sql, { comparison, number }: NumberTest): Sql {
  const wanted = sql`${JSON.stringify(number)}::jsonb`
  switch (comparison) {
    case 'equals':
    case 'not_equal': {
      const equals = number === 0 ? sql`(${equal} or not ${isSet})` : equal
      return unlessNot(equals, comparison === 'equals')
    }
    case 'greater_than':
    case 'greater_than_or_equal_to':
      return sql`(${value} ${raw(orderOperators[comparison])} ${wanted} and ${value} < 'false'::jsonb) is true`
    default:
      return sql`(${value} ${raw(orderOperators[comparison])} ${wanted} and jsonb_typeof${value} = 'number' or not ${isSet}) is true`
  }
}

function unlessNot(condition: Sql, isWanted: boolean): Sql {
  return isWanted ? condition : sql`not (${condition})`
}

/**
 * Collects the nested values in a list, as `valuesAt` does: in lax mode, a key applies to the elements of a list. Strict mode then tests
 * the members of that list, where a value that is a list stays one.
 */
function nestedCondition(path: Path, test: ValueTest): SqlCondition {
  const found = sql`jsonb_path_query_array(p.whole_custom, ${`lax $.${path.map((key) => JSON.stringify(key)).join('.')}`}::jsonpath)`
  const some = (filter: string, variable: unknown = null) =>
    sql`jsonb_path_exists(${found}, ${`strict $[*] ? (${filter})`}::jsonpath, ${JSON.stringify({ v: variable })}::jsonb)`
  const isSet = some('@ != null')
  const contains = (wanted: unknown) => sql`${found} @> ${JSON.stringify([wanted])}::jsonb`
  if (isTimeTest(test)) return superset(isSet)
  if ('value' in test) return exact(unlessNot(contains([test.value]), test.comparison === 'includes_value'))
  if ('flag' in test) return exact(unlessNot(contains(test.flag), test.comparison === 'equals'))
  if ('number' in test) {
    const { comparison, number } = test
    if (comparison === 'equals' || comparison === 'not_equal') {
      const equals = number === 0 ? sql`(${contains(0)} or not ${isSet})` : contains(number)
      return exact(unlessNot(equals, comparison === 'equals'))
    }
    const ordered = some(`@ ${orderOperators[comparison]} $v`, number)
    return exact(comparison.startsWith('less') ? sql`(${ordered} or not ${isSet})` : ordered)
  }
  switch (test.comparison) {
    case 'exists':
      return exact(isSet)
    case 'does_not_exist':
      return exact(sql`not ${isSet}`)
    case 'equals':
    case 'not_equal':
      return exact(unlessNot(contains((test as TextTest).text), test.comparison === 'equals'))
    default:
      return superset(isSet)
  }
}
