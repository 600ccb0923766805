import type {
  CountTest,
  FlagTest,
  HistoryFilter,
  Leaf,
  ListTest,
  Presence,
  TextTest,
  TimeTest,
  Tree,
  ValueTest,
} from '../../src/audience/conditions/tree.ts'
import type { Json } from '../../src/people/values/values.ts'
import { type Crowd, cohorts, dayMs, nowMs, type TestPerson } from './audience-people.ts'

/** Patterns of RE2, and the same patterns in JavaScript. */
export const patterns: readonly [string, RegExp][] = [
  ['gold', /[gG][oO][lL][dD]/],
  ['^G.LD$', /^[gG].[lL][dD]$/u],
  ['é', /é/],
  ['[^a-z]', /[^a-zA-Z]/u],
  ['k', /[kK]/],
  ['\\d{2}|true', /\d{2}|[tT][rR][uU][eE]/],
  ['', /(?:)/],
  ['^$', /^$/],
  ['\\Qa"b\\c\\E', /[aA]"[bB]\\[cC]/],
]

/** Returns whether a tree selects a person, by the table in `docs/api-decisions.md`. */
export function isSelected(tree: Tree, one: TestPerson, crowd: Crowd): boolean {
  if ('all' in tree) return !tree.all.some((child) => !isSelected(child, one, crowd))
  if ('any' in tree) return tree.any.some((child) => isSelected(child, one, crowd))
  if ('not' in tree) return !isSelected(tree.not, one, crowd)
  return fulfils(tree, one, crowd)
}

function fulfils(leaf: Leaf, one: TestPerson, crowd: Crowd): boolean {
  const column = (name: string) => set([one.profile[name] as Json])
  switch (leaf.kind) {
    case 'custom_attribute':
      return compares(leaf.test, set(under(one.custom, [...leaf.path])))
    case 'standard_attribute':
      return compares(leaf.test, column(leaf.field))
    case 'device':
      return compares(leaf.test, set(one.devices.map((device) => device[leaf.field])))
    case 'standard_time':
      return falls(leaf.test, column(leaf.field) as number[])
    case 'used_app': {
      if (leaf.app_id === undefined) return falls(leaf.test, column(`date_of_${leaf.which}_session`) as number[])
      const use = one.uses.find(({ app_id }) => app_id === leaf.app_id)
      return falls(leaf.test, set([use?.[`${leaf.which}_used`] ?? null]) as number[])
    }
    case 'last_message': {
      const times = one.received
        .filter(({ channel }) => leaf.channel === undefined || channel === leaf.channel)
        .map(({ at }) => at)
      return falls(leaf.test, times.sort((a, b) => b - a).slice(0, 1))
    }
    case 'subscription_status':
      return leaf.is
        ? one.profile[`${leaf.channel}_subscribe`] === leaf.state
        : one.profile[`${leaf.channel}_subscribe`] !== leaf.state
    case 'subscription_group':
      return stateOf(leaf.subscription_group_id, one, crowd) === leaf.state
    case 'cohort': {
      const first = leaf.partner === 'acme' ? 1 : 11
      const place = cohorts.indexOf(leaf.cohort_id)
      return place >= 0 && one.cohorts.includes(first + place)
    }
    case 'occurrences': {
      const counts = whatHappened(leaf.what, one).map(({ of, quantity }) => (of === 'event' ? 1 : quantity))
      return compares(leaf.times, [counts.reduce((sum, count) => sum + count, 0)])
    }
    case 'occurrence_time': {
      const times = whatHappened(leaf.what, one)
        .map(({ time }) => time)
        .sort((a, b) => a - b)
      return falls(leaf.test, leaf.which === 'first' ? times.slice(0, 1) : times.slice(-1))
    }
    case 'total_revenue':
    case 'random_bucket':
      return compares(leaf.test, column(leaf.kind))
    case 'session_count':
      return compares(leaf.test, column('session_count')) && !(leaf.onlyWithSessions && one.profile.session_count === 0)
    case 'segment':
      return isSelected(leaf.tree!, one, crowd)
  }
}

function set(values: readonly Json[]): Json[] {
  return values.filter((value) => value !== null)
}

/** Returns the values under a path of keys. Lists on the path are searched element by element. */
function under(value: Json, [key, ...rest]: readonly string[]): Json[] {
  if (key === undefined) return [value]
  const objects = (Array.isArray(value) ? value : [value]).filter(
    (each) => typeof each === 'object' && each !== null && !Array.isArray(each),
  )
  return objects.flatMap((each) =>
    Object.hasOwn(each as object, key) ? under((each as Record<string, Json>)[key]!, rest) : [],
  )
}

function compares(test: ValueTest, values: readonly Json[]): boolean {
  const missing = values.length === 0
  if ('days' in test || 'ms' in test) {
    const dates = values.filter((value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value))
    return falls(
      test,
      dates.map((date) => Date.parse(date as string) * 1000),
    )
  }
  if ('text' in test)
    return reads(
      test,
      values.filter((value) => typeof value === 'string'),
    )
  if ('number' in test)
    return counts(
      test as CountTest,
      values.filter((value) => typeof value === 'number'),
      missing,
    )
  if ('flag' in test || 'value' in test) return isSame(test, values)
  return missing === (test.comparison === 'does_not_exist')
}

function reads({ comparison, text }: TextTest, values: readonly string[]): boolean {
  const pattern = patterns.find(([written]) => written === text)?.[1]
  switch (comparison) {
    case 'equals':
      return values.some((each) => each === text)
    case 'not_equal':
      return values.every((each) => each !== text)
    case 'matches_regex':
      return values.some((each) => pattern!.test(each))
    case 'does_not_match_regex':
      return values.length > 0 && values.every((each) => !pattern!.test(each))
  }
}

function counts({ comparison, number }: CountTest, values: readonly number[], missing: boolean): boolean {
  switch (comparison) {
    case 'equals':
      return (missing && number === 0) || values.some((each) => each === number)
    case 'not_equal':
      return !counts({ comparison: 'equals', number }, values, missing)
    case 'greater_than':
      return values.some((each) => each > number)
    case 'greater_than_or_equal_to':
      return values.some((each) => each >= number)
    case 'less_than':
      return missing || values.some((each) => each < number)
    case 'less_than_or_equal_to':
      return missing || values.some((each) => each <= number)
  }
}

function isSame(test: FlagTest | ListTest, values: readonly Json[]): boolean {
  switch (test.comparison) {
    case 'equals':
      return values.some((each) => each === test.flag)
    case 'does_not_equal':
      return !values.some((each) => each === test.flag)
    case 'includes_value':
      return values.some((each) => Array.isArray(each) && each.some((item) => item === test.value))
    case 'does_not_include_value':
      return !values.some((each) => Array.isArray(each) && each.some((item) => item === test.value))
  }
}

/** Tests times, which are epoch microseconds, in whole milliseconds. */
function falls(test: TimeTest | Presence, timesUs: readonly number[]): boolean {
  if (test.comparison === 'exists') return timesUs.length > 0
  if (test.comparison === 'does_not_exist') return timesUs.length === 0
  return timesUs.some((us) => {
    const ms = Math.floor(us / 1000)
    switch (test.comparison) {
      case 'less_than_x_days_ago':
        return ms > nowMs - test.days * dayMs && ms <= nowMs
      case 'greater_than_x_days_ago':
        return ms < nowMs - test.days * dayMs
      case 'less_than_x_days_in_the_future':
        return ms > nowMs && ms < nowMs + test.days * dayMs
      case 'greater_than_x_days_in_the_future':
        return ms > nowMs + test.days * dayMs
      case 'after':
        return ms > test.ms
      case 'before':
        return ms < test.ms
      default:
        return false
    }
  })
}

function whatHappened(what: HistoryFilter, one: TestPerson): TestPerson['happened'] {
  return [...one.happened, ...one.inherited].filter(({ of, name, time, properties }) => {
    const ms = Math.floor(time / 1000)
    if (of !== what.of || (what.name !== undefined && name !== what.name) || ms > nowMs) return false
    if (what.days !== undefined && ms <= nowMs - what.days * dayMs) return false
    return what.properties.every((property) => compares(property.test, set(under(properties ?? {}, [property.name]))))
  })
}

/** Returns the later of the states of the person and of the address; at the same time that of the person. */
function stateOf(group: string, { profile, memberships }: TestPerson, { addresses }: Crowd): string | undefined {
  const number = Number(group.slice(1))
  const address = number === 4 ? profile.phone : profile.email
  const own = memberships.find((each) => each.group === number)
  const said = addresses.find(({ value }) => value === address)?.states.find((each) => each.group === number)
  if (own === undefined || said === undefined) return (own ?? said)?.state
  return said.stamp > own.stamp ? said.state : own.state
}
