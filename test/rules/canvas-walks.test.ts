import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Entry } from '../../src/messaging/entries/entry.ts'
import type { Graph } from '../../src/messaging/flows/flow.ts'
import { advance, firstPosition, questionsFor, visitsMax } from '../../src/messaging/journeys/advance.ts'
import type { EntryMove, Happening } from '../../src/messaging/journeys/happening.ts'
import { seed, sizes } from '../sizes.ts'
import { type BareStep, enteredMs, entryOf, event, graphOf, message, segment, signal } from '../support/graphs.ts'
import { afterMessage, type EndedMessage } from '../support/message-ends.ts'

const minuteMs = 60_000
const ids = ['a', 'b', 'c', 'd', 'e', 'f']
const names = ['one', 'two', 'three']
const settings = { seed, numRuns: sizes.propertyRuns }

const next = fc.option(fc.constantFrom(...ids), { nil: undefined, freq: 6 })
const condition = fc.constantFrom(...names).map(segment)
const on = fc.constantFrom(...names).map((name) => event(name))
const minutes = fc.integer({ min: 1, max: 300 })
const time = fc.nat({ max: 1439 }).map((minute) => new Date(minute * minuteMs).toISOString().slice(11, 16))

function stepOf(id: string): fc.Arbitrary<BareStep> {
  const path = fc.record({ name: fc.constant(id), next })
  const some = { minLength: 1, maxLength: 3 }
  const conditional = fc.array(fc.tuple(path, condition), some)
  const acting = fc.array(fc.tuple(path, on), some)
  return fc.oneof(
    next.map((to) => message(id, to)),
    fc.tuple(minutes, next).map(([count, to]): BareStep => {
      return { id, type: 'delay', wait: { forMs: count * minuteMs }, next: to }
    }),
    fc.tuple(time, fc.subarray([1, 2, 3, 4, 5, 6, 7]), next).map(([until, weekdays, to]): BareStep => {
      return { id, type: 'delay', wait: { until, weekdays }, next: to }
    }),
    fc.tuple(condition, next, next).map(([test, yes, no]): BareStep => {
      return { id, type: 'decision', condition: test, yes, no }
    }),
    fc.tuple(conditional, next).map(([paths, otherwise]): BareStep => {
      return { id, type: 'paths', paths: paths.map(([path, test]) => ({ ...path, condition: test })), otherwise }
    }),
    fc.tuple(acting, minutes, next).map(([paths, within, otherwise]): BareStep => {
      const listening = paths.map(([path, trigger]) => ({ ...path, on: trigger }))
      return { id, type: 'action_paths', withinMs: within * minuteMs, paths: listening, otherwise }
    }),
    fc.tuple(next, next).map(([one, two]): BareStep => {
      const paths = [one, two].map((to) => ({ name: id, next: to, percent: 50 }))
      return { id, type: 'experiment', paths }
    }),
    next.map((to): BareStep => ({ id, type: 'update_user', attributes: { a: 1 }, next: to })),
    next.map((to): BareStep => {
      return { id, type: 'webhook', url: 'https://example.com', method: 'GET', headers: {}, body: undefined, next: to }
    }),
  )
}

/** Any canvas, also with cycles. */
const graphs: fc.Arbitrary<Graph> = fc
  .tuple(fc.tuple(...ids.map(stepOf)), fc.option(condition, { nil: undefined }), fc.boolean())
  .map(([steps, exit, leaves]) => {
    return graphOf(steps, { exit: { on: leaves ? [event('leave')] : [], condition: exit } })
  })

/** Any happening, whether the entry expects it or not. */
const stray = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'due' } as const) },
  { weight: 2, arbitrary: fc.constant('freed' as const) },
  fc.record({
    kind: fc.constant('message_ended' as const),
    step: fc.constantFrom(...ids),
    visit: fc.integer({ min: 1, max: 3 }),
  }),
  fc.tuple(fc.constantFrom(...names, 'leave'), fc.integer({ min: -500, max: 5000 })).map(([name, at]) => {
    return { kind: 'signal' as const, signal: signal(name, { timeMs: enteredMs + at * minuteMs }) }
  }),
)
const strays = fc.array(fc.tuple(stray, fc.nat({ max: 600 })), { maxLength: 60 })

/** A happening of a worker, or the end of a message. */
type Stray = Happening | ({ readonly kind: 'message_ended' } & EndedMessage)

/** Returns the happening that the entry waits for. */
function freeing({ state, step, visit }: Entry): Stray {
  return state === 'sending' ? { kind: 'message_ended', step, visit } : { kind: 'due' }
}

/** Returns whether a condition holds. */
type Holds = (name: string) => boolean
const answers: fc.Arbitrary<Holds> = fc.subarray(names).map((held) => (name) => held.includes(name))

function moved(graph: Graph, entry: Entry, happening: Stray, nowMs: number, holds: Holds): EntryMove {
  if (happening.kind === 'message_ended') {
    return { position: afterMessage(graph, entry, happening, nowMs), effects: [] }
  }
  const facts = new Map(
    questionsFor(graph, entry, happening).map(({ key, condition }) => {
      return [key, holds((condition as { segment_id: string }).segment_id)] as const
    }),
  )
  return advance(graph, entry, happening, facts, { nowMs, zone: 'Europe/Paris' })
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) freeze(member)
    Object.freeze(value)
  }
  return value
}

