import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseSegment, withSegments } from '../../src/audience/conditions/parse-condition.ts'
import type { Tree } from '../../src/audience/conditions/tree.ts'
import { requireAttributes } from '../../src/audience/conditions/unset-attributes.ts'

type Item = Readonly<Record<string, unknown>>

const plan = (comparison: string, value?: unknown): Item => ({
  custom_attribute: { custom_attribute_name: 'plan', comparison, ...(value !== undefined && { value }) },
})
const read = (condition: Item): Tree => parseSegment(condition, 'audience')
const set = plan('exists')
const unset = plan('does_not_exist')

/** Conditions, and what is left of each when lacking an attribute fulfils nothing; undefined when it does not change. */
const cases: readonly [condition: Item, required: Item | undefined][] = [
  [plan('equals', 'gold'), undefined],
  [plan('not_equal', 'gold'), { AND: [plan('not_equal', 'gold'), set] }],
  [plan('equals', 0), { AND: [plan('equals', 0), set] }],
  [plan('equals', 1), undefined],
  [plan('less_than', -1), { AND: [plan('less_than', -1), set] }],
  [plan('greater_than', -1), undefined],
  [plan('does_not_equal', true), { AND: [plan('does_not_equal', true), set] }],
  [plan('does_not_include_value', 'a'), { AND: [plan('does_not_include_value', 'a'), set] }],
  [plan('does_not_match_regex', 'a'), undefined],
  [plan('before', '2026-01-01'), undefined],
  [set, undefined],
  [unset, undefined],
  [{ NOT: set }, undefined],
  [{ NOT: plan('equals', 'gold') }, { NOT: { OR: [plan('equals', 'gold'), unset] } }],
  [{ NOT: plan('not_equal', 'gold') }, undefined],
  [{ NOT: plan('before', '2026-01-01') }, { NOT: { OR: [plan('before', '2026-01-01'), unset] } }],
  [
    { NOT: { AND: [set, { NOT: plan('less_than', 5) }] } },
    { NOT: { AND: [set, { NOT: { AND: [plan('less_than', 5), set] } }] } },
  ],
  [
    { OR: [plan('not_equal', 'gold'), plan('equals', 'gold')] },
    { OR: [{ AND: [plan('not_equal', 'gold'), set] }, plan('equals', 'gold')] },
  ],
  [
    { NOT: { device: { name: 'os', comparison: 'equals', value: 'a' } } },
    {
      NOT: {
        OR: [
          { device: { name: 'os', comparison: 'equals', value: 'a' } },
          { device: { name: 'os', comparison: 'does_not_exist' } },
        ],
      },
    },
  ],
  [{ session_count: { comparison: 'less_than', value: 5 } }, undefined],
  [{ custom_event: { name: 'bought', comparison: 'less_than', value: 2 } }, undefined],
]

describe('a tree without people who only lack an attribute', () => {
  for (const [condition, required] of cases) {
    test(`${JSON.stringify(condition)} becomes ${required === undefined ? 'itself' : JSON.stringify(required)}`, () =>
      assert.deepEqual(requireAttributes(read(condition)), required && read(required)))
  }

  test('reaches into nested segments', () => {
    const nested = (tree: Item) =>
      withSegments(read({ NOT: { segment: { segment_id: 'a' } } }), () => ({ name: 'A', tree: read(tree) }))
    assert.equal(requireAttributes(nested(plan('not_equal', 'gold'))), undefined)
    assert.deepEqual(requireAttributes(nested(plan('equals', 'gold'))), nested({ OR: [plan('equals', 'gold'), unset] }))
  })
})
