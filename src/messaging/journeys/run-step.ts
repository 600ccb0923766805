import type { Entry, EntryState } from '../entries/entry.ts'
import { otherwisePath, type TakenPath, takenPath } from '../entries/trail.ts'
import type { PathsStep, Step } from '../flows/flow.ts'
import { experimentPath } from './assignment.ts'
import { delayUntil } from './delay.ts'
import type { ConditionAnswers, ConditionQuestion, Effect } from './happening.ts'

/** What running a step leads to: the next step at once (`to` undefined: the end), or a rest at the step. */
export type StepRun =
  | { readonly to: string | undefined; readonly path?: TakenPath; readonly effects: readonly Effect[] }
  | {
      readonly rests: Extract<EntryState, 'waiting' | 'listening' | 'sending'>
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
    case 'webhook':
      return { rests: 'sending', dueMs: undefined, effects: [{ kind: 'message', step: step.id, visit }] }
    case 'delay':
      return { rests: 'waiting', dueMs: delayUntil(step.wait, fromMs, zone), effects: [] }
    case 'decision':
      return answerTo(answers, questionKey(step.id))
        ? { to: step.yes, path: 'yes', effects: [] }
        : { to: step.no, path: 'no', effects: [] }
    case 'paths':
      return { ...firstPath(step, answers), effects: [] }
    case 'action_paths':
      return { rests: 'listening', dueMs: fromMs + step.withinMs, effects: [] }
    case 'experiment':
      return { ...takenPath(step.paths, experimentPath(entry.entry_id, step.id, step.paths)), effects: [] }
    case 'update_user':
      return { to: step.next, effects: [{ kind: 'update_user', step: step.id, visit }] }
  }
}

/** Returns the step after one at which entries rest (`to` undefined: the end), and the path to it. */
export function nextStep(step: Step): { readonly to: string | undefined; readonly path?: TakenPath } {
  switch (step.type) {
    case 'message':
    case 'delay':
    case 'update_user':
    case 'webhook':
      return { to: step.next }
    case 'action_paths':
      return { to: step.otherwise, path: otherwisePath }
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

function firstPath(step: PathsStep, answers: ConditionAnswers): { to: string | undefined; path: TakenPath } {
  const taken = step.paths.find((_, i) => answerTo(answers, questionKey(step.id, i)))
  return taken ? takenPath(step.paths, taken) : { to: step.otherwise, path: otherwisePath }
}
