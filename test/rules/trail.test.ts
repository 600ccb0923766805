import assert from 'node:assert/strict'
import test from 'node:test'
import type { EntryPosition } from '../../src/messaging/entries/entry.ts'
import { firstHop, type Hop, hopBetween, trailMax, trailOf } from '../../src/messaging/entries/trail.ts'
import { advance, firstPosition } from '../../src/messaging/journeys/advance.ts'
import { enteredMs, entryOf, event, graphOf, message, segment, signal } from '../support/graphs.ts'

const hourMs = 3_600_000
const graph = graphOf([
  { id: 'rich', type: 'decision', condition: segment('rich'), yes: 'pick', no: 'act' },
  {
    id: 'pick',
    type: 'paths',
    paths: [
      { name: 'first', next: 'split', condition: segment('first') },
      { name: 'second', next: 'split', condition: segment('second') },
    ],
    otherwise: 'split',
  },
  { id: 'split', type: 'experiment', paths: [{ name: 'all', percent: 100, next: 'act' }] },
  {
    id: 'act',
    type: 'action_paths',
    withinMs: hourMs,
    paths: [
      { name: 'looked', next: 'hello', on: event('looked') },
      { name: 'bought', next: 'hello', on: event('bought') },
    ],
    otherwise: undefined,
  },
  message('hello'),
])

/** Moves an entry by what is due and by this event, and returns how it left its steps: `rich -yes-> pick`. */
function walked(answers: Readonly<Record<string, boolean>>, name?: string): string[] {
  const facts = new Map(Object.entries(answers))
  let entry = entryOf(firstPosition('rich', enteredMs))
  const shown: string[] = []
  for (const [i, happening] of [
    ...Array.from({ length: 4 }, () => ({ kind: 'due' }) as const),
    name === undefined ? ({ kind: 'due' } as const) : ({ kind: 'signal', signal: signal(name) } as const),
  ].entries()) {
    const nowMs = enteredMs + (i === 4 && name === undefined ? 2 * hourMs : 0)
    const { position, path } = advance(graph, entry, happening, facts, { nowMs, zone: 'UTC' })
    const hop = hopBetween(entry, position, path, nowMs)
    if (hop) shown.push(`${hop.from} -${hop.path}-> ${hop.to}${hop.ended}`)
    entry = { ...entry, ...position }
  }
  return shown
}

test('a move says which way out of its step it takes', () => {
  const paths = { 'steps.pick.paths[0]': false, 'steps.pick.paths[1]': true }
  assert.deepEqual(walked({ 'steps.rich': true, ...paths }, 'bought'), [
    'rich -yes-> pick',
    'pick -1-> split',
    'split -0-> act',
    'act -1-> hello',
  ])
  assert.deepEqual(walked({ 'steps.rich': true, ...paths, 'steps.pick.paths[1]': false }, 'looked'), [
    'rich -yes-> pick',
    'pick -otherwise-> split',
    'split -0-> act',
    'act -0-> hello',
  ])
  assert.deepEqual(walked({ 'steps.rich': false }), ['rich -no-> act', 'act -otherwise-> completed'])
  assert.deepEqual(walked({ 'steps.rich': false }, 'other'), ['rich -no-> act'])
})

const arrival = (arrivals: number): Hop => ({ from: 'a', path: '', to: 'b', ended: '', ms: arrivals, arrivals })

for (const [arrivals, recorded] of [
  [trailMax - 1, 1],
  [trailMax, 1],
  [trailMax + 1, 0],
] as const) {
  test(`a trail records ${recorded === 1 ? 'the' : 'no'} arrival number ${arrivals}`, () => {
    assert.equal(trailOf([arrival(arrivals)]).length, recorded)
    assert.equal(
      trailOf(Array.from({ length: arrivals }, (_, i) => arrival(i + 1))).length,
      Math.min(arrivals, trailMax),
    )
  })
}

test('a trail has arrivals, not ends', () => {
  const at = (step: string, visits: Record<string, number>): EntryPosition => {
    return { state: 'arriving', step, visit: 1, visits, dueMs: enteredMs }
  }
  const [here, there] = [at('a', { a: 1 }), at('b', { a: 1, b: 1 })]
  const end: EntryPosition = { ...there, state: 'ended', ended: 'completed', dueMs: undefined }
  const hops = [firstHop(here, 1), hopBetween(here, there, 'yes', 2)!, hopBetween(there, end, undefined, 3)!]
  assert.deepEqual(trailOf(hops), [
    ['a', 1, ''],
    ['b', 2, 'yes'],
  ])
  assert.equal(hopBetween(here, { ...here, state: 'waiting' }, undefined, 2), undefined)
})
