import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  parseAudience,
  parseSegment,
  segmentIdsIn,
  tryParseSegment,
  withSegments,
} from '../../src/audience/conditions/parse-condition.ts'
import { apiLeaves, segmentLeaves } from '../../src/audience/conditions/parse-leaves.ts'
import { seed, sizes } from '../sizes.ts'
import { canonical, jsonOf, trees } from './audience-trees.ts'
import { attribute, event, gold, refusal } from './audience-values.ts'

describe('an API audience', () => {
  test('the example of the specification is accepted', () => {
    const tree = parseAudience(
      {
        AND: [
          attribute('equals', 'blue'),
          {
            OR: [
              attribute('less_than_x_days_ago', 2),
              { push_subscription_status: { comparison: 'is', value: 'opted_in' } },
            ],
          },
          { email_subscription_status: { comparison: 'is_not', value: 'subscribed' } },
          { last_used_app: { comparison: 'after', value: '2019-07-22T13:17:55+0000' } },
        ],
      },
      'audience',
    )
    assert.deepEqual(tree, {
      all: [
        { kind: 'custom_attribute', path: ['plan'], test: { comparison: 'equals', text: 'blue' } },
        {
          any: [
            { kind: 'custom_attribute', path: ['plan'], test: { comparison: 'less_than_x_days_ago', days: 2 } },
            { kind: 'subscription_status', channel: 'push', is: true, state: 'opted_in' },
          ],
        },
        { kind: 'subscription_status', channel: 'email', is: false, state: 'subscribed' },
        {
          kind: 'used_app',
          which: 'last',
          app_id: undefined,
          test: { comparison: 'after', ms: Date.UTC(2019, 6, 22, 13, 17, 55) },
        },
      ],
    })
  })

  test('the type of the value decides how an attribute is compared', () => {
    const testOf = (comparison: string, value?: unknown) => {
      const tree = parseAudience(attribute(comparison, value), 'audience')
      assert.ok('kind' in tree && tree.kind === 'custom_attribute')
      return tree.test
    }
    assert.deepEqual(testOf('equals', 5), { comparison: 'equals', number: 5 })
    assert.deepEqual(testOf('equals', '5'), { comparison: 'equals', text: '5' })
    assert.deepEqual(testOf('equals', false), { comparison: 'equals', flag: false })
    for (const word of ['not_equal', 'does_not_equal']) {
      assert.deepEqual(testOf(word, 5), { comparison: 'not_equal', number: 5 })
      assert.deepEqual(testOf(word, '5'), { comparison: 'not_equal', text: '5' })
      assert.deepEqual(testOf(word, true), { comparison: 'does_not_equal', flag: true })
    }
    assert.deepEqual(testOf('less_than', -0), { comparison: 'less_than', number: 0 })
    assert.deepEqual(testOf('does_not_include_value', 5), { comparison: 'does_not_include_value', value: 5 })
    assert.deepEqual(testOf('before', '2026-03-03'), { comparison: 'before', ms: Date.UTC(2026, 2, 3) })
    for (const beside of [undefined, null, 'x', true])
      assert.deepEqual(testOf('exists', beside), { comparison: 'exists' })
  })

  const wrong: readonly [unknown, string][] = [
    [undefined, 'audience is missing; it must be an object with one of AND, OR, custom_attribute, '],
    [null, 'audience must be an object with one of '],
    ['everybody', 'audience must be an object with one of '],
    [[gold], 'audience must be an object with one of '],
    [{}, 'audience is empty; it must have one of '],
    [{ AND: [] }, 'audience.AND is empty; '],
    [{ OR: gold }, 'audience.OR must be a list of conditions, not an object'],
    [{ NOT: gold }, 'audience.NOT is not known here; '],
    [{ AND: [gold], OR: [gold] }, 'audience must have one member, not both AND and OR'],
    [
      { AND: [gold, { ...gold, last_used_app: {} }] },
      'audience.AND[1] must have one member, not both custom_attribute and ',
    ],
    [{ and: [gold] }, 'audience.and is not known here; known are AND, OR, '],
    [JSON.parse('{"__proto__":[]}'), 'audience.__proto__ is not known here; '],
    [{ constructor: [] }, 'audience.constructor is not known here; '],
    [{ 'a b': 1 }, 'audience["a b"] is not known here; '],
    [{ AND: [gold, { OR: [gold, null] }] }, 'audience.AND[1].OR[1] must be an object with one of '],
    [
      { AND: [gold, gold, attribute('like', 'x')] },
      'audience.AND[2].custom_attribute.comparison must be one of equals, not_equal, ',
    ],
    [attribute(undefined), 'audience.custom_attribute.comparison is missing; it must be one of '],
    [attribute('toString', 'x'), 'audience.custom_attribute.comparison must be one of '],
    [attribute('equals'), 'audience.custom_attribute.value is missing; it must be text of at most 1000 characters'],
    [attribute('equals', null), 'audience.custom_attribute.value must be text of at most 1000 characters'],
    [attribute('equals', ['x']), 'audience.custom_attribute.value must be text of at most 1000 characters'],
    [
      attribute('equals', 'a\0b'),
      'audience.custom_attribute.value must be text of at most 1000 characters without NUL',
    ],
    [attribute('equals', '\ud800'), 'audience.custom_attribute.value must be text '],
    [attribute('greater_than', '5'), 'audience.custom_attribute.value must be a number, not "5"'],
    [attribute('greater_than', Number.POSITIVE_INFINITY), 'audience.custom_attribute.value must be a number, '],
    [attribute('includes_value', {}), 'audience.custom_attribute.value must be text of at most 1000 characters'],
    [attribute('matches_regex', 5), 'audience.custom_attribute.value must be text '],
    [attribute('matches_regex', '(a'), 'audience.custom_attribute.value must be a regular expression of RE2: '],
    [attribute('matches_regex', '(?=a)'), 'audience.custom_attribute.value must be a regular expression of RE2: '],
    [attribute('matches_regex', '(a)\\1'), 'audience.custom_attribute.value must be a regular expression of RE2: '],
    [
      attribute('less_than_x_days_ago', 1.5),
      'audience.custom_attribute.value must be an integer from 0 to 36500, not 1.5',
    ],
    [
      attribute('less_than_x_days_ago', '2'),
      'audience.custom_attribute.value must be an integer from 0 to 36500, not "2"',
    ],
    [attribute('after', 'yesterday'), 'audience.custom_attribute.value must be a time such as '],
    [attribute('after', '2026-02-30'), 'audience.custom_attribute.value must be a time such as '],
    [attribute('after', 5), 'audience.custom_attribute.value must be a time such as '],
    [attribute('exists', [[]]), 'audience.custom_attribute.value must be left out, not a list'],
    [{ custom_attribute: null }, 'audience.custom_attribute must be an object with custom_attribute_name, '],
    [{ custom_attribute: { name: 'x' } }, 'audience.custom_attribute.name is not known here; '],
    [
      { custom_attribute: { custom_attribute_name: '', comparison: 'exists' } },
      'audience.custom_attribute.custom_attribute_name must be ',
    ],
    [
      { custom_attribute: { custom_attribute_name: 5, comparison: 'exists' } },
      'audience.custom_attribute.custom_attribute_name must be ',
    ],
    [
      { custom_attribute: { custom_attribute_name: 'a', path: ['b'], comparison: 'exists' } },
      'audience.custom_attribute.path is not known here; ',
    ],
    [
      { push_subscription_status: { comparison: 'equals', value: 'opted_in' } },
      'audience.push_subscription_status.comparison must be one of is, is_not',
    ],
    [
      { email_subscription_status: { comparison: 'is', value: 'Subscribed' } },
      'audience.email_subscription_status.value must be one of opted_in, ',
    ],
    [
      { last_used_app: { comparison: 'exists' } },
      'audience.last_used_app.comparison must be one of after, before, not "exists"',
    ],
    [{ last_used_app: { comparison: 'after', value: 3 } }, 'audience.last_used_app.value must be a time such as '],
  ]
  for (const [value, message] of wrong) {
    test(`${JSON.stringify(value)?.slice(0, 90)} is refused with its path`, () => {
      const text = refusal(value)
      assert.ok(text.startsWith(message), text)
    })
  }

  test('a leaf that only segments may have is refused in an API audience', () => {
    for (const name of segmentLeaves.keys()) {
      if (!apiLeaves.has(name))
        assert.match(refusal({ [name]: {} }), new RegExp(`^audience\\.${name} is not known here; `))
    }
  })

  test('an error shows the beginning of a long value', () => {
    const text = refusal(attribute('like'.repeat(100_000), 'x'))
    assert.ok(text.length < 600, String(text.length))
    assert.ok(refusal({ ['x'.repeat(100_000)]: 1 }).length < 300)
  })
})

