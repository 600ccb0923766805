import type { Entry, EntryState } from '../entries/entry.ts'
import type { PathsStep, Step } from '../flows/flow.ts'
import { experimentPath } from './assignment.ts'
import { delayUntil } from './delay.ts'
import type { ConditionAnswers, ConditionQuestion, Effect } from './happening.ts'

/** What running a step leads to: the next step at once (`to` undefined: the end), or a rest at the step. */
export type StepRun =
  | { readonly to: string | undefined; readonly effects: readonly Effect[] }
  | {
      readonly rests: Extract<EntryState, 'waiting' | 'listening' | 'sending' | 'calling'>
      readonly dueMs: number | undefined
      readonly effects: readonly Effect[]
    }

/** Returns the conditions that must be answered before a step can run. */
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

/**
 * Runs the step at which `entry` has arrived. `fromMs` is the planned time, `zone` that of the person. Throws when an answer is missing.
 * Pure.
 */
export function runStep(step: Step, entry: Entry, fromMs: number, answers: ConditionAnswers, zone: string): StepRun {
  const { visit } = entry
  switch (step.type) {
    case 'message':
      return { rests: 'sending', dueMs: undefined, effects: [{ kind: 'message', step: step.id, visit }] }
    case 'delay':
      return { rests: 'waiting', dueMs: delayUntil(step.wait, fromMs, zone), effects: [] }
    case 'decision':
      return { to: answerTo(answers, questionKey(step.id)) ? step.yes : step.no, effects: [] }
    case 'paths':
      return { to: firstPath(step, answers), effects: [] }
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

/** Returns the step after one at which entries rest, or undefined at the end. */
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
      throw new Error(`an entry rests at ${step.id}, but a step of type ${step.type} never waits`)
  }
}

/** Returns the answer to a question. Throws when there is none: a missing answer must not count as no. */
export function answerTo(answers: ConditionAnswers, key: string): boolean {
  const answer = answers.get(key)
  if (answer === undefined) throw new Error(`there is no answer to ${key}`)
  return answer
}

/** The key of a condition that a step reads. */
function questionKey(step: string, path?: number): string {
  return path === undefined ? `steps.${step}` : `steps.${step}.paths[${path}]`
}

function firstPath(step: PathsStep, answers: ConditionAnswers): string | undefined {
  const taken = step.paths.find((_, i) => answerTo(answers, questionKey(step.id, i)))
  return taken ? taken.next : step.otherwise
}
