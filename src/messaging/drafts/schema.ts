import Type, { type Static } from 'typebox'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import type { Outline as Words } from '../flows/describe-steps.ts'
import { Outline } from '../flows/schema.ts'

/** Bytes of the definition of a draft as JSON. */
export const draftBytesMax = 2 * 1024 * 1024
/** Levels of arrays and objects in the definition of a draft. */
export const draftLevelsMax = 100
/** Drafts of canvases, or of campaigns, in a workspace. */
export const draftsMax = 500
/** Bytes of the definitions of all drafts of canvases, or of campaigns, in a workspace. */
export const allDraftBytesMax = 64 * 1024 * 1024
/** Characters of one difference in the audit. */
export const auditedChangeCharactersMax = 300

/** Mistakes that a check tells. */
export const checkedMistakesMax = 200

export const DraftQuery = WorkspaceQuery

const Author = Type.Object({ kind: Type.String(), id: Type.String(), name: Type.String() }, { title: 'draft_author' })
const BaseVersion = Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
  description: 'The version of the flow that the draft began with; null for a flow that did not exist',
})
const Time = Type.String({ format: 'date-time' })

/** A draft in a list. */
export const DraftHead = Type.Object(
  { base_version: BaseVersion, author: Author, updated_at: Time },
  { title: 'draft_head' },
)
export type DraftHead = Static<typeof DraftHead>

/** A draft of a flow that does not exist yet. */
export const NewFlowHead = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: 'As the draft has it; empty when it has none' }),
    author: Author,
    updated_at: Time,
  },
  { title: 'new_flow_head' },
)
export type NewFlowHead = Static<typeof NewFlowHead>

const AnyObject = Type.Record(Type.String(), Type.Unknown(), {
  description: `Any object of at most ${draftBytesMax} bytes as JSON and ${draftLevelsMax} levels, also one with mistakes`,
})

const Draft = Type.Object(
  { definition: AnyObject, base_version: BaseVersion, author: Author, updated_at: Time },
  { title: 'flow_draft' },
)
export type Draft = Static<typeof Draft>

export const DraftReply = Type.Object({
  draft: Type.Union([Draft, Type.Null()], { description: 'null: there is none' }),
  tag: Type.Union([Type.String(), Type.Null()], {
    description: 'The `ETag` of the draft: for `If-Match`, and for `?draft=` of the write that publishes it',
  }),
})
export type DraftReply = Static<typeof DraftReply>

export const SaveDraftBody = Type.Object({ definition: AnyObject, base_version: Type.Optional(BaseVersion) })

/** A refusal, with the draft that is stored instead. */
export const StaleDraftReply = Type.Object({
  message: Type.String({ description: 'Who changed the draft, and when' }),
  ...DraftReply.properties,
})

export const CheckBody = Type.Object({
  id: Type.Optional(
    Type.String({
      description:
        'The id of the flow, with which its draft and its current version are found; absent: that in the definition',
    }),
  ),
  definition: Type.Unknown({ description: 'The canvas or campaign as in the workspace file, with any mistakes' }),
})

export const CheckReply = Type.Object({
  mistakes: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
    description: `Everything that publishing it would refuse, each path once; at most ${checkedMistakesMax}`,
  }),
  has_more_mistakes: Type.Boolean(),
  sentences: Type.Record(Type.String(), Type.String(), {
    description: 'What each step does, by its id; empty for a step with a mistake',
  }),
  outline: Type.Union([Outline, Type.Null()], {
    description:
      'What it says in words, also with mistakes: a path to a step that does not exist leads to the end. null: it has no steps',
  }),
})
export type CheckReply = Omit<Static<typeof CheckReply>, 'outline'> & { readonly outline: Words | null }
