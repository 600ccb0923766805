import Type, { type Static, type TObject } from 'typebox'
import { trackBody } from '../intake/schema.ts'
import { workOutcomes } from '../merge/work-schema.ts'
import { Summary } from '../search/schema.ts'

/** Names of attributes in an audit row; the others are counted. */
export const auditedNamesMax = 100

export const attributesObject = "'attributes' must be an object"
export const namedByPath = 'cannot be given: the path names the person'
export const twoIds = "'keep' and 'merge' must be ids of people"
export const onePerson = 'Both ids are of one person: the two were merged'
export const changedMeanwhile =
  'One of the two people was merged or deleted meanwhile. Nothing was merged. Read both again'

/** The body of `POST /admin/people/{id}/track`: that of `/users/track` about one person, so `attributes` is one object. */
export function trackPersonBody(serviceName: string): TObject {
  const { attributes, ...arrays } = trackBody(serviceName).properties
  return Type.Object(
    { attributes: Type.Optional((attributes as { items: TObject }).items), ...arrays },
    { description: 'As `/users/track`, without identifiers: the path names the person' },
  )
}

export const MergeBody = Type.Object({
  keep: Type.String({ description: 'The id of the person who stays' }),
  merge: Type.String({ description: 'The id of the person who is merged into the other one' }),
})

/** `waiting`: accepted, and carried out as soon as earlier work is. */
const State = Type.Enum(['done', 'waiting'])

const Value = Type.Unknown()
const MergedField = Type.Object({
  field: Type.String({ description: 'An attribute; a custom one as `custom_attributes.name`' }),
  value: Value,
  from: Type.Enum(['keep', 'merge', 'both', 'nobody'], {
    description: 'From which person the value comes. `nobody`: the limit of a profile leaves no room for it',
  }),
  keep: Type.Unknown({ description: 'What the person who stays has now' }),
  merge: Type.Unknown({ description: 'What the other person has now' }),
})
export type MergedField = Static<typeof MergedField>

export const MergePeopleReply = Type.Object({
  state: Type.Enum(['planned', 'done', 'waiting']),
  keep: Summary,
  merge: Summary,
  fields: Type.Array(MergedField, { description: 'What either person has, as the merged person has it' }),
  notes: Type.Array(Type.String(), { description: 'What else happens, in sentences' }),
})
export type MergePeopleReply = Static<typeof MergePeopleReply>

export const EndPersonReply = Type.Object({
  state: State,
  outcome: Type.Union([Type.Enum([...workOutcomes]), Type.Null()]),
})
export type EndPersonReply = Static<typeof EndPersonReply>
