import { isDeepStrictEqual } from 'node:util'
import { propertiesHold } from '../../audience/conditions/evaluate-value.ts'
import type { Json } from '../../people/values/values.ts'
import type { Conversion, PropertyTest, Trigger } from './flow.ts'

/** What a trigger may be waiting for. */
export type TriggerSignal = {
  readonly kind: 'event' | 'purchase' | 'attribute' | 'engagement'
  readonly name: string
  readonly properties: Readonly<Record<string, unknown>>
}

/**
 * Whether something is what a trigger means. `event`: the properties of the event with which the entry began, which those in `same` must
 * equal; where one of the two has no such property they are not the same. Pure.
 */
export function matchesTrigger(
  trigger: Trigger | Conversion['on'],
  { kind, name, properties }: TriggerSignal,
  event: Readonly<Record<string, unknown>> | null,
): boolean {
  if (kind !== trigger.kind || (trigger.name !== undefined && trigger.name !== name)) return false
  if (trigger.kind === 'engagement') return true
  return (
    trigger.tests.every((test) => holdsOf(test, properties as Json)) &&
    trigger.same.every((property) => isSame(property, properties, event))
  )
}

type Test = Parameters<typeof propertiesHold>[0][number]['test']

/** A property is tested as segments test one; texts and flags have no order. */
function holdsOf({ property, comparison, value }: PropertyTest, properties: Json): boolean {
  const test = toConditionTest(comparison, value)
  return test !== undefined && propertiesHold([{ name: property, test }], properties)
}

/** Returns the test of a condition that means the same. Undefined for a value that the comparison does not take. */
export function toConditionTest(
  comparison: PropertyTest['comparison'],
  value: PropertyTest['value'],
): Test | undefined {
  switch (comparison) {
    case 'exists':
    case 'does_not_exist':
      return { comparison }
    case 'equals':
    case 'not_equal':
      if (typeof value === 'string') return { comparison, text: value }
      if (typeof value === 'number') return { comparison, number: value }
      if (value === undefined) return undefined
      return { comparison: comparison === 'equals' ? 'equals' : 'does_not_equal', flag: value }
    default:
      return typeof value === 'number' ? { comparison, number: value } : undefined
  }
}

function isSame(
  property: string,
  properties: Readonly<Record<string, unknown>>,
  event: Readonly<Record<string, unknown>> | null,
): boolean {
  if (!event || !Object.hasOwn(event, property) || !Object.hasOwn(properties, property)) return false
  return isDeepStrictEqual(properties[property], event[property])
}
