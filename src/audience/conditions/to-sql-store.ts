import { join, raw, type Sql, sql } from '../../base/db/sql.ts'
import { isPresence, timeSpan } from './evaluate-value.ts'
import { cohortKey, needsOf } from './facts.ts'
import { type BucketRange, type Joins, openJoins } from './joins-store.ts'
import { priceOf, treePriceMax } from './price.ts'
import type { ConditionGroup, HistoryNameIds } from './reference-ids-store.ts'
import { within } from './time-span-store.ts'
import {
  type CountTest,
  childrenOf,
  type Leaf,
  leavesOf,
  nestedTree,
  type Presence,
  type TextTest,
  type TimeTest,
  type Tree,
} from './tree.ts'
import {
  attributeCondition,
  cost,
  exact,
  numberCondition,
  type SqlCondition,
  superset,
  textCondition,
} from './value-to-sql-store.ts'

/**
 * The scope in which a tree is evaluated: the workspace, the moment, the ids of names, groups and cohorts, and the buckets (all when
 * absent).
 */
export type SqlScope = {
  readonly workspace_id: number
  readonly nowMs: number
  readonly groups: ReadonlyMap<string, ConditionGroup>
  /** The numbers of cohorts, by `cohortText`. */
  readonly cohorts: ReadonlyMap<string, number>
  readonly names: HistoryNameIds
  readonly buckets?: BucketRange
}

/**
 * A tree in SQL over profiles `p` (`profilesWith`): a condition that is never null, and its joins. Without `isExact`, the condition selects
 * a superset, and `evaluate` decides the rest, such as regular expressions.
 */
export type SqlFilter = {
  /** How many expressions read attributes of a person. */
  readonly attributesRead: number
  readonly joins: Sql
  readonly condition: Sql
  readonly isExact: boolean
  /** The part of the tree that `evaluate` must still decide for the selected people. */
  readonly rest: Tree
}

/** Turns a tree into SQL. A tree that is too expensive for one statement is left to `evaluate`. */
export function toSql(tree: Tree, scope: SqlScope): SqlFilter {
  if (priceOf(tree) > treePriceMax)
    return {
      attributesRead: needsOf(tree).custom.size,
      joins: raw(''),
      condition: raw('true'),
      isExact: false,
      rest: tree,
    }
  const joins = openJoins(scope.workspace_id, scope.names, scope.nowMs, scope.buckets)
  const { sql: condition, isExact } = conditionOf(tree, false, scope, joins)
  const isOpen = (child: Tree) => !conditionOf(child, false, scope, joins).isExact
  const rest = isExact ? { all: [] } : 'all' in tree ? { all: tree.all.filter(isOpen) } : tree
  const ofAttributes = leavesOf(tree).filter(({ kind }) => kind === 'custom_attribute')
  return { attributesRead: [...ofAttributes].length, joins: joins.toSql(), condition, isExact, rest }
}

/**
 * Trees in SQL over profiles `p`. Each leaf is a column of its own, which is computed once for each person. A part is an expression over
 * these columns, in rows that are called `q`.
 */
export type SqlParts = {
  readonly attributesRead: number
  readonly joins: Sql
  readonly columns: readonly Sql[]
  readonly parts: readonly Sql[]
}

