import { describeTree } from '../../audience/conditions/sentence.ts'
import { channelOf } from '../channels/channels.ts'
import { ownTree } from './conditions.ts'
import { dayNames, describeEntry, joined, spanWords, triggerWords } from './describe-entry.ts'
import type { Condition, DelayStep, Graph, Step, StepType } from './flow.ts'
import type { FlowWording } from './flow-wording.ts'

/** Characters of a condition, a subject or an URL in a sentence. Longer ones are cut. */
const quotedCharactersMax = 300
/** Attributes that a sentence names. Further ones are counted. */
const namedAttributesMax = 5

/** A path out of a step, or into a flow. `name` is empty for the only way on; `next` null is the end. */
export type OutlinedPath = { readonly name: string; readonly words: string; readonly next: string | null }

/** A step in words. */
export type OutlinedStep = {
  readonly id: string
  readonly name: string
  readonly kind: StepType
  readonly sentence: string
  readonly paths: readonly OutlinedPath[]
}

/** A version of a flow in words: how people enter, by which variants, and each step with its paths. */
export type Outline = {
  readonly sentence: string
  readonly starts: readonly OutlinedPath[]
  readonly steps: readonly OutlinedStep[]
}

/** Returns a version of a flow in words. Pure. */
export function describeGraph(graph: Graph, wording: FlowWording): Outline {
  return {
    sentence: describeEntry(graph),
    starts: graph.variants.map(({ name, percent, first }) => ({ name, words: percentWords(percent), next: first })),
    steps: [...graph.steps.values()].map((step) => describeStep(step, wording)),
  }
}

/** Returns a step in words. Pure. */
export function describeStep(step: Step, wording: FlowWording): OutlinedStep {
  const { id, name, type } = step
  return { id, name, kind: type, sentence: sentenceOf(step, wording), paths: pathsOf(step, wording) }
}

function sentenceOf(step: Step, wording: FlowWording): string {
  switch (step.type) {
    case 'message': {
      return channelOf(step.channel).content.describe(step.content, cut, wording.templateName)
    }
    case 'delay':
      return waitWords(step.wait)
    case 'decision':
      return `Yes, when the person ${conditionWords(step.condition, wording)}; otherwise no.`
    case 'paths':
      return 'Takes the first path whose condition is true of the person.'
    case 'action_paths':
      return `Waits at most ${spanWords(step.withinMs)} for what the person does, and takes the path of that.`
    case 'experiment':
      return 'Divides people at random.'
    case 'update_user':
      return `Changes ${attributeWords(Object.keys(step.attributes))} of the person.`
    case 'webhook':
      return channelOf('webhook').content.describe(step, cut)
  }
}

function waitWords(wait: DelayStep['wait']): string {
  if ('forMs' in wait) return `Waits ${spanWords(wait.forMs)}.`
  const days = wait.weekdays.map((day) => dayNames[day - 1]!)
  const on = days.length === 0 || days.length === dayNames.length ? '' : ` on a ${joined(days, 'or')}`
  return `Waits until it is ${wait.until}${on}, in the time zone of the person.`
}

function attributeWords(names: readonly string[]): string {
  const named = names.slice(0, namedAttributesMax).map((name) => JSON.stringify(name))
  const more = names.length - named.length
  const all = more === 0 ? named : [...named, `${more} more`]
  return `${names.length === 1 ? 'the attribute' : 'the attributes'} ${joined(all, 'and')}`
}

/** Returns a condition as the rest of a sentence about a person. */
function conditionWords(condition: Condition, wording: FlowWording): string {
  if ('segment_id' in condition) {
    const { segment_id } = condition
    return `is in the segment ${JSON.stringify(wording.segmentName?.(segment_id) ?? segment_id)}`
  }
  return `fits this: ${cut(describeTree(ownTree(condition), wording))}`
}

function pathsOf(step: Step, wording: FlowWording): OutlinedPath[] {
  switch (step.type) {
    case 'decision':
      return [path('yes', 'when it is true', step.yes), path('no', 'when it is not true', step.no)]
    case 'paths':
      return [
        ...step.paths.map(({ name, next, condition }) => {
          return path(name, `when the person ${conditionWords(condition, wording)}`, next)
        }),
        path('otherwise', 'when no other path fits', step.otherwise),
      ]
    case 'action_paths':
      return [
        ...step.paths.map(({ name, next, on }) => path(name, triggerWords(on), next)),
        path('otherwise', `after ${spanWords(step.withinMs)} without any of that`, step.otherwise),
      ]
    case 'experiment':
      return step.paths.map(({ name, next, percent }) => path(name, percentWords(percent), next))
    default:
      return [path('', '', step.next)]
  }
}

function path(name: string, words: string, next: string | undefined): OutlinedPath {
  return { name, words, next: next ?? null }
}

/** Writes a share as the dashboard does: `50%`. */
export function percentWords(percent: number): string {
  return `${percent}%`
}

function cut(text: string): string {
  return text.length <= quotedCharactersMax ? text : `${text.slice(0, quotedCharactersMax).toWellFormed()}...`
}
