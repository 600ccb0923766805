import { joinPath } from '../../workspace/settings/mistake.ts'
import {
  isOneOf,
  numberComparisons,
  presences,
  readPresence,
  readPropertyTest,
  toNumberTest,
} from './parse-comparisons.ts'
import {
  integerOf,
  type Members,
  membersOf,
  mustBe,
  nameOf,
  type ParseState,
  readName,
  wordOf,
} from './parse-members.ts'
import type { CountTest, HistoryFilter, HistoryPropertyTest, Leaf } from './tree.ts'

/** X of "X times in Y days" (specification 4.5). */
export const timesMax = 50
/** Y of "X times in Y days". */
export const windowDaysMax = 30
/** Properties of one condition on an event or purchase. */
export const propertiesMax = 20

const nameMembers = { event: 'name', purchase: 'product_id' } as const

/** Reads `custom_event` and `purchase`: how often, in the last days or ever. */
export function readCounted(of: HistoryFilter['of']) {
  return (reading: ParseState, value: unknown, path: string): Leaf | undefined => {
    const read = readHistoryFilter(reading, value, path, of, ['days'])
    const times = read && readTimes(reading, read.members)
    return times && { kind: 'occurrences', what: read!.what, times }
  }
}

/** Reads the filter of events or purchases. Returns it with the members of the leaf that are still to be read. */
export function readHistoryFilter(
  reading: ParseState,
  value: unknown,
  path: string,
  of: HistoryFilter['of'],
  more: readonly string[],
): { what: HistoryFilter; members: Members } | undefined {
  const nameMember = nameMembers[of]
  const members = membersOf(reading, value, path, [nameMember, 'comparison', 'value', ...more, 'properties'])
  if (members === undefined) return undefined
  const given = members.value
  const name = given[nameMember] === undefined ? undefined : nameOf(reading, members, nameMember)
  const days = given.days === undefined ? undefined : integerOf(reading, members, 'days', 1, windowDaysMax)
  const properties = given.properties === undefined ? [] : readProperties(reading, members)
  if (reading.mistake || properties === undefined) return undefined
  return { what: { of, name, days, properties }, members }
}

/** Reads how often. `exists` is at least once, `does_not_exist` is never. */
function readTimes(reading: ParseState, members: Members): CountTest | undefined {
  const comparison = wordOf(reading, members, 'comparison', [...numberComparisons, ...presences])
  if (comparison === undefined) return undefined
  if (isOneOf(presences, comparison)) {
    if (!readPresence(reading, members, comparison)) return undefined
    return comparison === 'exists'
      ? { comparison: 'greater_than_or_equal_to', number: 1 }
      : { comparison: 'equals', number: 0 }
  }
  const number = integerOf(reading, members, 'value', 1, timesMax)
  return number === undefined ? undefined : toNumberTest(comparison, number)
}

function readProperties(reading: ParseState, { path, value }: Members): HistoryPropertyTest[] | undefined {
  const given = value.properties
  const at = joinPath(path, 'properties')
  if (!Array.isArray(given) || given.length === 0 || given.length > propertiesMax) {
    return mustBe(reading, at, `a list of 1 to ${propertiesMax} properties`, given)
  }
  reading.leaves += given.length
  const read = given.map((property, i) => readProperty(reading, property, `${at}[${i}]`))
  return reading.mistake ? undefined : (read as HistoryPropertyTest[])
}

function readProperty(reading: ParseState, value: unknown, path: string): HistoryPropertyTest | undefined {
  const members = membersOf(reading, value, path, ['name', 'comparison', 'value'])
  const name = members && readName(reading, members.value.name, joinPath(path, 'name'))
  const test = name === undefined ? undefined : readPropertyTest(reading, members!)
  return test && { name: name!, test }
}
