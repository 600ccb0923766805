import Type, { type Static, type TSchema } from 'typebox'
import { workspace } from '../../workspace/settings/query-schema.ts'
import { groupChannels } from '../../workspace/settings/schema.ts'
import { DraftHead, NewFlowHead } from '../drafts/schema.ts'
import { flowStates } from '../flows/flow.ts'

/** The users of one thing that are named; the others are counted. */
export const namedUsersMax = 20
/** Characters of the first line of a block. */
export const firstLineCharactersMax = 120
/** The days of the figures of canvases and campaigns, today included. */
export const figureDays = 7

export const HeadsQuery = Type.Object({ workspace })

const Count = Type.Integer({ minimum: 0 })
const Time = Type.String({ format: 'date-time' })

export const userKinds = ['segments', 'email_templates', 'content_blocks', 'canvases', 'campaigns'] as const
export type UserKind = (typeof userKinds)[number]

const User = Type.Object({
  kind: Type.Enum([...userKinds]),
  id: Type.String(),
  name: Type.String(),
})
export type User = Static<typeof User>

const used = {
  used_by: Type.Array(User, { description: `What refers to it, at most ${namedUsersMax} by name` }),
  used_by_count: Type.Integer({
    minimum: 0,
    description: 'How much refers to it. Archived canvases and campaigns do not count',
  }),
}

const head = { id: Type.String(), name: Type.String(), description: Type.String() }

export const SegmentHead = Type.Object({
  ...head,
  tags: Type.Array(Type.String()),
  sentence: Type.String({ description: 'Its conditions in words' }),
  membership: Type.String({ description: 'Who is in it, in one sentence' }),
  size: Type.Union([Count, Type.Null()], { description: 'The size of the last day on which it was counted' }),
  size_on: Type.Union([Type.String({ format: 'date' }), Type.Null()]),
  updated_at: Time,
  ...used,
})

export const GroupHead = Type.Object({
  id: Type.String(),
  name: Type.String(),
  channel: Type.Enum([...groupChannels]),
  archived: Type.Boolean(),
  has_double_opt_in: Type.Boolean({
    description: 'People confirm by a link in a mail, or by a reply to a text, that they want to be in the group.',
  }),
  ...used,
})

export const FlowHead = Type.Object(
  {
    ...head,
    tags: Type.Array(Type.String()),
    state: Type.Enum([...flowStates]),
    class: Type.Enum(['marketing', 'transactional']),
    version: Type.Integer(),
    sentence: Type.String({ description: 'How people enter it' }),
    waiting: Type.Integer({ minimum: 0, description: 'People who are in it now' }),
    entered: Type.Integer({ minimum: 0, description: `Entries in the last ${figureDays} days` }),
    sent: Type.Integer({ minimum: 0, description: `Messages sent in the last ${figureDays} days` }),
    last_sent_at: Type.Union([Time, Type.Null()]),
    updated_at: Time,
    draft: Type.Union([DraftHead, Type.Null()], { description: 'The draft of its next version; null: there is none' }),
  },
  { title: 'flow_head' },
)

/** What the lists of canvases and campaigns have besides. */
export const draftsMember = {
  drafts: Type.Array(NewFlowHead, { description: 'Drafts of those that do not exist yet, the last changed first' }),
}

export const TemplateHead = Type.Object({
  ...head,
  tags: Type.Array(Type.String()),
  subject: Type.String(),
  updated_at: Time,
  ...used,
})

export const BlockHead = Type.Object({
  ...head,
  tags: Type.Array(Type.String()),
  state: Type.Enum(['active', 'draft']),
  first_line: Type.String({ description: 'Where its content begins' }),
  updated_at: Time,
  ...used,
})

export const CatalogHead = Type.Object({
  ...head,
  items: Count,
  bytes: Count,
  fields: Count,
  updated_at: Time,
  ...used,
})

export function headsReply(name: string, shape: TSchema, more: Readonly<Record<string, TSchema>> = {}): TSchema {
  return Type.Object({ [name]: Type.Array(shape), ...more })
}
