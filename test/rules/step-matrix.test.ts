import assert from 'node:assert/strict'
import test from 'node:test'
import type { Entry } from '../../src/messaging/entries/entry.ts'
import type { Graph, StepType } from '../../src/messaging/flows/flow.ts'
import { advance, firstPosition, questionsFor } from '../../src/messaging/journeys/advance.ts'
import { experimentPath } from '../../src/messaging/journeys/assignment.ts'
import type { Happening } from '../../src/messaging/journeys/happening.ts'
import { type BareStep, enteredMs, entryOf, event, graphOf, message, segment, signal } from '../support/graphs.ts'
import { afterMessage } from '../support/message-ends.ts'

const minuteMs = 60_000
const dayMs = 1440 * minuteMs

/** A way through a step of one kind, which leads to `next` and not to `other`. */
type Way = {
  readonly make: (id: string, next: string | undefined, other: string) => BareStep
  /** The effect of the step. */
  readonly effect?: 'message' | 'update_user'
  /** The happening that moves an entry on, when it is not the due time. */
  readonly freed?: () => Happening
  /** Returns when an entry leaves the step that arrived at this time. */
  readonly leaves?: (fromMs: number) => number
}

const [yes, no] = [segment('yes'), segment('no')]
const path = (next: string | undefined) => ({ name: '', next })

/** Every kind of step, and every way through it. */
const ways: { readonly [T in StepType]: Readonly<Record<string, Way>> } = {
  message: {
    ended: { make: message, effect: 'message' },
  },
  delay: {
    elapsed: {
      make: (id, next) => ({ id, type: 'delay', wait: { forMs: 90 * minuteMs }, next }),
      leaves: (fromMs) => fromMs + 90 * minuteMs,
    },
    'clock time': {
      make: (id, next) => ({ id, type: 'delay', wait: { until: '13:30', weekdays: [] }, next }),
      leaves: (fromMs) => fromMs + dayMs - ((fromMs - 13.5 * 60 * minuteMs) % dayMs),
    },
  },
  decision: {
    yes: { make: (id, next, other) => ({ id, type: 'decision', condition: yes, yes: next, no: other }) },
    no: { make: (id, next, other) => ({ id, type: 'decision', condition: no, yes: other, no: next }) },
  },
  paths: {
    first: {
      make: (id, next, otherwise) => {
        const paths = [path(next), path(otherwise)].map((each) => ({ ...each, condition: yes }))
        return { id, type: 'paths', paths, otherwise }
      },
    },
    second: {
      make: (id, next, otherwise) => {
        const paths = [
          { ...path(otherwise), condition: no },
          { ...path(next), condition: yes },
        ]
        return { id, type: 'paths', paths, otherwise }
      },
    },
    otherwise: {
      make: (id, next, other) => ({ id, type: 'paths', paths: [{ ...path(other), condition: no }], otherwise: next }),
    },
  },
  action_paths: {
    acted: {
      make: (id, next, otherwise) => {
        const paths = [
          { ...path(otherwise), on: event('sold') },
          { ...path(next), on: event('bought') },
        ]
        return { id, type: 'action_paths', withinMs: 50 * dayMs, paths, otherwise }
      },
      freed: () => ({ kind: 'signal', signal: signal('bought') }),
    },
    'without an event': {
      make: (id, next, other) => {
        const paths = [{ ...path(other), on: event('bought') }]
        return { id, type: 'action_paths', withinMs: 20 * minuteMs, paths, otherwise: next }
      },
      leaves: (fromMs) => fromMs + 20 * minuteMs,
    },
  },
  experiment: {
    half: {
      make: (id, next, other) => {
        const shares = [{ percent: 50 }, { percent: 50 }]
        const taken = experimentPath(entryOf({}).entry_id, id, shares)
        return {
          id,
          type: 'experiment',
          paths: shares.map((each) => ({ ...path(each === taken ? next : other), ...each })),
        }
      },
    },
  },
  update_user: {
    done: {
      make: (id, next) => ({ id, type: 'update_user', attributes: { seen: true }, next }),
      effect: 'update_user',
    },
  },
  webhook: {
    called: {
      make: (id, next) => {
        return { id, type: 'webhook', url: 'https://example.com', method: 'GET', headers: {}, body: undefined, next }
      },
      effect: 'message',
    },
  },
}
const named = Object.entries(ways).flatMap(([type, each]) =>
  Object.entries(each).map(([way, rest]) => ({ name: `${type} (${way})`, ...rest })),
)