describe('the tree of a segment', () => {
  test('is the same after it is written as JSON and read, for random trees', () => {
    fc.assert(
      fc.property(trees, (tree) => {
        assert.deepEqual(parseSegment(jsonOf(tree), 'audience'), structuredClone(canonical(tree)))
      }),
      { seed, numRuns: sizes.propertyRuns },
    )
  })

  test('loses groups with one member and groups inside a group of the same kind', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((value) => attribute('equals', value))
    const read = (value: unknown) => parseSegment(value, 'audience')
    assert.deepEqual(read({ AND: [{ AND: [{ OR: [a, { OR: [b] }] }] }] }), read({ OR: [a, b] }))
    assert.deepEqual(read({ AND: [a, { AND: [b, c] }] }), read({ AND: [a, b, c] }))
    assert.deepEqual(read({ NOT: { NOT: a } }), read(a))
  })

  test('has counts for events: exists is at least once, does_not_exist is never', () => {
    const timesOf = (members: object) => (parseSegment(event(members), 'audience') as { times: object }).times
    assert.deepEqual(timesOf({}), { comparison: 'greater_than_or_equal_to', number: 1 })
    assert.deepEqual(timesOf({ comparison: 'does_not_exist', value: 5 }), { comparison: 'equals', number: 0 })
    const beside = event({ value: [{ of: 'any size' }] })
    assert.equal(refusal(beside, parseSegment), 'audience.custom_event.value must be left out, not a list')
    assert.deepEqual(timesOf({ comparison: 'does_not_equal', value: 3 }), { comparison: 'not_equal', number: 3 })
  })

  test('has e-mail addresses in lower case', () => {
    const leaf = { standard_attribute: { name: 'email', comparison: 'equals', value: 'Ann@Example.com' } }
    assert.deepEqual(parseSegment(leaf, 'audience'), {
      kind: 'standard_attribute',
      field: 'email',
      test: { comparison: 'equals', text: 'ann@example.com' },
    })
  })

  test('has phone numbers in E.164 where possible, as they are stored', () => {
    for (const [value, text] of [
      ['+49 (151) 234-567.89', '+4915123456789'],
      ['call me', 'call me'],
    ]) {
      const leaf = { standard_attribute: { name: 'phone', comparison: 'not_equal', value } }
      const expected = { kind: 'standard_attribute', field: 'phone', test: { comparison: 'not_equal', text } }
      assert.deepEqual(parseSegment(leaf, 'audience'), expected)
    }
  })

  test('any value is accepted or refused with a path', () => {
    const names = [...segmentLeaves.keys(), 'AND', 'OR', 'NOT', 'comparison', 'value', 'name', 'properties', 'path']
    const values = fc.anything({
      key: fc.oneof(fc.constantFrom(...names), fc.string()),
      maxDepth: 6,
      values: [fc.constantFrom('exists', 'equals', 'is', 'after', '\0', '\ud800', '(?', 2 ** 53), fc.anything()],
    })
    fc.assert(
      fc.property(values, (value) => {
        const result = tryParseSegment(JSON.parse(JSON.stringify(value) ?? 'null'), 'audience')
        if ('mistake' in result) assert.ok(result.mistake.path.startsWith('audience'))
      }),
      { seed, numRuns: sizes.propertyRuns },
    )
  })

  test('each leaf refuses members and kinds that it does not have', () => {
    for (const name of segmentLeaves.keys()) {
      for (const value of [null, 5, 'x', [], {}, { odd: 1 }, { comparison: {} }, { comparison: 'odd', value: 1 }]) {
        assert.match(refusal({ [name]: value }, parseSegment), new RegExp(`^audience\\.${name}[. ]`))
      }
    }
  })
})

describe('nested segments', () => {
  const tree = parseSegment(
    {
      AND: [
        { segment: { segment_id: 'a' } },
        { NOT: { OR: [{ segment: { segment_id: 'b' } }, { segment: { segment_id: 'a' } }] } },
      ],
    },
    'audience',
  )

  test('are listed once each', () => {
    assert.deepEqual(segmentIdsIn(tree), ['a', 'b'])
    assert.deepEqual(segmentIdsIn(parseSegment(gold, 'audience')), [])
  })

  test('are replaced by name and tree', () => {
    const inner = parseSegment(gold, 'audience')
    const whole = withSegments(tree, (id) => (id === 'a' ? { name: 'Gold', tree: inner } : undefined))
    const nested = { kind: 'segment', segment_id: 'a', name: 'Gold', tree: inner }
    assert.deepEqual(whole, { all: [nested, { not: { any: [{ kind: 'segment', segment_id: 'b' }, nested] } }] })
    assert.deepEqual(segmentIdsIn(whole), ['a', 'b'])
  })
})
