import assert from 'node:assert/strict'
import test from 'node:test'
import { parseSegment } from '../../src/audience/conditions/parse-condition.ts'
import type { Conversion, Graph, Trigger } from '../../src/messaging/flows/flow.ts'
import { conversionsBy, type PersonAct } from '../../src/messaging/journeys/conversions.ts'
import { mayMove, signalsReadBy } from '../../src/messaging/journeys/signal-filter.ts'
import { person } from '../../src/people/identity/person.ts'
import { Watched, WatchedNames } from '../../src/people/signals/signals.ts'

const trigger = (kind: 'event' | 'purchase', name?: string): Trigger => ({ kind, name, tests: [], same: [] })

test('watched signals are found by workspace, kind and name, and an empty name matches all', () => {
  const watched = new Watched()
  const isWatched = (workspace_id: number, name: string) => watched.isWatched(workspace_id, 'event', name)
  assert.deepEqual([watched.version, isWatched(1, 'a')], [undefined, false])
  const rows = [
    { workspace_id: 1, kind: 'event', name: 'a', signals: true },
    { workspace_id: 2, kind: 'event', name: '', signals: true },
    { workspace_id: 3, kind: 'event', name: 'a', signals: false },
  ] as const
  watched.refresh(7, rows)
  assert.deepEqual(
    [isWatched(1, 'a'), isWatched(1, 'b'), isWatched(2, 'b'), isWatched(3, 'a'), isWatched(4, 'a')],
    [true, false, true, false, false],
  )
  assert.deepEqual([watched.version, watched.isWatched(1, 'purchase', 'a')], [7, false])
  watched.refresh(8, [])
  assert.equal(watched.of(1), undefined)
})

test('a change that no flow listens for is recorded without a signal', () => {
  const row = { workspace_id: 1, kind: 'attribute', name: 'plan', signals: false } as const
  const listening = new WatchedNames([row])
  assert.deepEqual([listening.keepsAny, listening.isKept('plan'), listening.isKept('x')], [true, true, false])
  assert.equal(listening.isSignalled('attribute', 'plan'), false)
})

test('a signal may move entries that wait for it, exit by it, or whose exit condition reads it', () => {
  const steps = new Map([
    [
      'act',
      {
        ...({ id: 'act', name: 'act', type: 'action_paths', withinMs: 1, otherwise: undefined } as const),
        paths: [{ name: 'A', next: undefined, on: trigger('event', 'waited for') }],
      },
    ],
  ])
  const graph = { exit: { on: [trigger('purchase')], condition: undefined }, steps } as unknown as Graph
  const leaf = { comparison: 'equals', value: 'gold' }
  const tree = parseSegment(
    {
      OR: [
        { custom_attribute: { custom_attribute_name: 'plan', ...leaf } },
        { standard_attribute: { name: 'country', comparison: 'equals', value: 'DE' } },
        { custom_event: { name: 'seen', comparison: 'greater_than', value: 2 } },
      ],
    },
    'audience',
  )
  const exits = signalsReadBy(tree)
  const moves = (kind: 'event' | 'purchase' | 'attribute' | 'engagement', name: string) => [
    mayMove(graph, undefined, { kind, name }),
    mayMove(graph, exits, { kind, name }),
  ]
  assert.deepEqual(moves('event', 'waited for'), [true, true])
  assert.deepEqual(moves('event', 'other'), [false, false])
  assert.deepEqual(moves('purchase', 'tea'), [true, true])
  assert.deepEqual(moves('attribute', 'plan'), [false, true])
  assert.deepEqual(moves('attribute', 'country'), [false, true])
  assert.deepEqual(moves('event', 'seen'), [false, true])
  assert.deepEqual(moves('engagement', 'opened'), [false, false])
})

test('an act is a conversion from the acceptance of a message to the last millisecond of the window', () => {
  const conversions: Conversion[] = [
    { name: 'A', on: trigger('event', 'ordered'), withinMs: 10 },
    { name: 'B', on: trigger('event', 'ordered'), withinMs: 20 },
    { name: 'C', on: { kind: 'engagement', name: 'opened' }, withinMs: 20 },
  ]
  const window = {
    ...{ bucket: 1, profile_id: '5', flow_id: 3, entries: 1, last_entered_at: null, last_entered_control_at: null },
    ...{ last_exited_at: null, variant: null, in_control: false, opened_at: null, clicked_at: null, converted: [] },
    ...{
      refused: null,
      refused_at: null,
      counted_conversions: [],
      send_id: null,
      last_received_at: new Date(1_000),
      converting_until: new Date(1_020),
    },
  }
  const made = (timeMs: number, kind: 'event' | 'engagement' = 'event', flow_id?: number) => {
    const name = kind === 'event' ? 'ordered' : 'opened'
    const signal = { kind, name, timeMs, properties: {} } as const
    const done: PersonAct = { person: person(1, '5'), workspace_id: 1, signal, amount: null, flow_id }
    return conversionsBy(done, [window], new Map([[3, { list: conversions }]])).flatMap(({ names }) => names)
  }
  assert.deepEqual([made(999), made(1_000), made(1_010)], [[], ['A', 'B'], ['A', 'B']])
  assert.deepEqual([made(1_011), made(1_020), made(1_021)], [['B'], ['B'], []])
  assert.deepEqual([made(1_001, 'engagement', 3), made(1_001, 'engagement', 4)], [['C'], []])
})
