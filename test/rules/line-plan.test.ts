import assert from 'node:assert/strict'
import test from 'node:test'
import { idsMax, LinePlan, reasonsMax } from '../../cli/line-plan.ts'
import type { TrackItem } from '../../cli/track-batches.ts'

const nowMs = Date.UTC(2026, 0, 2)

function itemOf(number: number, fields: Record<string, unknown>): TrackItem {
  return { number, index: 0, text: '', array: 'attributes', fields }
}

function problemOf(number: number, problem: string): TrackItem {
  return { number, index: 0, text: '', problem }
}

test('A plan refuses what the server refuses, and nothing that only the server knows.', () => {
  const plan = new LinePlan('service', nowMs)
  const who = { external_id: 'a' }
  plan.add(itemOf(1, { ...who, email: 'no address' }))
  plan.add(itemOf(2, { first_name: 'Nobody' }))
  plan.add(
    itemOf(3, { ...who, subscription_groups: [{ subscription_group_id: 'any', subscription_state: 'subscribed' }] }),
  )
  plan.add(itemOf(4, { ...who, push_tokens: [{ app_id: 'any', token: 't' }] }))
  plan.add(itemOf(5, { ...who, email: 'a@localhost' }))
  plan.add({ number: 6, index: 0, text: '', array: 'events', fields: { ...who, name: 'e' } })
  plan.add({
    number: 7,
    index: 0,
    text: '',
    array: 'events',
    fields: { ...who, name: 'e', time: '2026-01-01T00:00:00Z' },
  })
  for (const number of [8, 9, 10, 11]) plan.add(problemOf(number, 'is wrong'))
  assert.deepEqual(plan.end(), ['a', 'a', 'a', 'a', 'a', 'a'])
  assert.equal(plan.refused, 7)
  const [first, ...rest] = plan.text.split('\n')
  assert.equal(first, '7 lines would be refused, as far as this is known without the server:')
  assert.equal(rest[0], '  4  is wrong (lines 8, 9, 10, ...)')
  assert.equal(rest.length, 5)
})

test('A plan lists at most 50 reasons, and looks at most 500 ids up, which are taken evenly.', () => {
  for (const [count, unlisted] of [
    [reasonsMax - 1, 0],
    [reasonsMax, 0],
    [reasonsMax + 1, 1],
  ] as const) {
    const plan = new LinePlan('service', nowMs)
    for (let i = 0; i < count; i++) plan.add(problemOf(i + 1, `reason ${i}`))
    assert.equal(plan.refused, count)
    assert.equal(plan.text.includes('  1  for other reasons'), unlisted === 1)
  }
  for (const [count, kept] of [
    [idsMax - 1, idsMax - 1],
    [idsMax, idsMax],
    [idsMax + 1, 251],
    [5_000, 313],
  ] as const) {
    const plan = new LinePlan('service', nowMs)
    for (let i = 0; i < count; i++) plan.add(itemOf(i + 1, { external_id: `p${i}` }))
    const ids = plan.end()
    assert.equal(ids.length, kept)
    const numbers = ids.map((id) => Number(id.slice(1)))
    const step = numbers[1]! - numbers[0]!
    assert.deepEqual(
      numbers,
      numbers.map((_, i) => i * step),
    )
  }
})

test('The time of an import is estimated from the number of its lines.', () => {
  for (const [lines, text] of [
    [49_999, 'less than a minute'],
    [50_000, 'about 1 min'],
    [250_000, 'about 3 min'],
  ] as const) {
    const plan = new LinePlan('service', nowMs)
    for (let i = 0; i < lines; i++) plan.add(problemOf(i, 'x'))
    assert.match(plan.text, new RegExp(`the import takes ${text}\\.$`))
  }
})
