import { orderings, presences } from '../../audience/conditions/parse-comparisons.ts'
import {
  type Members,
  membersOf,
  mustBe,
  nameOf,
  readName,
  wordOf,
  wrong,
} from '../../audience/conditions/parse-members.ts'
import type { Scalar } from '../../audience/conditions/tree.ts'
import { isAnyNumber, isStorableNumber } from '../../base/exact-number.ts'
import { isLong, isObject, isUnsafeKey } from '../../people/values/values.ts'
import { joinPath } from '../../workspace/settings/mistake.ts'
import type { Conversion, PropertyTest, Trigger } from './flow.ts'
import { type FlowReading, isGiven, listOf, optional } from './read-values.ts'
import { testsMax } from './schema.ts'

/** The members of a trigger. A path of a step has them besides its own. */
export const triggerMembers = ['event', 'purchase', 'properties', 'same'] as const

const nothing: Trigger = { kind: 'event', name: '', tests: [], same: [] }

const comparisons = ['equals', 'not_equal', ...orderings, ...presences] as const

/** Reads a trigger: the name of an event, or an object with `event` or `purchase` and comparisons of its properties. */
export function readTrigger(reading: FlowReading, given: unknown, path: string): Trigger {
  if (typeof given === 'string') return { ...nothing, name: readName(reading, given, path) ?? '' }
  if (!isObject(given)) {
    mustBe(reading, path, 'the name of an event, or an object with event or purchase', given)
    return nothing
  }
  const members = membersOf(reading, given, path, triggerMembers)
  return members ? triggerOf(reading, members) : nothing
}

/** Reads the trigger of an entry, which may also give an event as `name`. */
export function readFirstTrigger(reading: FlowReading, given: unknown, path: string): Trigger {
  const isNamed = isObject(given) && given.name !== undefined && given.event === undefined
  const { name, ...rest } = isNamed ? given : {}
  const trigger = readTrigger(reading, isNamed ? { event: name, ...rest } : given, path)
  if (trigger.same.length > 0)
    wrong(reading, joinPath(path, 'same'), 'has nothing to compare with: it is the first event')
  return trigger
}

export function triggerOf(reading: FlowReading, members: Members): Trigger {
  const tests = optional(members, 'properties', (given, at) => readTests(reading, given, at)) ?? []
  const same =
    optional(members, 'same', (given, at) => {
      const what = 'names of properties'
      return listOf(reading, given, at, { min: 1, max: testsMax, what }, (name, namePath) => {
        return readName(reading, name, namePath) ?? ''
      })
    }) ?? []
  const [isEvent, isPurchase] = [isGiven(members, 'event'), isGiven(members, 'purchase')]
  if (isEvent === isPurchase) {
    wrong(reading, members.path, isEvent ? 'must have event or purchase, not both' : 'must have event or purchase')
    return nothing
  }
  const name = nameOf(reading, members, isEvent ? 'event' : 'purchase')
  if (isEvent) return { kind: 'event', name, tests, same }
  return { kind: 'purchase', name: name === 'any' ? undefined : name, tests, same }
}

/** Reads a trigger, or an engagement with a message of the flow: `{opened: email}`, `{clicked: email}`. */
export function readConversionTrigger(reading: FlowReading, given: unknown, path: string): Conversion['on'] {
  if (!isObject(given) || !('opened' in given || 'clicked' in given)) return readTrigger(reading, given, path)
  const name = 'opened' in given ? 'opened' : 'clicked'
  const members = membersOf(reading, given, path, [name])
  if (members) wordOf(reading, members, name, ['email'])
  return { kind: 'engagement', name }
}

function readTests(reading: FlowReading, given: unknown, path: string): PropertyTest[] {
  if (!isObject(given)) {
    mustBe(reading, path, 'an object of properties', given)
    return []
  }
  const names = Object.keys(given)
  if (names.length > testsMax) {
    wrong(reading, path, `must have at most ${testsMax} properties`)
    return []
  }
  return names.map((property) => {
    const at = joinPath(path, property)
    if (property === '' || isLong(property) || isUnsafeKey(property)) {
      wrong(reading, path, 'must have names of 1 to 255 characters')
    }
    return readTest(reading, property, given[property], at)
  })
}

function readTest(reading: FlowReading, property: string, given: unknown, path: string): PropertyTest {
  if (!isObject(given)) return { property, comparison: 'equals', value: readScalar(reading, given, path) }
  const members = membersOf(reading, given, path, ['comparison', 'value'])
  const comparison = members && wordOf(reading, members, 'comparison', comparisons)
  if (comparison === undefined) return { property, comparison: 'exists' }
  const at = joinPath(path, 'value')
  if (comparison === 'exists' || comparison === 'does_not_exist') {
    if (members && isGiven(members, 'value')) wrong(reading, at, `must be left out with ${comparison}`)
    return { property, comparison }
  }
  const value = readScalar(reading, given.value, at)
  if (comparison !== 'equals' && comparison !== 'not_equal' && !isAnyNumber(value)) {
    mustBe(reading, at, 'a number', value)
  }
  return { property, comparison, value }
}

function readScalar(reading: FlowReading, given: unknown, path: string): Scalar {
  if (typeof given === 'boolean') return given
  if (isStorableNumber(given)) return typeof given === 'number' ? given + 0 : given
  if (typeof given === 'string' && !isLong(given)) return given
  return mustBe(reading, path, 'text of at most 255 characters, a number, true or false', given) ?? ''
}
