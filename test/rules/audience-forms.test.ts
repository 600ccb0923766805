import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import {
  asScalar,
  comparisonsOf,
  readNumber,
  scalarTypeOf,
  scalarTypes,
  valueFor,
  valueKindOf,
} from '../../dashboard/src/audience/comparisons.ts'
import { conditionPaths } from '../../dashboard/src/audience/condition-paths.ts'
import { comparedBy, nodeOf, show, withComparison, withMember } from '../../dashboard/src/audience/conditions.ts'
import { examples } from '../../dashboard/src/audience/examples.ts'
import { type Kind, kinds, type Members } from '../../dashboard/src/audience/kinds.ts'
import {
  newCondition,
  newGroup,
  withGroupAround,
  withOpposite,
  withoutGroup,
  withPart,
  withWord,
} from '../../dashboard/src/audience/tree.ts'
import { formatPath } from '../../dashboard/src/draft/path.ts'
import { parseExactly } from '../../dashboard/src/words/exact-json.ts'
import { outlineSegment, tryParseSegment } from '../../src/audience/conditions/parse-condition.ts'
import { segmentLeaves } from '../../src/audience/conditions/parse-leaves.ts'
import { jsonOf, trees } from './audience-trees.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/segments.md'), 'utf8')

/** Opens every node as the editor does and writes it back. Fails for a node that is shown as JSON. */
function reopen(node: unknown): unknown {
  const shown = show(node)
  if (shown.as === 'group') return { [shown.word]: shown.parts.map(reopen) }
  if (shown.as === 'not') return { NOT: reopen(shown.part) }
  assert.equal(shown.as, 'condition', JSON.stringify(node))
  return shown.as === 'condition' ? nodeOf(shown.kind, shown.members) : node
}

/** Finds the audiences in a value of an example. */
function audiencesIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  const { segments, audience } = value as { segments?: unknown[]; audience?: unknown }
  if (segments) return segments.flatMap(audiencesIn)
  return audience === undefined ? [value] : [audience]
}

function mistakeOf(node: unknown): string | undefined {
  const parsed = tryParseSegment(node, 'audience')
  return 'mistake' in parsed ? `${parsed.mistake.path} ${parsed.mistake.message}` : undefined
}

const names: Members = {
  custom_attribute_name: 'plan',
  subscription_group_id: 'news',
  segment_id: 'Staff',
  partner: 'acme',
  cohort_id: 'c1',
}

/** Gives a new condition the names and times that nobody can guess. */
function filled(members: Members): Members {
  const given = Object.entries(members).map(([member, value]) => [
    member,
    value === '' ? (names[member] ?? value) : value,
  ])
  const whole = Object.fromEntries(given) as Members
  return whole.value === '' && ['after', 'before'].includes(String(whole.comparison))
    ? { ...whole, value: '2026-03-03T13:17:55+01:00' }
    : whole
}

test('every condition of the server has a form, and no other has one', () => {
  assert.deepEqual(kinds.map(({ name }) => name).toSorted(), [...segmentLeaves.keys()].toSorted())
})

test('every condition in the documentation is opened and written back unchanged', () => {
  const blocks = [...page.matchAll(/```(?:yaml|json)\n([\s\S]*?)```/g)].map(([, text]) => parse(text!) as unknown)
  const audiences = blocks.flatMap(audiencesIn)
  assert.ok(audiences.length >= 5)
  for (const audience of audiences) {
    assert.equal(mistakeOf(audience), undefined)
    assert.equal(JSON.stringify(reopen(audience)), JSON.stringify(audience))
  }
})

test('every audience is opened and written back unchanged', () => {
  fc.assert(
    fc.property(trees, (tree) => {
      const audience = JSON.parse(JSON.stringify(jsonOf(tree)))
      assert.equal(JSON.stringify(reopen(audience)), JSON.stringify(audience))
    }),
  )
})

test('whatever there is no form for is shown as it is', () => {
  const nodes = [
    undefined,
    null,
    5,
    'plan',
    [],
    {},
    { AND: [], OR: [] },
    { AND: {} },
    { planet: {} },
    { custom_attribute: null },
    { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: ['a'] } },
    { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'a', more: 1 } },
    { custom_attribute: { custom_attribute_name: 5, comparison: 'equals', value: 'a' } },
    { custom_attribute: { comparison: 'equals', value: 'a' } },
    { segment: { segment_id: 'Staff', comparison: 'in' } },
    { segment: { segment_id: 'Staff', value: 5 } },
    { custom_event: { comparison: 'exists', properties: [{ name: 'a' }] } },
    { custom_event: { comparison: 'exists', days: '30' } },
    { total_revenue: { comparison: 'equals', value: parseExactly('1234567890123456789') } },
  ]
  for (const node of nodes) assert.equal(show(node).as, 'json', JSON.stringify(node))
})