/** Turns trees into SQL; undefined when only `evaluate` can decide one of them, or when they are too expensive for one statement. */
export function partsToSql(trees: readonly Tree[], scope: SqlScope): SqlParts | undefined {
  if (trees.some((tree) => priceOf(tree) > treePriceMax)) return undefined
  const joins = openJoins(scope.workspace_id, scope.names, scope.nowMs, scope.buckets)
  const columns = new Map<Leaf, SqlCondition>()
  const partOf = (tree: Tree): Sql => {
    if ('not' in tree) return sql`not ${partOf(tree.not)}`
    if (!('kind' in tree)) {
      const children = childrenOf(tree).map(partOf)
      if (children.length === 0) return raw('all' in tree ? 'true' : 'false')
      return sql`(${join(children, 'all' in tree ? ' and ' : ' or ')})`
    }
    if (tree.kind === 'segment') return partOf(nestedTree(tree))
    if (!columns.has(tree)) columns.set(tree, leafCondition(tree, scope, joins))
    return raw(`q.c${[...columns.keys()].indexOf(tree)}`)
  }
  const parts = trees.map(partOf)
  const conditions = [...columns.values()]
  if (!conditions.every(({ isExact }) => isExact)) return undefined
  const ofAttributes = [...columns.keys()].filter(({ kind }) => kind === 'custom_attribute')
  return {
    attributesRead: ofAttributes.length,
    joins: joins.toSql(),
    columns: conditions.map((condition) => condition.sql),
    parts,
  }
}

/**
 * Returns the condition of a tree, or its opposite with `isNegated`. The leaves are negated, because the opposite of a superset is not a
 * superset.
 */
function conditionOf(tree: Tree, isNegated: boolean, scope: SqlScope, joins: Joins): SqlCondition {
  if ('not' in tree) return conditionOf(tree.not, !isNegated, scope, joins)
  if ('kind' in tree) {
    if (tree.kind === 'segment') return conditionOf(nestedTree(tree), isNegated, scope, joins)
    const leaf = leafCondition(tree, scope, joins)
    if (!isNegated) return leaf
    return leaf.isExact ? exact(sql`not (${leaf.sql})`) : superset(raw('true'))
  }
  const isAll = 'all' in tree !== isNegated
  const children = childrenOf(tree)
    .map((child) => ({ cost: costOf(child), ...conditionOf(child, isNegated, scope, joins) }))
    .sort((a, b) => a.cost - b.cost)
  if (children.length === 0) return exact(raw(isAll ? 'true' : 'false'))
  const parts = children.map((child) => child.sql)
  return {
    sql: parts.length === 1 ? parts[0]! : sql`(${join(parts, isAll ? ' and ' : ' or ')})`,
    isExact: children.every((child) => child.isExact),
  }
}

/** Returns the cost of the most expensive leaf. */
function costOf(tree: Tree): number {
  if (!('kind' in tree)) return Math.max(0, ...childrenOf(tree).map(costOf))
  switch (tree.kind) {
    case 'segment':
      return costOf(nestedTree(tree))
    case 'custom_attribute':
      if (tree.path.length > 1) return cost.nested
      return tree.test.comparison.endsWith('_regex') ? cost.text : cost.member
    case 'subscription_group':
    case 'cohort':
    case 'device':
    case 'occurrences':
    case 'occurrence_time':
    case 'last_message':
      return cost.joined
    case 'used_app':
      return tree.app_id === undefined ? cost.column : cost.joined
    default:
      return cost.column
  }
}

