import fc, { type Arbitrary } from 'fast-check'
import { deviceFields, standardTexts, standardTimes } from '../../src/audience/conditions/parse-leaves.ts'
import type {
  CountTest,
  FlagTest,
  HistoryFilter,
  HistoryPropertyTest,
  Leaf,
  ListTest,
  Path,
  Presence,
  TextTest,
  TimeTest,
  Tree,
  ValueTest,
} from '../../src/audience/conditions/tree.ts'

// Random trees of segments, drawn from few words and numbers, so that many of them differ in one value only.

const words = fc.constantFrom(
  'a',
  'A',
  'b',
  'a and b',
  'or',
  '`',
  '"a"',
  '',
  ' ',
  '\n',
  '\u202e',
  'empty text',
  'true',
  '5',
  '😀',
)
const patterns = fc.constantFrom('a', '^A$', '`', '\\d+', 'a|b', '')
const names = fc.constantFrom('a', 'A', 'b', 'a` and `b', 'in', 'a` in `b', 'is set')
const numbers = fc.constantFrom(0, 1, 2, 5, -1, 0.5, 50)
const days = fc.constantFrom(0, 1, 2, 30)
const instants = fc.constantFrom(
  0,
  1,
  1000,
  60_000,
  86_399_999,
  86_400_000,
  Date.UTC(2026, 2, 3),
  Date.UTC(2026, 2, 3, 14, 5),
)

const presence: Arbitrary<Presence> = fc.record({ comparison: fc.constantFrom('exists', 'does_not_exist') })
const text: Arbitrary<TextTest> = fc.oneof(
  fc.record({ comparison: fc.constantFrom('equals' as const, 'not_equal' as const), text: words }),
  fc.record({ comparison: fc.constantFrom('matches_regex' as const, 'does_not_match_regex' as const), text: patterns }),
)
const numberComparisons = [
  'equals',
  'not_equal',
  'greater_than',
  'greater_than_or_equal_to',
  'less_than',
  'less_than_or_equal_to',
] as const
const number: Arbitrary<CountTest> = fc.record({ comparison: fc.constantFrom(...numberComparisons), number: numbers })
const flag: Arbitrary<FlagTest> = fc.record({
  comparison: fc.constantFrom('equals', 'does_not_equal'),
  flag: fc.boolean(),
})
const list: Arbitrary<ListTest> = fc.record({
  comparison: fc.constantFrom('includes_value', 'does_not_include_value'),
  value: fc.oneof(words, numbers, fc.boolean()),
})
const time: Arbitrary<TimeTest> = fc.oneof(
  fc.record({
    comparison: fc.constantFrom(
      'less_than_x_days_ago' as const,
      'greater_than_x_days_ago' as const,
      'less_than_x_days_in_the_future' as const,
      'greater_than_x_days_in_the_future' as const,
    ),
    days,
  }),
  fc.record({ comparison: fc.constantFrom('after' as const, 'before' as const), ms: instants }),
)
const property: Arbitrary<HistoryPropertyTest> = fc.record({
  name: names,
  test: fc.oneof(presence, text, number, flag),
})
const maybe = <T>(values: Arbitrary<T>): Arbitrary<T | undefined> => fc.option(values, { nil: undefined, freq: 2 })

function occurrence(withDays: boolean): Arbitrary<HistoryFilter> {
  return fc.record({
    of: fc.constantFrom('event', 'purchase'),
    name: maybe(names),
    days: withDays ? maybe(fc.constantFrom(1, 2, 30)) : fc.constant(undefined),
    properties: fc.oneof(fc.constant([]), fc.array(property, { minLength: 1, maxLength: 3 })),
  })
}

const times: Arbitrary<CountTest> = fc.oneof(
  fc.constant<CountTest>({ comparison: 'equals', number: 0 }),
  fc.record({ comparison: fc.constantFrom(...numberComparisons), number: fc.constantFrom(1, 2, 50) }),
)
const value: Arbitrary<ValueTest> = fc.oneof(presence, text, number, flag, list, time)
const path: Arbitrary<Path> = fc.array(names, { minLength: 1, maxLength: 3 }).map((keys) => keys as unknown as Path)
const timeOrPresence = fc.oneof(time, presence)
const textOrPresence = fc.oneof(text, presence)
const which = fc.constantFrom('first' as const, 'last' as const)
const kind = <K extends string>(name: K): Arbitrary<K> => fc.constant(name)

