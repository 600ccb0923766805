import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { firstPace, nextPace, targetOf } from '../../src/audience/conditions/pace.ts'
import { priceMistake, priceOf, treePriceMax } from '../../src/audience/conditions/price.ts'
import type { Leaf, Tree } from '../../src/audience/conditions/tree.ts'

const attribute = (...below: string[]): Leaf => ({
  kind: 'custom_attribute',
  path: ['plan', ...below],
  test: { comparison: 'exists' },
})
const event = (properties: number): Leaf => ({
  kind: 'occurrences',
  what: {
    of: 'event',
    name: 'e',
    days: undefined,
    properties: Array.from({ length: properties }, () => ({ name: 'p', test: { comparison: 'exists' } })),
  },
  times: { comparison: 'greater_than', number: 1 },
})
const times = (count: number, leaf: Leaf) => Array.from({ length: count }, () => leaf)

describe('the price of a tree', () => {
  const priced: readonly [string, Tree, number][] = [
    ['a column', { kind: 'total_revenue', test: { comparison: 'equals', number: 1 } }, 1],
    ['an attribute', attribute(), 2],
    ['a nested attribute', attribute('below'), 4],
    ['an event', event(0), 10],
    ['an event with properties', event(3), 22],
    ['a device', { kind: 'device', field: 'os', test: { comparison: 'exists' } }, 10],
    ['a group', { all: times(3, attribute()) }, 7],
    ['an opposite', { not: { any: times(2, event(0)) } }, 22],
    ['a segment that is not filled in', { kind: 'segment', segment_id: 's' }, 1],
    ['a segment', { kind: 'segment', segment_id: 's', name: 's', tree: event(0) }, 10],
  ]
  for (const [what, tree, price] of priced) test(`of ${what} is ${price}`, () => assert.equal(priceOf(tree), price))

  test(`is at most ${treePriceMax}`, () => {
    const nested = (treePriceMax - 4) / 4
    const of = (...more: Leaf[]): Tree => ({ all: [...times(nested, attribute('below')), ...more] })
    assert.equal(priceMistake(of(attribute())), undefined)
    assert.equal(priceOf(of(attribute())), treePriceMax - 1)
    assert.equal(priceMistake({ not: of(attribute()) }), undefined)
    assert.match(priceMistake({ not: { not: of(attribute()) } })!, /^has a price of 2001, and at most 2000 are allowed/)
  })

  test('never refuses an audience that requests can have', () => {
    // 500 conditions in groups of two, each in the group before it.
    let tree: Tree = attribute()
    for (let i = 1; i < 500; i++) tree = i % 2 ? { all: [attribute(), tree] } : { any: [attribute(), tree] }
    assert.equal(priceMistake(tree), undefined)
  })
})

describe('a statement reads', () => {
  const pace = { buckets: 64, people: 100 }
  const turn = { tookMs: 1, filled: false, few: false }
  const cases: readonly [string, Partial<typeof turn>, typeof pace][] = [
    ['four times as much after a quick one', {}, { buckets: 256, people: 400 }],
    ['many more buckets after few people', { few: true }, { buckets: 1024, people: 400 }],
    ['fewer buckets when these have too many people', { filled: true }, { buckets: 16, people: 400 }],
    ['as much again after one that took its time', { tookMs: 50, few: true }, { buckets: 64, people: 100 }],
    ['half as much after one that took twice its time', { tookMs: 100 }, { buckets: 32, people: 50 }],
    [
      'one bucket at least, and as many people as the first',
      { tookMs: 1e6, filled: true },
      { buckets: 1, people: firstPace.people },
    ],
  ]
  for (const [what, how, next] of cases) {
    test(what, () => assert.deepEqual(nextPace(pace, { ...turn, ...how }, 50), next))
  }
  test('all people in few statements, also on a machine that stood still once and is slower since', () => {
    for (const planMs of [1, 10, 20, 30, 45, 100]) {
      let pace = firstPace
      let [read, turns] = [0, 0]
      for (; read < 60_000; turns++) {
        const people = Math.min(pace.people, pace.buckets * 15)
        const tookMs = turns === 8 ? 10_000 : planMs + people / 50
        read += people
        pace = nextPace(pace, { tookMs, filled: false, few: people < pace.people }, targetOf(50, planMs / 2))
      }
      assert.ok(turns < 300, `${turns} statements with a plan of ${planMs} ms`)
    }
  })
  test('all buckets at most', () => {
    assert.equal(nextPace({ buckets: 4000, people: 1 }, { ...turn, few: true }, 50).buckets, 4096)
    assert.ok(firstPace.buckets <= 4096)
  })
  test('longer than its time when its plan takes most of it, but never for long', () => {
    assert.equal(targetOf(50, 1), 50)
    assert.equal(targetOf(50, 40), 120)
    assert.equal(targetOf(50, 1000), 300)
    assert.equal(targetOf(2000, 1000), 2000)
  })
})
