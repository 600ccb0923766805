import Type, { type Static, type TObject } from 'typebox'
import { Description, Tags as GivenTags, Name } from '../../workspace/settings/schema.ts'
import type { FlowKind } from './flow.ts'

/** Canvases or campaigns on one page of a list. */
export const flowsPerPage = 100

export const FlowListQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: `The page, of ${flowsPerPage} each.` })),
  include_archived: Type.Optional(Type.Boolean({ default: false })),
  sort_direction: Type.Optional(
    Type.Enum(['asc', 'desc'], { default: 'asc', description: 'By creation: asc is oldest first.' }),
  ),
  'last_edit.time[gt]': Type.Optional(
    Type.String({ description: 'ISO 8601. Only those that were changed after it are listed.' }),
  ),
})

const Tags = Type.Array(Type.String())
const Time = Type.String({ format: 'date-time' })
const TimeOrNull = Type.Union([Time, Type.Null()])

export const CanvasesReply = Type.Object({
  canvases: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), tags: Tags, last_edited: Time })),
})

export const CampaignsReply = Type.Object({
  campaigns: Type.Array(
    Type.Object({
      id: Type.String(),
      last_edited: Time,
      name: Type.String(),
      is_api_campaign: Type.Boolean({ description: 'Whether requests can trigger it' }),
      tags: Tags,
    }),
  ),
})

/** Members that the details of canvases and campaigns have in common. */
const common = {
  created_at: Time,
  updated_at: Time,
  name: Type.String(),
  description: Type.String(),
  archived: Type.Boolean(),
  draft: Type.Boolean(),
  enabled: Type.Boolean({ description: 'Whether people can enter it' }),
  has_post_launch_draft: Type.Boolean(),
  schedule_type: Type.Enum(['api_triggered', 'action_based', 'time_based']),
  channels: Type.Array(Type.String()),
  tags: Tags,
  teams: Type.Array(Type.String()),
  first_sent: TimeOrNull,
  last_sent: TimeOrNull,
}

const Message = Type.Object({
  channel: Type.String(),
  name: Type.String(),
  subject: Type.Optional(Type.String()),
  body: Type.Optional(Type.String()),
  from: Type.Optional(Type.String()),
  reply_to: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  preheader: Type.Optional(Type.String()),
  email_template_id: Type.Optional(Type.String()),
})

export const CanvasQuery = Type.Object({ canvas_id: Type.String({ description: 'The id of a canvas' }) })

const CanvasStep = Type.Object({
  name: Type.String(),
  type: Type.String(),
  id: Type.String(),
  next_step_ids: Type.Array(Type.String()),
  next_paths: Type.Array(Type.Object({ name: Type.String(), next_step_id: Type.Union([Type.String(), Type.Null()]) }), {
    description: 'null: the canvas ends after this path',
  }),
  channels: Type.Array(Type.String()),
  messages: Type.Record(Type.String(), Message),
})
export type CanvasStep = Static<typeof CanvasStep>

export const CanvasDetails = Type.Object({
  ...common,
  first_entry: TimeOrNull,
  last_entry: TimeOrNull,
  variants: Type.Array(
    Type.Object({
      name: Type.String(),
      id: Type.String(),
      first_step_ids: Type.Array(Type.String()),
      first_step_id: Type.String(),
    }),
  ),
  steps: Type.Array(CanvasStep),
})
export type CanvasDetails = Static<typeof CanvasDetails>

export const CampaignQuery = Type.Object({ campaign_id: Type.String({ description: 'The id of a campaign' }) })

const ConversionBehavior = Type.Object({
  type: Type.Enum([
    'Performs Custom Event',
    'Makes Purchase',
    'Makes Specific Purchase',
    'Opens Email',
    'Clicks Email',
  ]),
  window: Type.Integer({ description: 'Seconds after the receipt of the message' }),
  custom_event_name: Type.Optional(Type.String()),
  product: Type.Optional(Type.String()),
})
export type ConversionBehavior = Static<typeof ConversionBehavior>

export const CampaignDetails = Type.Object({
  ...common,
  messages: Type.Record(Type.String(), Message, { description: 'By `message_variation_id`' }),
  conversion_behaviors: Type.Array(ConversionBehavior),
})
export type CampaignDetails = Static<typeof CampaignDetails>

/** What a copy has of its own. Without a description or tags it has those of the original. */
export const CopyHeadShape = Type.Object({
  name: Name,
  description: Type.Optional(Description),
  tag_names: Type.Optional(GivenTags),
})
export type CopyHead = Static<typeof CopyHeadShape>

export function copyBody(kind: FlowKind): TObject {
  const id = Type.String({ description: `The ${kind} to copy` })
  return Type.Object({ [`${kind}_id`]: id, ...CopyHeadShape.properties })
}

export const CopyReply = Type.Object({
  id: Type.String({ description: 'The id of the copy' }),
  message: Type.Literal('success'),
})
