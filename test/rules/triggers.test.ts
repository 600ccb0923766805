import assert from 'node:assert/strict'
import test from 'node:test'
import type { PropertyTest, Trigger } from '../../src/messaging/flows/flow.ts'
import { matchesTrigger } from '../../src/messaging/flows/match-trigger.ts'
import { assignedVariant, experimentPath, isInControlGroup } from '../../src/messaging/journeys/assignment.ts'
import { event, signal } from '../support/graphs.ts'

function purchase(name: string | undefined): Trigger {
  return { kind: 'purchase', name, tests: [], same: [] }
}

test('a trigger matches signals with its kind and name, or all signals of its kind', () => {
  const bought = signal('shoes', { kind: 'purchase' })
  assert.equal(matchesTrigger(purchase('shoes'), bought, null), true)
  assert.equal(matchesTrigger(purchase(undefined), bought, null), true)
  assert.equal(matchesTrigger(purchase('Shoes'), bought, null), false)
  assert.equal(matchesTrigger(event('shoes'), bought, null), false)
  assert.equal(matchesTrigger(purchase('shoes'), signal('shoes'), null), false)
  const opened = { kind: 'engagement', name: 'opened' } as const
  assert.equal(matchesTrigger(opened, signal('opened', { kind: 'engagement' }), null), true)
  assert.equal(matchesTrigger(opened, signal('clicked', { kind: 'engagement' }), null), false)
  assert.equal(matchesTrigger(opened, signal('opened'), null), false)
})

test('properties are compared as in segments', () => {
  const properties = {
    text: 'Gold',
    number: 7,
    zero: 0,
    flag: false,
    none: null,
    list: ['a'],
    object: { text: 'Gold' },
    ['__proto__']: 1,
  }
  const cases: readonly [string, PropertyTest['comparison'], PropertyTest['value'], boolean][] = [
    ['text', 'equals', 'Gold', true],
    ['text', 'equals', 'gold', false],
    ['text', 'equals', 7, false],
    ['text', 'not_equal', 'gold', true],
    ['text', 'not_equal', 'Gold', false],
    ['text', 'not_equal', 'silver', true],
    ['text', 'greater_than', 'A', false],
    ['number', 'equals', 7, true],
    ['number', 'equals', '7', false],
    ['number', 'not_equal', 7, false],
    ['number', 'greater_than', 7, false],
    ['number', 'greater_than_or_equal_to', 7, true],
    ['number', 'less_than', 7, false],
    ['number', 'less_than_or_equal_to', 7, true],
    ['flag', 'equals', false, true],
    ['flag', 'equals', true, false],
    ['flag', 'not_equal', true, true],
    ['flag', 'less_than', true, false],
    ['zero', 'exists', undefined, true],
    ['flag', 'exists', undefined, true],
    ['none', 'exists', undefined, false],
    ['none', 'does_not_exist', undefined, true],
    ['object', 'exists', undefined, true],
    ['missing', 'exists', undefined, false],
    ['missing', 'does_not_exist', undefined, true],
    ['missing', 'equals', 'x', false],
    ['missing', 'not_equal', 'x', true],
    ['missing', 'greater_than', -1, false],
    ['missing', 'less_than', 1, true],
    ['constructor', 'exists', undefined, false],
    ['toString', 'does_not_exist', undefined, true],
    ['text', 'equals', undefined, false],
    ['number', 'greater_than', undefined, false],
  ]
  for (const [property, comparison, value, expected] of cases) {
    const trigger = event('e', [{ property, comparison, ...(value !== undefined && { value }) }])
    const what = `${property} ${comparison} ${value}`
    assert.equal(matchesTrigger(trigger, signal('e', { properties }), null), expected, what)
  }
})

test('all tests of a trigger must hold', () => {
  const trigger = event('e', [
    { property: 'a', comparison: 'equals', value: 1 },
    { property: 'b', comparison: 'equals', value: 2 },
  ])
  assert.equal(matchesTrigger(trigger, signal('e', { properties: { a: 1, b: 2 } }), null), true)
  assert.equal(matchesTrigger(trigger, signal('e', { properties: { a: 1, b: 3 } }), null), false)
  assert.equal(matchesTrigger(trigger, signal('e', { properties: {} }), null), false)
})

