import fc from 'fast-check'
import type {
  CountTest,
  HistoryFilter,
  HistoryPropertyTest,
  Leaf,
  Path,
  Presence,
  TextTest,
  TimeTest,
  Tree,
} from '../../src/audience/conditions/tree.ts'
import { patterns } from './audience-model.ts'
import {
  apps,
  cohorts,
  dayMs,
  eventNames,
  groups,
  keys,
  names,
  nowMs,
  numbers,
  products,
  texts,
} from './audience-people.ts'

const from = fc.constantFrom
const presence: fc.Arbitrary<Presence> = fc.record({ comparison: from('exists', 'does_not_exist') })
const comparedText: fc.Arbitrary<TextTest> = fc.oneof(
  fc.record({ comparison: from('equals', 'not_equal'), text: from(...texts) }),
  fc.record({
    comparison: from('matches_regex', 'does_not_match_regex'),
    text: from(...patterns.map(([written]) => written)),
  }),
)
const orders = ['greater_than', 'greater_than_or_equal_to', 'less_than', 'less_than_or_equal_to'] as const
const numberOf = (values: readonly number[]): fc.Arbitrary<CountTest> =>
  fc.record({ comparison: from('equals', 'not_equal', ...orders), number: from(...values) })
const flag = fc.record({ comparison: from('equals' as const, 'does_not_equal' as const), flag: fc.boolean() })
const list = fc.record({
  comparison: from('includes_value' as const, 'does_not_include_value' as const),
  value: from<string | number | boolean>(...texts, ...numbers, true, false),
})
const time: fc.Arbitrary<TimeTest> = fc.oneof(
  fc.record({
    comparison: from(
      'less_than_x_days_ago' as const,
      'greater_than_x_days_ago' as const,
      'less_than_x_days_in_the_future' as const,
      'greater_than_x_days_in_the_future' as const,
    ),
    days: from(0, 1, 2, 7, 30, 36_500),
  }),
  fc.record({
    comparison: from('after' as const, 'before' as const),
    ms: from(
      nowMs,
      nowMs - 1,
      nowMs - dayMs,
      nowMs + dayMs,
      -62_135_596_800_000,
      253_402_300_799_999,
      32_503_593_600_000,
    ),
  }),
)
const textTest = fc.oneof({ weight: 3, arbitrary: comparedText }, presence)
const timeTest = fc.oneof({ weight: 4, arbitrary: time }, presence)
const count = numberOf([0, 1, 2, 3, 5])

const property: fc.Arbitrary<HistoryPropertyTest> = fc.record({
  name: from(...keys),
  test: fc.oneof(textTest, numberOf(numbers), flag),
})
const occurrence: fc.Arbitrary<HistoryFilter> = from('event' as const, 'purchase' as const).chain((of) =>
  fc.record({
    of: fc.constant(of),
    name: fc.option(from(...(of === 'event' ? eventNames : products)), { nil: undefined }),
    days: from(undefined, 1, 2, 7, 30),
    properties: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(property, { maxLength: 2 })),
  }),
)

const path = fc
  .tuple(from(...names), fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(from(...keys), { maxLength: 2 })))
  .map(([name, below]): Path => [name, ...below])

const columns = {
  text: from(
    'external_id' as const,
    'email' as const,
    'phone' as const,
    'first_name' as const,
    'dob' as const,
    'time_zone' as const,
  ),
  time: from(
    'created_at' as const,
    'marked_email_as_spam_at' as const,
    'date_of_first_session' as const,
    'date_of_last_session' as const,
  ),
}

const leaf: fc.Arbitrary<Leaf> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('custom_attribute' as const),
      path,
      test: fc.oneof(textTest, numberOf(numbers), flag, list, time),
    }),
  },
  fc.record({ kind: fc.constant('standard_attribute' as const), field: columns.text, test: textTest }),
  fc.record({ kind: fc.constant('standard_time' as const), field: columns.time, test: timeTest }),
  fc.record({
    kind: fc.constant('subscription_status' as const),
    channel: from('email' as const, 'push' as const),
    is: fc.boolean(),
    state: from('opted_in' as const, 'subscribed' as const, 'unsubscribed' as const),
  }),
  fc.record({
    kind: fc.constant('subscription_group' as const),
    subscription_group_id: from(...groups),
    state: from('subscribed' as const, 'unsubscribed' as const),
  }),
  fc.record({
    kind: fc.constant('cohort' as const),
    partner: from('acme', 'other'),
    cohort_id: from(...cohorts, 'unknown'),
  }),
  fc.record({
    kind: fc.constant('used_app' as const),
    which: from('first' as const, 'last' as const),
    app_id: from(undefined, ...apps, 'tv'),
    test: timeTest,
  }),
  fc.record({
    kind: fc.constant('device' as const),
    field: from('model' as const, 'os' as const, 'carrier' as const),
    test: textTest,
  }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('occurrences' as const), what: occurrence, times: count }) },
  fc.record({
    kind: fc.constant('occurrence_time' as const),
    what: occurrence,
    which: from('first' as const, 'last' as const),
    test: time,
  }),
  fc.record({ kind: fc.constant('total_revenue' as const), test: numberOf([0, 0.1, 5, -1]) }),
  fc.record({ kind: fc.constant('session_count' as const), test: count, onlyWithSessions: fc.boolean() }),
  fc.record({ kind: fc.constant('random_bucket' as const), test: numberOf([0, 5, 4999.5]) }),
  fc.record({
    kind: fc.constant('last_message' as const),
    channel: from(undefined, 'email' as const, 'webhook' as const),
    test: timeTest,
  }),
)

/** Condition trees with every leaf, some of them in a nested segment. */
export const trees: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    fc.record({ all: fc.array(tie('tree'), { maxLength: 4 }) }),
    fc.record({ any: fc.array(tie('tree'), { maxLength: 4 }) }),
    fc.record({ not: tie('tree') }),
    fc.record({ kind: fc.constant('segment' as const), segment_id: fc.constant('s'), tree: tie('tree') }),
  ),
})).tree

/** One leaf, or its negation. */
export const single: fc.Arbitrary<Tree> = fc.oneof(
  leaf,
  leaf.map((not) => ({ not })),
)
