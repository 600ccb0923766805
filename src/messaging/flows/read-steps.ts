import { type Members, membersOf, mustBe, wordOf, wrong } from '../../audience/conditions/parse-members.ts'
import { isObject } from '../../people/values/values.ts'
import { joinPath } from '../../workspace/settings/mistake.ts'
import { channelNames, channelOf } from '../channels/channels.ts'
import type { WebhookContent } from '../channels/webhook/content.ts'
import type { DelayStep, Path, Step, StepType } from './flow.ts'
import { readAttributes } from './read-actions.ts'
import { requireCondition } from './read-condition.ts'
import { triggerMembers, triggerOf } from './read-trigger.ts'
import {
  checkNames,
  checkPercents,
  type FlowReading,
  isGiven,
  listOf,
  optional,
  readClockTime,
  readDuration,
  readLine,
  readPercent,
  readStepId,
  readWeekdays,
  takeMistake,
} from './read-values.ts'
import { pathsMax, stepsMax } from './schema.ts'

const webhookMembers = ['url', 'method', 'headers', 'body'] as const
const commonMembers = ['id', 'name', 'type'] as const

/** The members of each type of step, besides the common ones. */
const membersByType: Readonly<Record<StepType, readonly string[]>> = {
  message: ['channel', 'message', 'next'],
  delay: ['for', 'until', 'weekdays', 'next'],
  decision: ['segment', 'audience', 'yes', 'no'],
  paths: ['paths', 'otherwise'],
  action_paths: ['within', 'paths', 'otherwise'],
  experiment: ['paths'],
  update_user: ['attributes', 'next'],
  webhook: [...webhookMembers, 'next'],
}
const types = Object.keys(membersByType) as StepType[]

/** Reads the steps of a canvas, in their order. `checkSteps` checks the graph that they make. */
export function readSteps(reading: FlowReading, given: unknown, path: string): Step[] {
  const mistakes = [takeMistake(reading)]
  const read = listOf(reading, given, path, { min: 1, max: stepsMax, what: 'steps' }, (item, at) => {
    const step = readStep(reading, item, at)
    if (step) reading.stepPaths.set(step, at)
    mistakes.push(takeMistake(reading))
    return step
  })
  const [first, ...more] = [...mistakes, takeMistake(reading)].flatMap((mistake) => mistake ?? [])
  Object.assign(reading, { mistake: first, more })
  checkNames(reading, path, read, 'id')
  return read.flatMap((step) => step ?? [])
}

/** Reads what a message of a flow contains. */
export function readContentAt(reading: FlowReading, channel: string, given: unknown, path: string): unknown {
  const read = reading.context.readContent(channel, given, path)
  if ('content' in read) return read.content
  const mistakes = reading.all ? reading.context.contentMistakes(channel, given, path) : [read.mistake]
  for (const mistake of mistakes) wrong(reading, mistake.path, mistake.message)
  return channelOf(channel).content.standIn
}

function readStep(reading: FlowReading, given: unknown, path: string): Step | undefined {
  if (!isObject(given)) return mustBe(reading, path, 'an object with id and type', given)
  const type = wordOf(reading, { path, value: given }, 'type', types)
  const members = type && membersOf(reading, given, path, [...commonMembers, ...membersByType[type]])
  if (!members) return undefined
  const id = readStepId(reading, given.id, joinPath(path, 'id'))
  const name = optional(members, 'name', (value, at) => readLine(reading, value, at)) ?? id
  return { id, name, ...readStepBody(reading, type, members) }
}

type StepBody = Step extends infer S ? (S extends Step ? Omit<S, 'id' | 'name'> : never) : never

function readStepBody(reading: FlowReading, type: StepType, members: Members): StepBody {
  const { path, value } = members
  const to = (name: string) => readNext(reading, members, name)
  const within = (name: string) => joinPath(path, name)
  switch (type) {
    case 'message': {
      const names = channelNames()
      const read = isGiven(members, 'channel') ? wordOf(reading, members, 'channel', names) : names[0]
      const channel = read ?? names[0]!
      const content = readContentAt(reading, channel, value.message, within('message'))
      return { type, channel, content, next: to('next') }
    }
    case 'delay':
      return { type, wait: readDelay(reading, members), next: to('next') }
    case 'decision':
      return { type, condition: requireCondition(reading, members), yes: to('yes'), no: to('no') }
    case 'paths': {
      const paths = readPaths(reading, members, ['segment', 'audience'], (path) => {
        return { condition: requireCondition(reading, path) }
      })
      return { type, paths, otherwise: to('otherwise') }
    }
    case 'action_paths': {
      const paths = readPaths(reading, members, triggerMembers, (path) => ({ on: triggerOf(reading, path) }))
      return {
        type,
        withinMs: readDuration(reading, value.within, within('within')),
        paths,
        otherwise: to('otherwise'),
      }
    }
    case 'experiment': {
      const paths = readPaths(reading, members, ['percent'], (path) => {
        return { percent: readPercent(reading, path.value.percent, joinPath(path.path, 'percent')) }
      })
      const percents = paths.map(({ percent }) => percent)
      checkPercents(reading, within('paths'), percents)
      return { type, paths }
    }
    case 'update_user':
      return { type, attributes: readAttributes(reading, value.attributes, within('attributes')), next: to('next') }
    case 'webhook':
      return { type, ...readWebhook(reading, members), next: to('next') }
  }
}

/** Reads the members of a webhook as its channel does. */
function readWebhook(reading: FlowReading, { path, value }: Members) {
  const own = Object.fromEntries(webhookMembers.map((name) => [name, value[name]]))
  const { url, method, headers, body } = readContentAt(reading, 'webhook', own, path) as WebhookContent
  return { url, method, headers, body }
}

/** Reads the id of the next step. Undefined where the canvas ends. */
function readNext(reading: FlowReading, members: Members, name: string): string | undefined {
  return optional(members, name, (value, at) => readStepId(reading, value, at))
}

function readPaths<T extends object>(
  reading: FlowReading,
  step: Members,
  more: readonly string[],
  read: (members: Members) => T,
): (Path & T)[] {
  const at = joinPath(step.path, 'paths')
  const what = { min: 1, max: pathsMax, what: 'paths' }
  const all = listOf(reading, step.value.paths, at, what, (item, path, i) => {
    const members = membersOf(reading, item, path, ['name', ...more, 'next'])
    if (!members) return undefined
    const name = optional(members, 'name', (value, namePath) => readLine(reading, value, namePath)) ?? `Path ${i + 1}`
    return { name, next: readNext(reading, members, 'next'), ...read(members) }
  })
  checkNames(reading, at, all, 'name')
  return all.flatMap((path) => path ?? [])
}

function readDelay(reading: FlowReading, members: Members): DelayStep['wait'] {
  const weekdays = optional(members, 'weekdays', (value, at) => readWeekdays(reading, value, at))
  const forMs = optional(members, 'for', (value, at) => readDuration(reading, value, at))
  const until = optional(members, 'until', (value, at) => readClockTime(reading, value, at))
  const { path } = members
  if (forMs !== undefined && until !== undefined) wrong(reading, path, 'must have for or until, not both')
  if (forMs === undefined && until === undefined) wrong(reading, path, 'must have for or until')
  if (weekdays && until === undefined) wrong(reading, joinPath(path, 'weekdays'), 'must be left out without until')
  return until === undefined ? { forMs: forMs ?? 0 } : { until, weekdays: weekdays ?? [] }
}