function leafCondition(leaf: Exclude<Leaf, { kind: 'segment' }>, scope: SqlScope, joins: Joins): SqlCondition {
  const { nowMs } = scope
  switch (leaf.kind) {
    case 'custom_attribute':
      return attributeCondition(leaf.path, leaf.test, nowMs)
    case 'standard_attribute':
      return textCondition(raw(`p.${leaf.field}`), leaf.test)
    case 'standard_time':
      return momentCondition(raw(`p.${leaf.field}`), leaf.test, nowMs)
    case 'subscription_status':
      return exact(sql`p.${raw(leaf.channel)}_subscribe ${raw(leaf.is ? '=' : '<>')} ${leaf.state}`)
    case 'subscription_group': {
      const group = scope.groups.get(leaf.subscription_group_id)
      if (group === undefined) return exact(raw('false'))
      const hasState = joins.group(group, leaf.state)
      return hasState ? exact(hasState) : superset(raw('true'))
    }
    case 'cohort': {
      const cohort_id = scope.cohorts.get(cohortKey(leaf))
      if (cohort_id === undefined) return exact(raw('false'))
      const isMember = joins.cohort(cohort_id)
      return isMember ? exact(isMember) : superset(raw('true'))
    }
    case 'used_app':
      if (leaf.app_id === undefined) return momentCondition(raw(`p.date_of_${leaf.which}_session`), leaf.test, nowMs)
      return momentCondition(
        joins.column('app_use', sql`max(x.${raw(leaf.which)}_used) filter (where x.app_id = ${leaf.app_id})`),
        leaf.test,
        nowMs,
      )
    case 'device':
      return deviceCondition(leaf.field, leaf.test, joins)
    case 'occurrences':
      return historyCountCondition(leaf, joins)
    case 'occurrence_time': {
      const history = joins.history(leaf.what)
      if (!history.isExact) return superset(sql`(${history.count()} > 0) is true`)
      return momentCondition(history[leaf.which](), leaf.test, nowMs)
    }
    case 'total_revenue':
    case 'random_bucket':
      return exact(numberCondition(raw(`p.${leaf.kind}`), leaf.test))
    case 'session_count': {
      const condition = numberCondition(raw('p.session_count'), leaf.test)
      return exact(leaf.onlyWithSessions ? sql`(p.session_count > 0 and ${condition})` : condition)
    }
    case 'last_message': {
      const { channel } = leaf
      const last = channel === undefined ? raw('max(x.at)') : sql`max(x.at) filter (where x.channel = ${channel})`
      return momentCondition(joins.column('last_received', last), leaf.test, nowMs)
    }
  }
}

function momentCondition(column: Sql, test: TimeTest | Presence, nowMs: number): SqlCondition {
  if (isPresence(test)) return exact(sql`${column} is ${raw(test.comparison === 'exists' ? 'not null' : 'null')}`)
  return exact(sql`(${within(column, timeSpan(test, nowMs))}) is true`)
}

/** Returns the condition on devices. One device must pass the test; for `not_equal` and `does_not_exist`, no device may fail it. */
function deviceCondition(field: string, test: TextTest | Presence, joins: Joins): SqlCondition {
  const column = raw(`x.${field}`)
  const some = (condition: Sql) => sql`(${joins.column('device', sql`bool_or(${condition})`)} is true)`
  switch (test.comparison) {
    case 'not_equal':
      return exact(sql`not ${some(sql`not (${textCondition(column, test).sql})`)}`)
    case 'does_not_exist':
      return exact(sql`not ${some(sql`${column} is not null`)}`)
    case 'does_not_match_regex': {
      // One device must have a text, and none may have one that matches.
      const { sql: matches, isExact } = textCondition(column, { comparison: 'matches_regex', text: test.text })
      const isSet = some(sql`${column} is not null`)
      return isExact ? exact(sql`(${isSet} and not ${some(matches)})`) : superset(isSet)
    }
    default: {
      const { sql: condition, isExact } = textCondition(column, test)
      return { sql: some(condition), isExact }
    }
  }
}

function historyCountCondition(leaf: Extract<Leaf, { kind: 'occurrences' }>, joins: Joins): SqlCondition {
  const history = joins.history(leaf.what)
  // Then the null of the join excludes people without history.
  if (excludesNone(leaf.times)) {
    const least: CountTest = history.isExact ? leaf.times : { comparison: 'greater_than', number: 0 }
    return { sql: sql`(${numberCondition(history.count(), least)}) is true`, isExact: history.isExact }
  }
  // The count may be too high: only JavaScript can test some of the properties.
  if (!history.isExact) return superset(raw('true'))
  return exact(numberCondition(sql`coalesce(${history.count()}, 0)`, leaf.times))
}

function excludesNone({ comparison, number }: CountTest): boolean {
  switch (comparison) {
    case 'equals':
    case 'greater_than_or_equal_to':
      return number > 0
    case 'greater_than':
      return number >= 0
    case 'not_equal':
      return number === 0
    default:
      return false
  }
}
