import { membersOf, mustBe, wrong } from '../../audience/conditions/parse-members.ts'
import { isObject } from '../../people/values/values.ts'
import { joinPath } from '../../workspace/settings/mistake.ts'
import { isTimeZone } from '../../workspace/settings/settings.ts'
import type { Conversion, Graph, Recurrence, ReentryRule } from './flow.ts'
import { readCondition } from './read-condition.ts'
import { readConversionTrigger, readFirstTrigger, readTrigger } from './read-trigger.ts'
import {
  checkNames,
  type FlowReading,
  isGiven,
  listOf,
  optional,
  readClockTime,
  readDuration,
  readLine,
  readWeekdays,
} from './read-values.ts'
import { conversionsMax, exitsMax } from './schema.ts'

type By = 'api' | 'schedule' | 'event'
const ways: readonly By[] = ['api', 'schedule', 'event']
const conversionNames = ['A', 'B', 'C', 'D'].map((letter) => `Primary Conversion Event - ${letter}`)

/** Reads `entry`. Without `by` people enter by the event and the schedule that are given, or by the API when neither is given. */
export function readEntry(reading: FlowReading, given: unknown, path: string, again: ReentryRule): Graph['entry'] {
  const members = membersOf(reading, given, path, ['by', 'event', 'schedule', 'again'])
  if (!members) return { by: new Set(), on: undefined, schedule: undefined, again }
  const on = optional(members, 'event', (value, at) => readFirstTrigger(reading, value, at))
  const schedule = optional(members, 'schedule', (value, at) => readRecurrence(reading, value, at))
  const implied: By[] = [...(schedule ? (['schedule'] as const) : []), ...(on ? (['event'] as const) : [])]
  const by = new Set<By>(
    optional(members, 'by', (value, at) => readWays(reading, value, at)) ?? (implied.length > 0 ? implied : ['api']),
  )
  for (const way of ['event', 'schedule'] as const) {
    const rule = isGiven(members, way)
    if (by.has(way) && !rule) wrong(reading, joinPath(path, way), `is missing: the entry is by ${way}`)
    if (!by.has(way) && rule) wrong(reading, joinPath(path, 'by'), `must have ${way}, or ${way} must be left out`)
  }
  return {
    by,
    on,
    schedule,
    again: optional(members, 'again', (value, at) => readAgain(reading, value, at)) ?? again,
  }
}

function readWays(reading: FlowReading, given: unknown, path: string): By[] {
  return listOf(reading, given, path, { min: 1, max: ways.length, what: `of ${ways.join(', ')}` }, (item, at) => {
    return ways.find((way) => way === item) ?? mustBe(reading, at, `one of ${ways.join(', ')}`, item) ?? 'api'
  })
}

function readAgain(reading: FlowReading, given: unknown, path: string): ReentryRule {
  if (given === 'never' || given === 'always') return given
  if (!isObject(given)) return mustBe(reading, path, 'never, always or {after: ...}', given) ?? 'never'
  const members = membersOf(reading, given, path, ['after'])
  return { afterMs: members ? readDuration(reading, members.value.after, joinPath(path, 'after')) : 0 }
}

function readRecurrence(reading: FlowReading, given: unknown, path: string): Recurrence | undefined {
  const members = membersOf(reading, given, path, ['at', 'days', 'zone', 'from', 'until'])
  if (!members) return undefined
  const from = optional(members, 'from', (value, at) => readDate(reading, value, at))
  const until = optional(members, 'until', (value, at) => readDate(reading, value, at))
  if (from !== undefined && until !== undefined && until < from) {
    wrong(reading, joinPath(path, 'until'), `must not be before from, ${from}`)
  }
  return {
    at: readClockTime(reading, members.value.at, joinPath(path, 'at')),
    days: optional(members, 'days', (value, at) => readWeekdays(reading, value, at)) ?? [],
    zone: optional(members, 'zone', (value, at) => readZone(reading, value, at)) ?? 'local',
    from,
    until,
  }
}

function readZone(reading: FlowReading, given: unknown, path: string): string {
  if (given === 'local' || (typeof given === 'string' && given.length <= 64 && isTimeZone(given))) return given
  return mustBe(reading, path, 'local or a time zone such as Europe/Paris', given) ?? 'local'
}

function readDate(reading: FlowReading, given: unknown, path: string): string {
  if (typeof given === 'string' && /^[12]\d{3}-\d{2}-\d{2}$/.test(given)) {
    const ms = Date.parse(`${given}T00:00:00Z`)
    if (!Number.isNaN(ms) && Temporal.Instant.fromEpochMilliseconds(ms).toString().startsWith(given)) return given
  }
  return mustBe(reading, path, 'a date such as "2027-03-01"', given) ?? ''
}

/** Reads `exit`: the events and the condition that end an entry early. */
export function readExit(reading: FlowReading, given: unknown, path: string): Graph['exit'] {
  const members = membersOf(reading, given, path, ['events', 'segment', 'audience'])
  if (!members) return { on: [], condition: undefined }
  const what = { min: 1, max: exitsMax, what: 'events or purchases' }
  const on = optional(members, 'events', (value, at) => {
    return listOf(reading, value, at, what, (item, itemPath) => readTrigger(reading, item, itemPath))
  })
  return { on: on ?? [], condition: readCondition(reading, members) }
}

export function readConversions(reading: FlowReading, given: unknown, path: string): Conversion[] {
  const what = { min: 0, max: conversionsMax, what: 'conversions' }
  const read = listOf(reading, given, path, what, (item, at, i) => {
    const members = membersOf(reading, item, at, ['name', 'on', 'within'])
    if (!members) return undefined
    return {
      name: optional(members, 'name', (value, namePath) => readLine(reading, value, namePath)) ?? conversionNames[i]!,
      on: readConversionTrigger(reading, members.value.on, joinPath(at, 'on')),
      withinMs: readDuration(reading, members.value.within, joinPath(at, 'within')),
    }
  })
  checkNames(reading, path, read, 'name')
  return read.flatMap((one) => one ?? [])
}