export const leaves: Arbitrary<Leaf> = fc.oneof(
  fc.record({ kind: kind('custom_attribute'), path, test: value }),
  fc
    .record({ kind: kind('standard_attribute'), field: fc.constantFrom(...standardTexts), test: textOrPresence })
    .filter(({ field, test }) => field !== 'email' || !('text' in test) || test.text === test.text.toLowerCase()),
  fc.record({ kind: kind('standard_time'), field: fc.constantFrom(...standardTimes), test: timeOrPresence }),
  fc.record({
    kind: kind('subscription_status'),
    channel: fc.constantFrom('email', 'push'),
    is: fc.boolean(),
    state: fc.constantFrom('opted_in', 'subscribed', 'unsubscribed'),
  }),
  fc.record({
    kind: kind('subscription_group'),
    subscription_group_id: names,
    state: fc.constantFrom('subscribed', 'unsubscribed'),
  }),
  fc.record({ kind: kind('cohort'), partner: fc.constantFrom('acme', 'b-2_c'), cohort_id: names }),
  fc.record({ kind: kind('used_app'), which, app_id: maybe(names), test: timeOrPresence }),
  fc.record({ kind: kind('device'), field: fc.constantFrom(...deviceFields), test: textOrPresence }),
  fc.record({ kind: kind('occurrences'), what: occurrence(true), times }),
  fc.record({ kind: kind('occurrence_time'), what: occurrence(false), which, test: time }),
  fc.record({ kind: kind('total_revenue'), test: number }),
  fc.record({ kind: kind('session_count'), test: number, onlyWithSessions: fc.boolean() }),
  fc.record({ kind: kind('random_bucket'), test: number }),
  fc.record({ kind: kind('last_message'), channel: maybe(fc.constantFrom('email', 'webhook')), test: timeOrPresence }),
  fc.record({ kind: kind('segment'), segment_id: names }),
)

export const trees: Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => {
  const children = fc.array(tie('tree'), { minLength: 1, maxLength: 3 })
  return {
    tree: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      leaves,
      children.map((all) => ({ all })),
      children.map((any) => ({ any })),
      tie('tree').map((not) => ({ not })),
    ),
  }
}).tree

/** Returns the equivalent tree as the parser makes it: without groups of one, groups inside the same kind, and double negations. */
export function canonical(tree: Tree): Tree {
  if ('not' in tree) {
    const inner = canonical(tree.not)
    return 'not' in inner ? inner.not : { not: inner }
  }
  if ('kind' in tree) return tree
  if ('all' in tree) {
    const all = tree.all.map(canonical).flatMap((child) => ('all' in child ? child.all : [child]))
    return all.length === 1 ? all[0]! : { all }
  }
  const any = tree.any.map(canonical).flatMap((child) => ('any' in child ? child.any : [child]))
  return any.length === 1 ? any[0]! : { any }
}

type Json = Record<string, unknown>

/** Returns the JSON of a segment's tree. */
export function jsonOf(tree: Tree): Json {
  if ('all' in tree) return { AND: tree.all.map(jsonOf) }
  if ('any' in tree) return { OR: tree.any.map(jsonOf) }
  return 'not' in tree ? { NOT: jsonOf(tree.not) } : leafJson(tree)
}

function leafJson(leaf: Leaf): Json {
  switch (leaf.kind) {
    case 'custom_attribute': {
      const [custom_attribute_name, ...below] = leaf.path
      return {
        custom_attribute: { custom_attribute_name, ...(below.length > 0 && { path: below }), ...testJson(leaf.test) },
      }
    }
    case 'standard_attribute':
    case 'standard_time':
      return { standard_attribute: { name: leaf.field, ...testJson(leaf.test) } }
    case 'subscription_status':
      return { [`${leaf.channel}_subscription_status`]: { comparison: leaf.is ? 'is' : 'is_not', value: leaf.state } }
    case 'subscription_group':
      return {
        subscription_group: { subscription_group_id: leaf.subscription_group_id, comparison: 'is', value: leaf.state },
      }
    case 'cohort':
      return { cohort: { partner: leaf.partner, cohort_id: leaf.cohort_id } }
    case 'used_app':
      return { [`${leaf.which}_used_app`]: { app_id: leaf.app_id, ...testJson(leaf.test) } }
    case 'device':
      return { device: { name: leaf.field, ...testJson(leaf.test) } }
    case 'occurrences':
      return {
        [leaf.what.of === 'event' ? 'custom_event' : 'purchase']: {
          ...occurrenceJson(leaf.what),
          ...timesJson(leaf.times),
        },
      }
    case 'occurrence_time': {
      const name = `${leaf.which}_${leaf.what.of === 'event' ? 'custom_event' : 'purchase'}`
      const { days: _, ...what } = occurrenceJson(leaf.what)
      return { [name]: { ...what, ...testJson(leaf.test) } }
    }
    case 'session_count':
      return { session_count: { ...testJson(leaf.test), only_with_sessions: leaf.onlyWithSessions } }
    case 'total_revenue':
    case 'random_bucket':
      return { [leaf.kind]: testJson(leaf.test) }
    case 'last_message':
      return { last_received_message: { channel: leaf.channel, ...testJson(leaf.test) } }
    case 'segment':
      return { segment: { segment_id: leaf.segment_id } }
  }
}

function testJson(test: ValueTest): Json {
  const { comparison } = test
  if ('ms' in test) return { comparison, value: new Date(test.ms).toISOString() }
  if ('text' in test) return { comparison, value: test.text }
  if ('number' in test) return { comparison, value: test.number }
  if ('flag' in test) return { comparison, value: test.flag }
  if ('days' in test) return { comparison, value: test.days }
  return 'value' in test ? { comparison, value: test.value } : { comparison }
}

function timesJson(test: CountTest): Json {
  return test.number === 0 ? { comparison: 'does_not_exist' } : testJson(test)
}

function occurrenceJson({ of, name, days: windowDays, properties }: HistoryFilter): Json {
  const tested = properties.map((each) => ({ name: each.name, ...testJson(each.test) }))
  return {
    ...(of === 'event' ? { name } : { product_id: name }),
    days: windowDays,
    ...(tested.length > 0 && { properties: tested }),
  }
}
