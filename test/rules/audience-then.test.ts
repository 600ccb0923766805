import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainAt, explanationSentence, type PastFacts } from '../../src/audience/conditions/explain-at.ts'
import type { Facts } from '../../src/audience/conditions/facts.ts'
import { parseSegment } from '../../src/audience/conditions/parse-condition.ts'
import type { Tree } from '../../src/audience/conditions/tree.ts'
import { person } from '../../src/people/identity/person.ts'

const day = (n: number) => Date.UTC(2026, 2, n)
const then = day(3)
const none: ReadonlyMap<string, never> = new Map<string, never>()

function factsOf(more: Partial<Facts> = {}): Facts {
  const lists = { groups: none, cohorts: new Set<string>(), uses: none, devices: [], receivedMs: none, histories: none }
  return { person: person(1, '1'), columns: {}, custom: { plan: 'gold' }, typed: {}, ...lists, ...more }
}

function pastOf(more: Partial<PastFacts> = {}): PastFacts {
  return {
    ...{ atMs: then, facts: factsOf(), isNow: false, createdMs: day(1), writtenMs: day(9), changes: new Map() },
    ...{ statedMs: { email: null, push: null }, watchedMs: () => undefined, keptMs: day(1), ...more },
  }
}

const read = (audience: object): Tree => parseSegment(audience, 'audience')
const custom = (value: unknown, comparison = 'equals') =>
  read({ custom_attribute: { custom_attribute_name: 'plan', comparison, value } })
const isGold = custom('gold')
const changes = (...list: readonly [number, string | null][]) =>
  new Map([['plan', list.map(([n, value]) => ({ atMs: day(n), value }))]])

test('an attribute had the value of its last change before that time, and is unknown without recorded changes', () => {
  const table: readonly [string, Partial<PastFacts>, boolean | null, string | null][] = [
    ['nothing is known', {}, null, null],
    ['a change before', { changes: changes([2, 'free'], [5, 'gold']) }, false, '`plan` was "free"'],
    ['the last of several', { changes: changes([1, 'free'], [2, 'gold'], [5, 'free']) }, true, '`plan` was "gold"'],
    ['a change at that very moment', { changes: changes([3, 'free']) }, false, '`plan` was "free"'],
    ['it was removed', { changes: changes([2, null]) }, false, '`plan` was not set'],
    ['changes after it alone', { changes: changes([5, 'gold']), watchedMs: () => day(2) }, null, null],
    ['watched, and nothing changed', { watchedMs: () => then }, true, '`plan` was "gold"'],
    ['watched, but forgotten', { watchedMs: () => day(1), keptMs: then + 1 }, null, null],
    ['watched too late', { watchedMs: () => then + 1 }, null, null],
    ['the person was not written since', { writtenMs: then }, true, '`plan` was "gold"'],
    ['the person was not there', { createdMs: then + 1 }, false, '`plan` was not set'],
    ['it is now', { isNow: true }, true, '`plan` was "gold"'],
  ]
  for (const [title, more, holds, has] of table) {
    const explained = explainAt(isGold, pastOf(more))
    assert.ok('has' in explained)
    assert.deepEqual([explained.holds, explained.has], [holds, has], title)
    assert.equal(explained.as_of, has === null ? null : new Date(then).toISOString(), title)
  }
  const explained = explainAt(isGold, pastOf({ changes: changes([2, 'free']) }))
  assert.ok('since' in explained)
  assert.equal(explained.since, new Date(day(2)).toISOString())
})

test('dates in attributes are compared with their earlier values', () => {
  const after = custom('2026-01-01T00:00:00Z', 'after')
  const past = pastOf({
    changes: changes([2, '2025-05-05'], [5, '2026-05-05']),
    facts: factsOf({ typed: { plan: day(5) } }),
  })
  assert.equal(explainAt(after, past).holds, false)
  assert.equal(explainAt(after, { ...past, changes: changes([2, '2026-02-02']) }).holds, true)
})

