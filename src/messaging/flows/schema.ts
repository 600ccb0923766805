import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { workspace } from '../../workspace/settings/query-schema.ts'
import { Description, Id, Name, Tags } from '../../workspace/settings/schema.ts'
import { type FlowKind, flowStates, stepTypes } from './flow.ts'

/** Canvases of a workspace, and campaigns, including archived ones. */
export const flowsMax = 500
/** Bytes of a definition as JSON. */
export const definitionBytesMax = 2 * 1024 * 1024
/** Bytes of the definitions of all canvases, or all campaigns, of a workspace: they are in memory while a workspace file is applied. */
export const allDefinitionBytesMax = 32 * 1024 * 1024
export const stepsMax = 200
export const variantsMax = 8
/** Paths of one step. */
export const pathsMax = 20
export const conversionsMax = 4
/** Events that end an entry. */
export const exitsMax = 20
/** Properties that one trigger compares. */
export const testsMax = 20
/** Attributes that one step sets. */
export const attributesMax = 75
export const attributesBytesMax = 100 * 1024
/** The longest delay, conversion window or time until a person may enter again, in days. */
export const waitDaysMax = 730
export const rateMax = 1_000_000
/** Differences between two versions that are told. */
export const shownChangesMax = 100
/** Characters of a value in a difference. */
export const shownValueCharactersMax = 80

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

const exact = { additionalProperties: false }

const head = {
  id: Type.Optional(Id),
  name: Name,
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
  state: Type.Optional(Type.Enum([...flowStates], { description: 'draft, active, paused or archived' })),
}

/** A member that `read-definition.ts` checks, because a JSON schema cannot. Null means absent. */
const read = (description: string) => Type.Optional(Type.Any({ description }))

const audience = 'a tree of conditions, or {segment_id}; all people when absent'

const common = {
  class: read('marketing or transactional'),
  segment: read(audience),
  audience: read(`the same as segment: ${audience}`),
  entry: read('an object with by, event, schedule or again: when people enter, and how often they may'),
  exit: read('an object with events, segment or audience: what makes a person leave early'),
  conversions: read(`a list of at most ${conversionsMax} objects with name, on and within`),
  control_percent: read('a whole number from 0 to 100'),
  recipient_subscription_state: read('opted_in, subscribed or all'),
  quiet_hours: read('hold, skip or ignore'),
  rate: read('messages in a second, minute, hour or day, such as 500/min'),
}

/** A canvas in the workspace file. */
export const CanvasShape = Type.Object(
  {
    ...head,
    ...common,
    variants: read(`a list of at most ${variantsMax} objects with name, percent and first, the id of a step`),
    first: read('the id of the first step, when there are no variants'),
    steps: read(`a list of 1 to ${stepsMax} steps`),
  },
  { ...exact, description: 'an object with name, first and steps' },
)

/** A campaign in the workspace file. */
export const CampaignShape = Type.Object(
  {
    ...head,
    ...common,
    messages: read(`a list of 1 to ${variantsMax} objects with id, name, percent and a channel such as email`),
  },
  { ...exact, description: 'an object with name and messages' },
)

/** The shapes of flows in the workspace file. */
export const shapes = { canvas: CanvasShape, campaign: CampaignShape } as const satisfies Readonly<
  Record<FlowKind, TObject>
>

/** What a canvas and a campaign have beside their definition. */
export const headMembers = head

/** Members that are not part of the definition: changing them makes no new version. */
export const unversioned: readonly string[] = Object.keys(head)

/** Returns the members that are part of the definition. */
export function definitionMembers(shape: TObject): readonly string[] {
  return Object.keys(shape.properties).filter((name) => !unversioned.includes(name))
}

export type FlowHead = Static<TObject<typeof head>>

export const FlowQuery = Type.Object({ workspace })

export function stateReply(kind: FlowKind): TSchema {
  const members = { id: Id, name: Type.String(), state: Type.Enum([...flowStates]), version: Type.Integer() }
  return Type.Object({ [kind]: Type.Object(members, { title: 'flow_state' }) }, { title: `${kind}_state_reply` })
}

const Standing = Type.Object({
  version: Type.Integer({ description: 'The version that they entered and stay on.' }),
  step: Type.String({ description: 'The id of the step. Empty: they have not begun.' }),
  name: Type.String(),
  people: Type.Integer(),
  in_new: Type.Enum(['same', 'changed', 'gone'], { description: 'What happens to the step in the new version.' }),
})

export const ImpactBody: TSchema = Type.Object(
  {
    definition: Type.Optional(
      Type.Object(
        {},
        {
          description:
            'The canvas or campaign as in the workspace file. Absent: the current one, to see who is in it before it is stopped.',
        },
      ),
    ),
  },
  exact,
)

export const ImpactReply = Type.Object({
  version: Type.Integer({ description: 'The version that would be published; the current one when nothing changes.' }),
  open: Type.Integer({ description: 'The people in it now. They continue with the version that they entered.' }),
  standing: Type.Array(Standing),
  steps: Type.Object({
    added: Type.Array(Type.String()),
    changed: Type.Array(Type.String()),
    removed: Type.Array(Type.String()),
  }),
  rules: Type.Array(Type.String(), { description: 'What else would change, for people who enter from then on.' }),
})
export type ImpactReply = Static<typeof ImpactReply>

const OutlinedPath = Type.Object({
  name: Type.String({ description: 'As `paths` of the standing has it; empty for the only way on' }),
  words: Type.String({ description: 'When it is taken, or by how many' }),
  next: Type.Union([Type.String({ description: 'The id of the next step; null: the end' }), Type.Null()]),
})

/** A version of a flow in words. */
export const Outline = Type.Object({
  sentence: Type.String({ description: 'How people enter' }),
  starts: Type.Array(OutlinedPath, { description: 'The variants. `next` is the first step' }),
  steps: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      kind: Type.Enum([...stepTypes]),
      sentence: Type.String({ description: 'What it does' }),
      paths: Type.Array(OutlinedPath, { description: 'In the order of the definition' }),
    }),
    { description: 'The steps of a canvas, the messages of a campaign' },
  ),
})
