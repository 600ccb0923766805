import type { Entry, EntryState } from '../entries/entry.ts'
import type { PathsStep, Step } from '../flows/flow.ts'
import { experimentPath } from './assignment.ts'
import { delayUntil } from './delay.ts'
import type { ConditionAnswers, ConditionQuestion, Effect } from './happening.ts'

/** What running a step comes to: the way leads on at once (`to` undefined: it ends there), or the entry rests at the step. */
export type StepRun =
  | { readonly to: string | undefined; readonly effects: readonly Effect[] }
  | {
      readonly rests: Extract<EntryState, 'waiting' | 'listening' | 'sending' | 'calling'>
      readonly dueMs: number | undefined
      readonly effects: readonly Effect[]
    }

/** What must be known before a step can be run. */
export function stepQuestions(step: Step): ConditionQuestion[] {
  switch (step.type) {
    case 'decision':
      return [{ key: questionKey(step.id), condition: step.condition }]
    case 'paths':
      return step.paths.map(({ condition }, i) => ({ key: questionKey(step.id, i), condition }))
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
export function runStep(step: Step, entry: Entry, fromMs: number, facts: ConditionAnswers, zone: string): StepRun {
  const { visit } = entry
  switch (step.type) {
    case 'message':
      return { rests: 'sending', dueMs: undefined, effects: [{ kind: 'message', step: step.id, visit }] }
    case 'delay':
      return { rests: 'waiting', dueMs: delayUntil(step.wait, fromMs, zone), effects: [] }
    case 'decision':
      return { to: answerTo(facts, questionKey(step.id)) ? step.yes : step.no, effects: [] }
    case 'paths':
      return { to: firstPath(step, facts), effects: [] }
    case 'action_paths':
      return { rests: 'listening', dueMs: fromMs + step.withinMs, effects: [] }
    case 'experiment':
      return { to: experimentPath(entry.entry_id, step.id, step.paths).next, effects: [] }
    case 'update_user':
      return { to: step.next, effects: [{ kind: 'update_user', step: step.id, visit }] }
    case 'webhook':
      return { rests: 'calling', dueMs: undefined, effects: [{ kind: 'call', step: step.id, visit }] }
  }
}

/** Where the way leads from a step at which entries rest, when its time is over or its work is done. */
export function nextStep(step: Step): string | undefined {
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
export function answerTo(facts: ConditionAnswers, key: string): boolean {
  const fact = facts.get(key)
  if (fact === undefined) throw new Error(`nobody asked for ${key}`)
  return fact
}

/** A condition that a step reads, by the step's id. */
function questionKey(step: string, path?: number): string {
  return path === undefined ? `steps.${step}` : `steps.${step}.paths[${path}]`
}

function firstPath(step: PathsStep, facts: ConditionAnswers): string | undefined {
  const taken = step.paths.find((_, i) => answerTo(facts, questionKey(step.id, i)))
  return taken ? taken.next : step.otherwise
}