test('an unknown condition makes the result unknown only when the result depends on it', () => {
  const known: Tree = { kind: 'random_bucket', test: { comparison: 'less_than', number: 5 } }
  const past = pastOf({ facts: factsOf({ columns: { random_bucket: 1 } }) })
  const no: Tree = { not: known }
  const table: readonly [Tree, boolean | null][] = [
    [{ all: [isGold, known] }, null],
    [{ all: [isGold, no] }, false],
    [{ any: [isGold, known] }, true],
    [{ any: [isGold, no] }, null],
    [{ not: isGold }, null],
    [{ all: [] }, true],
    [{ any: [] }, false],
    [{ kind: 'segment', segment_id: 's', name: 's', tree: { all: [isGold, no] } }, false],
  ]
  for (const [tree, holds] of table) assert.equal(explainAt(tree, past).holds, holds, JSON.stringify(tree))
})

test('other conditions are known as far as the stored data allows', () => {
  const state = (value: string) => read({ email_subscription_status: { comparison: 'is', value } })
  const subscribed = factsOf({ columns: { email_subscribe: 'subscribed' } })
  const stated = (email: number | null, more: Partial<PastFacts> = {}) =>
    explainAt(state('subscribed'), pastOf({ facts: subscribed, statedMs: { email, push: null }, ...more })).holds
  assert.deepEqual(
    [stated(null), stated(then), stated(then + 1), stated(then + 1, { writtenMs: then })],
    [true, true, null, true],
  )

  const changes = new Map([['email_subscribe', [{ atMs: day(2), value: 'unsubscribed' }]]])
  assert.equal(stated(then + 1, { changes }), false)

  const session = (which: 'first' | 'last', ms: number | null) => {
    const at = ms === null ? null : new Date(ms)
    const columns = { date_of_first_session: at, date_of_last_session: at }
    const leaf: Tree = { kind: 'used_app', which, app_id: undefined, test: { comparison: 'exists' } }
    return explainAt(leaf, pastOf({ facts: factsOf({ columns }) })).holds
  }
  assert.deepEqual([session('first', null), session('first', then), session('first', then + 1)], [false, true, false])
  assert.deepEqual([session('last', null), session('last', then), session('last', then + 1)], [false, true, null])

  const revenue: Tree = { kind: 'total_revenue', test: { comparison: 'greater_than', number: 1 } }
  const earned = (total_revenue: number) =>
    explainAt(revenue, pastOf({ facts: factsOf({ columns: { total_revenue } }) })).holds
  assert.deepEqual([earned(0), earned(5)], [false, null])

  const group: Tree = { kind: 'subscription_group', subscription_group_id: 'g', state: 'subscribed' }
  assert.equal(explainAt(group, pastOf()).holds, null)
  assert.equal(explainAt(group, pastOf({ isNow: true })).holds, false)

  const cohort: Tree = { kind: 'cohort', partner: 'acme', cohort_id: 'c' }
  assert.equal(explainAt(cohort, pastOf()).holds, null)
  assert.equal(explainAt(cohort, pastOf({ isNow: true })).holds, false)
})

test('the explanation has the values of that time and the rule', () => {
  const zone = 'Europe/Berlin'
  const say = (tree: Tree, more: Partial<PastFacts>) =>
    explanationSentence(explainAt(tree, pastOf(more), { zone }), then, { zone })
  const free = { changes: changes([2, 'free']) }
  const when = '3 March 2026 at 01:00 UTC+01:00'
  assert.equal(say(isGold, free), `not in segment: \`plan\` was "free" on ${when}, the rule asks: \`plan\` is \`gold\``)
  assert.equal(say(isGold, { isNow: true }), `in segment on ${when}`)
  assert.equal(
    say(isGold, {}),
    `not known whether in segment on ${when}: what this person had then was not recorded yet, the rule asks: \`plan\` is \`gold\``,
  )
  assert.equal(
    say({ not: custom('free') }, free),
    `not in segment: \`plan\` was "free" on ${when}, the rule asks: not (\`plan\` is \`free\`)`,
  )
  assert.equal(
    say({ any: [isGold, custom('silver')] }, free).match(/`plan` was "free"/g)?.length,
    2,
    'an attribute is named once for each condition that reads it',
  )
  assert.equal(say({ any: [] }, {}), 'not in segment: nobody is')
})