test('a new condition is right as soon as its names are given', () => {
  for (const kind of kinds) {
    const node = nodeOf(kind, filled(kind.begin))
    assert.equal(show(nodeOf(kind, kind.begin)).as, 'condition', kind.name)
    assert.equal(mistakeOf(node), undefined, kind.name)
  }
  for (const { name, audience } of examples) {
    assert.equal(mistakeOf(audience), undefined, name)
    assert.deepEqual(reopen(audience), audience)
  }
  assert.equal(show(newCondition()).as, 'condition')
  assert.deepEqual(Object.keys(newGroup('AND') as object), ['OR'])
})

/** Every choice of the fields that decide what is compared. */
function variants(kind: Kind): Members[] {
  const choices = kind.before.flatMap((field) => (field.control === 'choice' ? [field] : []))
  const [field] = choices
  if (!field) return [kind.begin]
  return field.choices.map(({ value }) => withMember(kind, kind.begin, field.member, value))
}

test('every comparison that is offered is taken by the server, from every other one', () => {
  for (const kind of kinds) {
    for (const members of variants(kind)) {
      const compared = comparedBy(kind, members)
      if (compared === undefined) continue
      const offered = comparisonsOf(compared, undefined).flatMap(({ choices }) => choices.map(({ value }) => value))
      for (const first of offered) {
        for (const second of offered) {
          const changed = withComparison(compared, withComparison(compared, filled(members), first), second)
          const node = nodeOf(kind, filled(changed))
          assert.equal(mistakeOf(node), undefined, `${first} ${JSON.stringify(node)}`)
        }
      }
    }
  }
})

test('every choice of a field and of a state is taken by the server', () => {
  for (const kind of kinds) {
    for (const members of variants(kind)) assert.equal(mistakeOf(nodeOf(kind, filled(members))), undefined)
    if (kind.test.of !== 'state') continue
    for (const { value } of kind.test.choices) {
      assert.equal(mistakeOf(nodeOf(kind, filled({ ...kind.begin, value }))), undefined, `${kind.name} ${value}`)
    }
  }
})

test('an unusual comparison that is stored stays among the choices', () => {
  const offered = (written: string) =>
    comparisonsOf('text', written).flatMap(({ choices }) => choices.map(({ value }) => value))
  assert.ok(offered('does_not_equal').includes('does_not_equal'))
  assert.ok(!offered('equals').includes('does_not_equal'))
})

test('a value changes its type only when it must', () => {
  assert.equal(valueFor('scalar', true), true)
  assert.equal(valueFor('text', 5), '5')
  assert.equal(valueFor('number', '7'), 7)
  assert.equal(valueFor('number', 'gold'), 1)
  assert.equal(valueFor('days', 'gold'), 30)
  assert.equal(valueFor('none', 5), undefined)
  assert.equal(valueKindOf('any', 'equals'), 'scalar')
  assert.deepEqual(['gold', 5, null, false, undefined].map(scalarTypeOf), [
    'string',
    'number',
    'number',
    'boolean',
    'string',
  ])
  for (const { value: type } of scalarTypes) {
    for (const value of ['gold', '', 5, true, null]) assert.equal(scalarTypeOf(asScalar(type, value)), type)
  }
  assert.deepEqual(['1', ' -2.5 ', '1,5', '', 'x', '1e999', '12345678901234567890'].map(readNumber), [
    ...[1, -2.5, 1.5],
    ...[undefined, undefined, undefined, undefined],
  ])
})

test('parts are put into groups, taken out, and turned into their opposites', () => {
  const plan = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'exists' } }
  const document = { audience: { AND: [plan, { OR: [plan, plan] }] } }
  const at = ['audience', 'AND', 0]
  assert.deepEqual(withOpposite(document, at).audience.AND[0], { NOT: plan })
  assert.deepEqual(withOpposite(withOpposite(document, at), at), document)
  assert.deepEqual(withGroupAround(document, at, 'OR').audience.AND[0], { OR: [plan] })
  assert.deepEqual(withoutGroup(document, ['audience', 'AND', 1]).audience.AND, [plan, plan, plan])
  assert.equal(withoutGroup(document, ['audience']), document)
  assert.deepEqual(withPart(document, ['audience', 'AND', 1], plan).audience.AND[1], { OR: [plan, plan, plan] })
  assert.deepEqual(withWord(document, ['audience'], 'OR').audience, { OR: document.audience.AND })
  assert.equal(withWord(document, at, 'OR'), document)
})

test('the mistakes of the server name the fields of the forms', () => {
  const days = { name: 'custom_event', members: { name: 'order', comparison: 'equals', value: 0, days: 99 } }
  const node = {
    AND: [{ [days.name]: days.members }, { custom_attribute: { custom_attribute_name: '', comparison: 'x' } }],
  }
  const { mistakes } = outlineSegment(node, 'audience', 1000)
  const fields = node.AND.flatMap((each, i) => {
    const shown = show(each)
    return shown.as === 'condition' ? conditionPaths(shown.kind, ['audience', 'AND', i]).map(formatPath) : []
  })
  assert.equal(mistakes.length, 2)
  for (const { path } of mistakes) assert.ok(fields.includes(path), path)
})
