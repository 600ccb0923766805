import type { Entry, EntryState } from '../entries/entry.ts'
import type { PathsStep, Step } from '../flows/flow.ts'
import { pathOf } from './chance.ts'
import { delayUntil } from './delay.ts'
import type { Effect, Facts, Question } from './happening.ts'

/** What running a step comes to: the way leads on at once (`to` undefined: it ends there), or the entry rests at the step. */
export type Course =
  | { readonly to: string | undefined; readonly effects: readonly Effect[] }
  | {
      readonly rests: Extract<EntryState, 'waiting' | 'listening' | 'sending' | 'calling'>
      readonly dueMs: number | undefined
      readonly effects: readonly Effect[]
    }

/** What must be known before a step can be run. */
export function questionsOf(step: Step): Question[] {
  switch (step.type) {
    case 'decision':
      return [{ key: keyOf(step.id), condition: step.condition }]
    case 'paths':
      return step.paths.map(({ condition }, i) => ({ key: keyOf(step.id, i), condition }))
    case 'message':
    case 'delay':
    case 'action_paths':
    case 'experiment':
    case 'update_user':
    case 'webhook':
      return []
  }
}

/** Runs the step that `entry` has come to at its planned time, `fromMs`. `zone`: of the person. Throws for a fact that is missing. Pure. */
export function run(step: Step, entry: Entry, fromMs: number, facts: Facts, zone: string): Course {
  const { visit } = entry
  switch (step.type) {
    case 'message':
      return { rests: 'sending', dueMs: undefined, effects: [{ kind: 'message', step: step.id, visit }] }
    case 'delay':
      return { rests: 'waiting', dueMs: delayUntil(step.wait, fromMs, zone), effects: [] }
    case 'decision':
      return { to: factOf(facts, keyOf(step.id)) ? step.yes : step.no, effects: [] }
    case 'paths':
      return { to: firstPath(step, facts), effects: [] }
    case 'action_paths':
      return { rests: 'listening', dueMs: fromMs + step.withinMs, effects: [] }
    case 'experiment':
      return { to: pathOf(entry.entry_id, step.id, step.paths).next, effects: [] }
    case 'update_user':
      return { to: step.next, effects: [{ kind: 'update_user', step: step.id, visit }] }
    case 'webhook':
      return { rests: 'calling', dueMs: undefined, effects: [{ kind: 'call', step: step.id, visit }] }
  }
}

/** Where the way leads from a step at which entries rest, when its time is over or its work is done. */
export function wayOut(step: Step): string | undefined {
  switch (step.type) {
    case 'message':
    case 'delay':
    case 'update_user':
    case 'webhook':
      return step.next
    case 'action_paths':
      return step.otherwise
    case 'decision':
    case 'paths':
    case 'experiment':
      throw new Error(`an entry rests at ${step.id}, at which none can`)
  }
}

/** The answer to a question. Throws when it was not asked: a condition that nobody looked at is not one that does not hold. */
export function factOf(facts: Facts, key: string): boolean {
  const fact = facts.get(key)
  if (fact === undefined) throw new Error(`nobody asked for ${key}`)
  return fact
}

/** A condition that a step reads, by the step's id. */
function keyOf(step: string, path?: number): string {
  return path === undefined ? `steps.${step}` : `steps.${step}.paths[${path}]`
}

function firstPath(step: PathsStep, facts: Facts): string | undefined {
  const taken = step.paths.find((_, i) => factOf(facts, keyOf(step.id, i)))
  return taken ? taken.next : step.otherwise
}
