import { type Members, mustBe, type ParseState, wrong } from '../../audience/conditions/parse-members.ts'
import { isCleanText, isLong } from '../../people/values/values.ts'
import { elapsedMs } from '../../workspace/settings/duration.ts'
import { joinPath, type Mistake } from '../../workspace/settings/mistake.ts'
import type { ReadDefinition } from '../channels/channel.ts'
import type { Step } from './flow.ts'
import { waitDaysMax, weekdays } from './schema.ts'

/** What a definition is read against: what it may name, and limits of the workspace. */
export type DefinitionContext = {
  /** `regex_characters_max` of the workspace. */
  readonly patternMax: number
  hasSegment(idOrName: string): boolean
  /** The origins that each credential may be sent to, by its name; not checked when undefined. */
  readonly credentialOrigins: ReadonlyMap<string, readonly string[]> | undefined
  /** Reads the content of a message of a channel. */
  readContent(channel: string, value: unknown, path: string): ReadDefinition<unknown>
  /** Returns the mistakes of a content, each of another member. */
  contentMistakes(channel: string, value: unknown, path: string): readonly Mistake[]
}

/**
 * The state of reading a definition. The first mistake is kept; values that are read after it are not used. `more`: the first mistakes of
 * other steps. `stepPaths`: where each step that was read stands in the definition.
 */
export type FlowReading = ParseState & {
  readonly context: DefinitionContext
  readonly stepPaths: Map<Step, string>
  more: readonly Mistake[]
}

/** Whether all mistakes are wanted, and one at such a path was found: what follows from it is no mistake of its own. */
export function hasFound({ all }: ParseState, isAt: (path: string) => boolean): boolean {
  return all?.some(({ path }) => isAt(path)) ?? false
}

/** Returns the mistake and removes it, so that the first mistake of the next step is kept too. */
export function takeMistake(reading: FlowReading): Mistake | undefined {
  const { mistake } = reading
  reading.mistake = undefined
  return mistake
}

const dayMs = 86_400_000
const waitMsMin = 1000
const waitText = `a length of time from PT1S to P${waitDaysMax}D without months and years, such as P3D or PT30M`
const stepIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Reads a member that may be absent or null. */
export function optional<T>(
  { path, value }: Members,
  name: string,
  read: (given: unknown, at: string) => T,
): T | undefined {
  const given = value[name]
  return given === undefined || given === null ? undefined : read(given, joinPath(path, name))
}

export function isGiven({ value }: Members, name: string): boolean {
  return value[name] !== undefined && value[name] !== null
}

/** Reads a list of `min` to `max` items. */
export function listOf<T>(
  reading: FlowReading,
  given: unknown,
  path: string,
  { min, max, what }: { readonly min: number; readonly max: number; readonly what: string },
  read: (item: unknown, at: string, i: number) => T,
): T[] {
  if (Array.isArray(given) && given.length >= min && given.length <= max) {
    return given.map((item, i) => read(item, `${path}[${i}]`, i))
  }
  const expected = `a list of ${min === 0 ? 'at most' : `${min} to`} ${max} ${what}`
  if (Array.isArray(given)) wrong(reading, path, `must be ${expected}, not of ${given.length}`)
  else mustBe(reading, path, expected, given)
  return []
}

/** Reads a duration. Returns milliseconds. */
export function readDuration(reading: FlowReading, given: unknown, path: string): number {
  const ms = typeof given === 'string' ? elapsedMs(given) : undefined
  if (ms !== undefined && ms >= waitMsMin && ms <= waitDaysMax * dayMs) return ms
  return mustBe(reading, path, waitText, given) ?? 0
}

/** Reads a time of day, `HH:MM`. */
export function readClockTime(reading: FlowReading, given: unknown, path: string): string {
  if (typeof given === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(given)) return given
  return mustBe(reading, path, 'a time of day such as "09:00"', given) ?? ''
}

/** Reads different weekdays. Returns 1 (Monday) to 7, in order. */
export function readWeekdays(reading: FlowReading, given: unknown, path: string): number[] {
  const what = `different days of ${weekdays.join(', ')}`
  const days = listOf(reading, given, path, { min: 1, max: weekdays.length, what }, (item, at) => {
    const day = weekdays.indexOf(item as (typeof weekdays)[number]) + 1
    return day > 0 ? day : (mustBe(reading, at, `one of ${weekdays.join(', ')}`, item) ?? 0)
  })
  if (new Set(days).size < days.length) wrong(reading, path, `must be a list of ${what}`)
  return days.toSorted((a, b) => a - b)
}

export function readPercent(reading: FlowReading, given: unknown, path: string): number {
  if (Number.isInteger(given) && (given as number) >= 0 && (given as number) <= 100) return (given as number) + 0
  return mustBe(reading, path, 'a whole number from 0 to 100', given) ?? 0
}

/** Refuses percents of the items of a list that do not add to 100. */
export function checkPercents(reading: FlowReading, path: string, percents: readonly number[]): void {
  const inList = (at: string) =>
    at === path || (at.startsWith(`${path}[`) && /^\d+\](\.percent)?$/.test(at.slice(path.length + 1)))
  if (hasFound(reading, inList)) return
  const sum = percents.reduce((all, percent) => all + percent, 0)
  if (sum !== 100) wrong(reading, path, `must have percents that add to 100, not ${sum}`)
}

/** Refuses a name that an earlier entry has. An undefined entry could not be read. */
export function checkNames<M extends 'name' | 'id'>(
  reading: FlowReading,
  path: string,
  entries: readonly (Readonly<Record<M, string>> | undefined)[],
  member: M,
): void {
  const names = entries.map((entry) => entry?.[member] ?? '')
  for (const [i, name] of names.entries()) {
    const first = names.indexOf(name)
    // An empty one stands for one that was refused.
    if (first < i && name !== '') wrong(reading, `${path}[${i}].${member}`, `is the same as that of ${path}[${first}]`)
  }
}

/** Reads one line of 1 to 255 characters. */
export function readLine(reading: FlowReading, given: unknown, path: string): string {
  if (typeof given === 'string' && given.trim() !== '' && !/[\r\n]/.test(given) && isCleanText(given)) {
    if (!isLong(given)) return given
  }
  return mustBe(reading, path, 'one line of 1 to 255 characters', given) ?? ''
}

export function readStepId(reading: FlowReading, given: unknown, path: string): string {
  if (typeof given === 'string' && stepIdPattern.test(given) && !(given in {})) return given
  const expected = 'an id of 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first'
  return mustBe(reading, path, expected, given) ?? ''
}

/** Reads one of some words; `otherwise` when it is absent. */
export function readWord<W extends string>(
  reading: FlowReading,
  { path, value }: Members,
  name: string,
  words: readonly W[],
  otherwise: W,
): W {
  const given = value[name]
  if (given === undefined || given === null) return otherwise
  if ((words as readonly unknown[]).includes(given)) return given as W
  return mustBe(reading, joinPath(path, name), `one of ${words.join(', ')}`, given) ?? otherwise
}