/** Moves an entry at each due time until it ends. Returns its steps with visits, times and effects. */
function walk(graph: Graph, wayOf: (step: string) => Way, first: string, turns: number) {
  let entry: Entry = entryOf(firstPosition(first, enteredMs))
  let nowMs = enteredMs
  const done: string[] = []
  for (let moves = 0; entry.state !== 'ended' && done.length < turns; moves++) {
    assert.ok(moves < 1000, 'the entry never ends')
    const { step, visit, state, dueMs } = entry
    if (state === 'sending') {
      entry = { ...entry, ...afterMessage(graph, entry, entry, nowMs) }
      continue
    }
    const freed = state === 'arriving' ? undefined : wayOf(step).freed?.()
    if (!freed) nowMs = dueMs!
    const happening = freed ?? { kind: 'due' }
    const facts = new Map(questionsFor(graph, entry, happening).map(({ key, condition }) => [key, condition === yes]))
    const moved = advance(graph, entry, happening, facts, { nowMs, zone: 'UTC' })
    assert.notEqual(moved.position, entry, `${state} at ${step}: nothing moves the entry`)
    const effects = moved.effects.map((effect) => `: ${Object.values(effect).join(' ')}`)
    if (state === 'arriving') done.push(`${step} ${visit} at ${(nowMs - enteredMs) / minuteMs}${effects}`)
    else assert.deepEqual(effects, [])
    entry = { ...entry, ...moved.position }
  }
  return { done, entry, nowMs }
}

/** Returns the expected result of a row of steps, where each begins when the entry leaves the one before. */
function expected(row: readonly { readonly step: string; readonly visit: number; readonly way: Way }[]) {
  let nowMs = enteredMs
  const done = row.map(({ step, visit, way }) => {
    const line = `${step} ${visit} at ${(nowMs - enteredMs) / minuteMs}`
    nowMs = way.leaves?.(nowMs) ?? nowMs
    return way.effect ? `${line}: ${way.effect} ${step} ${visit}` : line
  })
  return { done, nowMs }
}

test('each way through each kind of step can follow each other way, at the time at which the entry leaves the step before', () => {
  for (const a of named) {
    for (const b of named) {
      const graph = graphOf([a.make('a', 'b', 'wrong'), b.make('b', undefined, 'wrong'), message('wrong')])
      const { done, entry, nowMs } = walk(graph, (step) => (step === 'a' ? a : b), 'a', 9)
      const wanted = expected([
        { step: 'a', visit: 1, way: a },
        { step: 'b', visit: 1, way: b },
      ])
      assert.deepEqual({ done, nowMs, ended: entry.ended }, { ...wanted, ended: 'completed' }, `${a.name}, ${b.name}`)
    }
  }
})

test('each way through each kind of step can be in a cycle with each other way, with a new visit each time', () => {
  for (const a of named) {
    for (const b of named) {
      const graph = graphOf([a.make('a', 'b', 'wrong'), b.make('b', 'a', 'wrong'), message('wrong')])
      const { done } = walk(graph, (step) => (step === 'a' ? a : b), 'a', 6)
      const wanted = expected(
        [1, 2, 3].flatMap((visit) => [
          { step: 'a', visit, way: a },
          { step: 'b', visit, way: b },
        ]),
      )
      assert.deepEqual(done, wanted.done, `${a.name}, ${b.name}`)
    }
  }
})

test('a cycle of each kind of step ends after a hundred visits', () => {
  for (const way of named) {
    const graph = graphOf([way.make('a', 'a', 'wrong'), message('wrong')])
    const { done, entry } = walk(graph, () => way, 'a', 1000)
    assert.deepEqual([done.length, entry.ended], [100, 'exited'], way.name)
  }
})
