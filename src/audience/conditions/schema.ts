import Type, { type TSchema } from 'typebox'
import { componentName } from '../../base/http/openapi-components.ts'
import { partnerCharactersMax } from '../../people/cohorts/schema.ts'
import {
  daysMax,
  instants,
  numberComparisons,
  presences,
  propertyComparisons,
  relativeTimes,
  textComparisons,
  timeComparisons,
  valueComparisons,
} from './parse-comparisons.ts'
import { audienceDepthMax, audienceLeavesMax } from './parse-condition.ts'
import { propertiesMax, timesMax, windowDaysMax } from './parse-history.ts'
import {
  channels,
  deviceFields,
  groupStates,
  pathKeysMax,
  standardTexts,
  standardTimes,
  states,
} from './parse-leaves.ts'
import { textCharactersMax } from './parse-members.ts'

// Shapes for `/openapi.json`. They only describe. `parse-condition.ts` checks requests, with better errors than those of a shape.

const Name = Type.String({ minLength: 1, maxLength: 255 })
const Text = Type.String({ maxLength: textCharactersMax })
const Scalar = Type.Union([Text, Type.Number(), Type.Boolean()])
const Instant = Type.String({ description: 'ISO 8601, for example `2026-03-03T13:17:55+01:00`; UTC without an offset' })
const Days = Type.Integer({ minimum: 0, maximum: daysMax, description: 'Days of 24 hours' })
const Moment = Type.Optional(Type.Union([Days, Instant]))
const Is = Type.Enum(['is', 'is_not'])

const valueRule = 'Omit it with `exists` and `does_not_exist`. Its type decides which comparison is made.'

function compared(comparisons: readonly string[], value: TSchema, members: Record<string, TSchema> = {}): TSchema {
  return Type.Object({ ...members, comparison: Type.Enum([...comparisons]), value }, { additionalProperties: false })
}

const OptionalScalar = Type.Optional(Type.Union(Scalar.anyOf, { description: valueRule }))

const status = compared(['is', 'is_not'], Type.Enum([...states]))

const apiLeafShapes = {
  custom_attribute: compared(valueComparisons, OptionalScalar, { custom_attribute_name: Name }),
  push_subscription_status: status,
  email_subscription_status: status,
  last_used_app: compared(instants, Instant),
}

const Keys = Type.Array(Name, {
  minItems: 1,
  maxItems: pathKeysMax,
  description: 'The keys below a nested attribute. Of a list on the path, each element is tested.',
})

const Properties = Type.Optional(
  Type.Array(compared(propertyComparisons, OptionalScalar, { name: Name }), {
    minItems: 1,
    maxItems: propertiesMax,
    description: 'The same event or purchase must pass all of them.',
  }),
)

function counted(nameMember: string): TSchema {
  const Times = Type.Optional(Type.Integer({ minimum: 1, maximum: timesMax, description: 'Times' }))
  return compared([...numberComparisons, ...presences], Times, {
    [nameMember]: Type.Optional(Name),
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: windowDaysMax, description: 'The last days; ever when absent' }),
    ),
    properties: Properties,
  })
}

function occurred(nameMember: string): TSchema {
  const Value = Type.Union([Days, Instant])
  return compared([...relativeTimes, ...instants], Value, { [nameMember]: Type.Optional(Name), properties: Properties })
}

const usedApp = compared(timeComparisons, Moment, { app_id: Type.Optional(Name) })
const number = compared(numberComparisons, Type.Number())

const segmentLeafShapes = {
  ...apiLeafShapes,
  custom_attribute: compared(valueComparisons, OptionalScalar, {
    custom_attribute_name: Name,
    path: Type.Optional(Keys),
  }),
  standard_attribute: Type.Union([
    compared(textComparisons, Type.Optional(Text), { name: Type.Enum([...standardTexts]) }),
    compared(timeComparisons, Moment, { name: Type.Enum([...standardTimes]) }),
  ]),
  subscription_group: compared(['is', 'is_not'], Type.Enum([...groupStates]), { subscription_group_id: Name }),
  cohort: Type.Object(
    {
      partner: Type.String({ minLength: 1, maxLength: partnerCharactersMax }),
      cohort_id: Name,
      comparison: Type.Optional(Is),
    },
    { additionalProperties: false },
  ),
  first_used_app: usedApp,
  last_used_app: usedApp,
  device: compared(textComparisons, Type.Optional(Text), { name: Type.Enum([...deviceFields]) }),
  custom_event: counted('name'),
  purchase: counted('product_id'),
  first_custom_event: occurred('name'),
  last_custom_event: occurred('name'),
  first_purchase: occurred('product_id'),
  last_purchase: occurred('product_id'),
  total_revenue: number,
  random_bucket: number,
  session_count: compared(numberComparisons, Type.Number(), {
    only_with_sessions: Type.Optional(Type.Boolean({ description: 'People without sessions do not match' })),
  }),
  last_received_message: compared(timeComparisons, Moment, { channel: Type.Optional(Type.Enum([...channels])) }),
  segment: Type.Object({ segment_id: Name, comparison: Type.Optional(Is) }, { additionalProperties: false }),
}

const limits = `At most ${audienceDepthMax} nodes deep, with at most ${audienceLeavesMax} conditions.`

const title = 'condition'
const Child = Type.Unsafe<unknown>({ $ref: `#/components/schemas/${componentName(title)}` })
const Children = Type.Array(Child, { minItems: 1 })

/** Returns the shape of a tree with these leaves and groups. The children of groups refer to the shape by its name. */
function treeOf(
  leafShapes: Readonly<Record<string, TSchema>>,
  groupShapes: Readonly<Record<string, TSchema>>,
  description: string,
): TSchema {
  const nodes = Object.entries({ ...leafShapes, ...groupShapes })
  return Type.Union(
    nodes.map(([name, shape]) => {
      return Type.Object({ [name]: shape }, { additionalProperties: false, title: `${name.toLowerCase()}_condition` })
    }),
    { title, description: `${description} ${limits}` },
  )
}

/** The audience of a segment: all leaves of `docs/segments.md`. */
export const SegmentSchema = treeOf(
  segmentLeafShapes,
  { AND: Children, OR: Children, NOT: Child },
  'Who is in the segment: a condition, or a tree of `AND`, `OR` and `NOT`.',
)