function check(before: Entry, happening: Stray, { position, effects, why }: EntryMove, nowMs: number): void {
  const { state, step, visit, visits, dueMs, ended } = position
  if (before.state === 'ended') assert.equal(position, before)
  if (position === before) {
    assert.equal(effects.length, 0)
    return
  }
  assert.equal(dueMs !== undefined, ['arriving', 'waiting', 'listening'].includes(state))
  assert.equal(ended !== undefined, state === 'ended')
  assert.equal(why?.reason, ended === 'completed' ? undefined : ended)
  assert.equal(visits[step], visit)
  assert.ok(Object.values(visits).every((count) => count <= visitsMax))
  const arrivals = (of: Entry['visits']) => Object.values(of).reduce((sum, count) => sum + count, 0)
  assert.equal(arrivals(visits) - arrivals(before.visits), state === 'arriving' ? 1 : 0)
  if (happening.kind === 'due') assert.ok(before.dueMs! <= nowMs, 'an entry moved before it was due')
  if (before.dueMs !== undefined && dueMs !== undefined && happening.kind === 'due') assert.ok(dueMs >= before.dueMs)
  for (const effect of effects) {
    if (effect.kind === 'cancel_messages') assert.deepEqual([before.state, state], ['sending', 'ended'])
    else assert.deepEqual([before.state, effect.step, effect.visit], ['arriving', before.step, before.visit])
  }
}

test('for any happenings in any order an entry stays consistent, and no effect of a step and visit is repeated', () => {
  const property = fc.property(graphs, strays, answers, (graph, happenings, holds) => {
    let entry = freeze(entryOf(firstPosition('a', enteredMs)))
    let nowMs = enteredMs
    const done = new Set<string>()
    for (const [drawn, passed] of happenings) {
      nowMs += passed * minuteMs
      const happening = drawn === 'freed' ? freeing(entry) : drawn
      const result = moved(graph, entry, happening, nowMs, holds)
      assert.deepEqual(moved(graph, entry, happening, nowMs, holds), result)
      check(entry, happening, result, nowMs)
      for (const effect of result.effects) {
        const key = JSON.stringify(effect)
        assert.ok(!done.has(key), key)
        done.add(key)
      }
      if (result.position !== entry) entry = freeze({ ...entry, ...result.position })
    }
  })
  fc.assert(property, settings)
})

/** Moves an entry to its end with workers that are late by these minutes. Returns each position with its planned time. */
function walk(graph: Graph, holds: Holds, lateness: readonly number[]): string[] {
  let entry = entryOf(firstPosition('a', enteredMs))
  const steps: string[] = []
  for (let i = 0; entry.state !== 'ended' && i < 3000; i++) {
    // Only due entries are moved late. Messages and calls end at the planned time.
    const happening = freeing(entry)
    const plannedMs: number = entry.dueMs ?? lastMs(steps)
    const lateMs = happening.kind === 'due' ? lateness[i % lateness.length]! * minuteMs : 0
    entry = { ...entry, ...moved(graph, entry, happening, plannedMs + lateMs, holds).position }
    steps.push(`${entry.state} ${entry.step} ${entry.visit} ${entry.dueMs ?? plannedMs}`)
  }
  return steps
}

function lastMs(steps: readonly string[]): number {
  return Number(steps.at(-1)!.split(' ').at(-1))
}

test('an entry takes the same path at the same planned times however late the workers are, and ends', () => {
  const property = fc.property(
    graphs,
    answers,
    fc.array(fc.nat({ max: 10_000 }), { minLength: 1 }),
    (graph, holds, lateness) => {
      const inTime = walk(graph, holds, [0])
      assert.deepEqual(walk(graph, holds, lateness), inTime)
      assert.match(inTime.at(-1)!, /^ended /)
    },
  )
  fc.assert(property, settings)
})

test('an exit event and a stop end an entry in every open state', () => {
  const property = fc.property(graphs, answers, fc.nat({ max: 40 }), (drawn, holds, turns) => {
    const graph: Graph = { ...drawn, exit: { ...drawn.exit, on: [event('leave')] } }
    let entry = entryOf(firstPosition('a', enteredMs))
    let nowMs = enteredMs
    for (let i = 0; i < turns && entry.state !== 'ended'; i++) {
      nowMs = Math.max(nowMs, entry.dueMs ?? 0)
      entry = { ...entry, ...moved(graph, entry, freeing(entry), nowMs, holds).position }
    }
    if (entry.state === 'ended') return
    for (const happening of [{ kind: 'signal', signal: signal('leave') }, { kind: 'stopped' }] as const) {
      const { position, effects } = moved(graph, entry, happening, nowMs, holds)
      assert.equal(position.state, 'ended')
      assert.equal(effects.length, entry.state === 'sending' ? 1 : 0)
    }
  })
  fc.assert(property, settings)
})
