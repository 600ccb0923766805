import Type, { type Static } from 'typebox'
import { Message, shown, Tags } from './flow-schema.ts'

/** Identifiers of sends that a workspace may make within a day of business time (contract 10.3). */
export const sendsPerDayMax = 100

export const tooManySends = `At most ${sendsPerDayMax} send ids may be made within 24 hours`

export const CampaignsReply = Type.Object({
  campaigns: Type.Array(
    Type.Object({
      id: Type.String(),
      last_edited: Type.String({ format: 'date-time' }),
      name: Type.String(),
      is_api_campaign: Type.Boolean({ description: 'Requests trigger it' }),
      tags: Tags,
    }),
  ),
})

export const CampaignQuery = Type.Object({ campaign_id: Type.String({ description: 'The id of a campaign' }) })

const Behavior = Type.Object({
  type: Type.Enum([
    'Performs Custom Event',
    'Makes Purchase',
    'Makes Specific Purchase',
    'Opens Email',
    'Clicks Email',
  ]),
  window: Type.Integer({ description: 'Seconds from the receipt on' }),
  custom_event_name: Type.Optional(Type.String()),
  product: Type.Optional(Type.String()),
})
export type Behavior = Static<typeof Behavior>

export const CampaignReply = Type.Object({
  ...shown,
  messages: Type.Record(Type.String(), Message, { description: 'By `message_variation_id`' }),
  conversion_behaviors: Type.Array(Behavior),
})
export type CampaignReply = Static<typeof CampaignReply>

export const SendIdBody = Type.Object({
  campaign_id: Type.String({ description: 'The id of a campaign' }),
  send_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Made by the service when it is absent' }),
  ),
})
export const SendIdReply = Type.Object({ send_id: Type.String() })
export type SendIdReply = Static<typeof SendIdReply>