test('a same-property test holds when both events have the property with equal values', () => {
  const trigger = event('e', [], ['cart'])
  const same = (mine: object, first: object | null) =>
    matchesTrigger(
      trigger,
      signal('e', { properties: mine as Record<string, unknown> }),
      first as Record<string, unknown> | null,
    )
  assert.equal(same({ cart: 1, more: 2 }, { cart: 1 }), true)
  assert.equal(same({ cart: { a: [1], b: 2 } }, { cart: { b: 2, a: [1] } }), true)
  assert.equal(same({ cart: null }, { cart: null }), true)
  assert.equal(same({ cart: '1' }, { cart: 1 }), false)
  assert.equal(same({ cart: 1 }, {}), false)
  assert.equal(same({}, { cart: 1 }), false)
  assert.equal(same({}, {}), false)
  assert.equal(same({ cart: 1 }, null), false)
  const odd = event('e', [], ['constructor'])
  assert.equal(matchesTrigger(odd, signal('e', { properties: {} }), {}), false)
})

const people = Array.from({ length: 8_000 }, (_, i) => `${4503599627370497n + BigInt(i) * 977n}`)

test('the control group has the given size, is stable, and keeps its people when it grows', () => {
  for (const percent of [0, 1, 10, 33.3, 100]) {
    const share = people.filter((profile_id) => isInControlGroup(7, profile_id, percent)).length / people.length
    assert.ok(Math.abs(share * 100 - percent) < 2, `${percent} %: ${share}`)
    if (percent === 0 || percent === 100) assert.equal(share * 100, percent)
  }
  const small = people.filter((profile_id) => isInControlGroup(7, profile_id, 5))
  assert.ok(small.every((profile_id) => isInControlGroup(7, profile_id, 10)))
  const inBoth = small.filter((profile_id) => isInControlGroup(8, profile_id, 5)).length
  assert.ok(inBoth < small.length / 5, 'two flows have the same control group')
})

test('variants have their percentages, also among people outside the control group', () => {
  const variants = [
    { id: 'a', percent: 50 },
    { id: 'b', percent: 30 },
    { id: 'c', percent: 20 },
    { id: 'd', percent: 0 },
  ]
  const rest = people.filter((profile_id) => !isInControlGroup(7, profile_id, 20))
  const counts = Object.groupBy(rest, (profile_id) => assignedVariant(7, profile_id, variants).id)
  for (const { id, percent } of variants) {
    const share = ((counts[id]?.length ?? 0) / rest.length) * 100
    assert.ok(Math.abs(share - percent) < 2.5, `${id}: ${share}`)
  }
  assert.equal(counts.d, undefined)
})

test('random assignments are the same on every machine', () => {
  const halves = [
    { id: 'a', percent: 50 },
    { id: 'b', percent: 50 },
  ]
  const entry = (i: number) => `0f4c0000-0000-4000-8000-00000000000${i}`
  const numbers = Array.from({ length: 10 }, (_, i) => i)
  assert.equal(numbers.map((i) => (isInControlGroup(i, '4503599627370497', 50) ? 'x' : '.')).join(''), 'xxx..xxx..')
  assert.equal(numbers.map((i) => assignedVariant(i, '4503599627370497', halves).id).join(''), 'bbbaaabbab')
  assert.equal(numbers.map((i) => experimentPath(entry(i), 'test', halves).id).join(''), 'abbbbbbaba')
  assert.equal(numbers.map((i) => experimentPath(entry(i), 'other', halves).id).join(''), 'aabbbbbbaa')
})

test('percentages that add up to slightly less than 100 assign everybody', () => {
  const thirds = [33.3, 33.3, 33.3, 0].map((percent, i) => ({ id: i, percent }))
  const taken = new Set(people.map((profile_id) => assignedVariant(1, profile_id, thirds).id))
  assert.deepEqual([...taken].sort(), [0, 1, 2])
})
