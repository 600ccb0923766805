import type { Entry } from '../../src/messaging/entries/entry.ts'
import type { Condition, Graph, PropertyTest, Step, StepType, Trigger } from '../../src/messaging/flows/flow.ts'
import type { Signal } from '../../src/messaging/journeys/happening.ts'

type StepOf<T extends StepType> = Extract<Step, { readonly type: T }>

/** A step without its name: the engine does not read names. */
export type BareStep = { readonly [T in StepType]: Omit<StepOf<T>, 'name'> }[StepType]

/** Returns a canvas without conditions and exit rules that begins with the first of these steps. */
export function graphOf(steps: readonly BareStep[], more: Partial<Graph> = {}): Graph {
  return {
    segment: undefined,
    entry: { by: new Set(['api']), on: undefined, schedule: undefined, again: 'never' },
    exit: { on: [], condition: undefined },
    conversions: [],
    controlPercent: 0,
    variants: [{ id: 'a', name: 'A', percent: 100, first: steps[0]!.id }],
    wanted: 'subscribed',
    quietHours: 'hold',
    rate: undefined,
    steps: new Map(steps.map((step) => [step.id, { ...step, name: step.id }])),
    ...more,
  }
}

export function message(id: string, next?: string): BareStep {
  const content = { app_id: 'a', from: 'A <a@example.com>' }
  return { id, type: 'message', channel: 'email', content, next }
}

export function event(name: string | undefined, tests: readonly PropertyTest[] = [], same: readonly string[] = []) {
  return { kind: 'event', name, tests, same } satisfies Trigger
}

/** Returns a condition for membership in the segment of this name. */
export function segment(segment_id: string): Condition {
  return { segment_id }
}

export const enteredMs = Date.UTC(2027, 2, 1, 12)

/** Returns an entry that was created at `enteredMs` and is at its first step. */
export function entryOf(given: Partial<Entry>): Entry {
  return {
    bucket: 1,
    profile_id: '4503599627370497',
    entry_id: '0f4c0000-0000-4000-8000-000000000001',
    workspace_id: 1,
    flow_id: 1,
    version: 1,
    class: 'marketing',
    dispatch_id: null,
    held: false,
    variant: 'a',
    properties: null,
    event: null,
    enteredMs,
    state: 'arriving',
    step: '',
    visit: 1,
    visits: {},
    dueMs: enteredMs,
    ...given,
  }
}

export function signal(name: string, more: Partial<Signal> = {}): Signal {
  return { kind: 'event', name, timeMs: enteredMs, properties: {}, ...more }
}
