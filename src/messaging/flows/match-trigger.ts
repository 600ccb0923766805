import { isDeepStrictEqual } from 'node:util'
import { propertiesHold } from '../../audience/conditions/evaluate-value.ts'
import { isAnyNumber } from '../../base/exact-number.ts'
import type { Json } from '../../people/values/values.ts'
import type { Conversion, PropertyTest, Trigger } from './flow.ts'

/** A signal that a trigger may match. */
export type TriggerSignal = {
  readonly kind: 'event' | 'purchase' | 'attribute' | 'engagement'
  readonly name: string
  readonly properties: Readonly<Record<string, unknown>>
}

/**
 * Whether a signal matches a trigger. `event`: the properties of the event that began the entry, which the properties in `same` must equal.
 * A property that one of them does not have is not equal. Pure.
 */
export function matchesTrigger(
  trigger: Trigger | Conversion['on'],
  { kind, name, properties }: TriggerSignal,
  event: Readonly<Record<string, unknown>> | null,
): boolean {
  if (kind !== trigger.kind || (trigger.name !== undefined && trigger.name !== name)) return false
  if (trigger.kind === 'engagement') return true
  return (
    trigger.tests.every((test) => passes(test, properties as Json)) &&
    trigger.same.every((property) => isSame(property, properties, event))
  )
}

type Test = Parameters<typeof propertiesHold>[0][number]['test']

/** Tests a property by the rules of segments. Texts and flags have no order. */
function passes({ property, comparison, value }: PropertyTest, properties: Json): boolean {
  const test = toConditionTest(comparison, value)
  return test !== undefined && propertiesHold([{ name: property, test }], properties)
}

/** Returns the equivalent test of a condition. Undefined for a value that the comparison does not take. */
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
      if (isAnyNumber(value)) return { comparison, number: value }
      if (value === undefined) return undefined
      return { comparison: comparison === 'equals' ? 'equals' : 'does_not_equal', flag: value }
    default:
      return isAnyNumber(value) ? { comparison, number: value } : undefined
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
