import Type, { type Static, type TSchema } from 'typebox'
import { seriesPointsMax } from '../../workspace/tallies/read-range.ts'

/** Days of a series or a summary of a canvas (contract 10.4). */
export const canvasDaysMax = 14

const ending_at = Type.Optional(
  Type.String({
    description: 'The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of it; now when absent',
  }),
)
const lengthOf = (maximum: number) => Type.Integer({ minimum: 1, maximum, description: 'Days, including the last one' })
const campaign = { campaign_id: Type.String(), length: lengthOf(seriesPointsMax), ending_at }

export const CampaignSeriesQuery = Type.Object(campaign)
export const SendSeriesQuery = Type.Object({ ...campaign, send_id: Type.String() })

const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))

export const CanvasSeriesQuery = Type.Object({
  canvas_id: Type.String(),
  ending_at,
  starting_at: Type.Optional(
    Type.String({ description: 'The first day (YYYY-MM-DD), or an instant of it. Either this or length is required.' }),
  ),
  length: Type.Optional(lengthOf(canvasDaysMax)),
  include_variant_breakdown: flag('Adds the numbers of each variant'),
  include_step_breakdown: flag('Adds the numbers of each step with a message'),
  include_deleted_step_data: flag('Adds steps that the current version has not'),
})

const Count = Type.Integer({ minimum: 0 })
const OptionalCount = Type.Optional(Count)

const time = Type.String({ description: 'A day in the time zone of the workspace (YYYY-MM-DD)' })
const revenue = Type.Number({
  description: 'The sum of price times quantity of purchases within the time for conversions, whatever the currency',
})

/** The conversions of a flow: the first, and the second to the fourth if it has them. */
const conversions = {
  conversions: Type.Integer({
    minimum: 0,
    description: 'First conversions on the day, each once after an entry or a message',
  }),
  ...{ conversions1: OptionalCount, conversions2: OptionalCount, conversions3: OptionalCount },
}
const conversionsBySend = {
  ...conversions,
  conversions_by_send_time: Type.Integer({ minimum: 0, description: 'The same by the day of the message' }),
  conversions1_by_send_time: OptionalCount,
  conversions2_by_send_time: OptionalCount,
  conversions3_by_send_time: OptionalCount,
}
const conversionsByEntry = {
  ...conversions,
  conversions_by_entry_time: Type.Integer({ minimum: 0, description: 'The same by the day of the entry' }),
  conversions1_by_entry_time: OptionalCount,
  conversions2_by_entry_time: OptionalCount,
  conversions3_by_entry_time: OptionalCount,
}

const emailStats = {
  sent: Type.Integer({ minimum: 0, description: 'Messages that mail servers accepted on the day' }),
  delivered: Type.Integer({ minimum: 0, description: 'Those of them that have not bounced' }),
  opens: Count,
  unique_opens: Type.Integer({ minimum: 0, description: 'First opens of a message' }),
  clicks: Count,
  unique_clicks: Type.Integer({ minimum: 0, description: 'First clicks in a message' }),
  unsubscribes: Count,
  bounces: Count,
  reported_spam: Count,
}

const Bounces = Type.Integer({
  minimum: 0,
  description: 'Messages that the server refused, or that were returned later',
})
const textStats = { sent: Count, delivered: Count, bounces: Bounces }
/** Nothing is known of opens and clicks of pushes, so there is no member for them. */
const pushStats = {
  sent: Type.Integer({ minimum: 0, description: 'Pushes that a push service took for a device' }),
  bounces: Type.Integer({ minimum: 0, description: 'Pushes that were refused, or whose person had no device left' }),
  push_tokens_removed: Type.Integer({
    minimum: 0,
    description: 'Push tokens that were removed, because their service no longer knows them',
  }),
}
const callStats = {
  sent: Type.Integer({ minimum: 0, description: 'Webhooks that were called well' }),
  errors: Type.Integer({ minimum: 0, description: 'Webhooks that were refused or given up' }),
}
/** Members for each channel: e-mail always, others where there are such messages. */
function byChannel<More extends Record<string, TSchema>>(more: More) {
  const list = <Stats extends Record<string, TSchema>>(stats: Stats) => Type.Array(Type.Object({ ...stats, ...more }))
  const pushes = Type.Optional(list(pushStats))
  return Type.Object(
    {
      email: list(emailStats),
      sms: Type.Optional(list(textStats)),
      ...{ web_push: pushes, apple_push: pushes, android_push: pushes },
      webhook: Type.Optional(list(callStats)),
    },
    { description: 'By channel. The e-mails are an empty list when there are none; other channels are absent then' },
  )
}

const campaignTotals = {
  ...conversionsBySend,
  unique_recipients: Type.Integer({ minimum: 0, description: 'People, each once a day' }),
  revenue,
}

const variation = { variation_name: Type.String(), variation_api_id: Type.String(), ...campaignTotals }

const CampaignPoint = Type.Object({
  time,
  ...campaignTotals,
  messages: byChannel(variation),
})

export const CampaignSeriesReply = Type.Object({
  data: Type.Array(CampaignPoint, { description: 'Oldest first, also days on which nothing happened' }),
  message: Type.String(),
})
export type CampaignPoint = Static<typeof CampaignPoint>

const outcomes = { revenue, ...conversionsByEntry }
const entryStats = { ...outcomes, entries: Type.Integer({ minimum: 0, description: 'Without the control group' }) }

const StepMessages = byChannel({})
export type StepMessages = Static<typeof StepMessages>

const canvasStats = {
  total_stats: Type.Object(entryStats),
  variant_stats: Type.Optional(
    Type.Record(Type.String(), Type.Object({ name: Type.String(), ...entryStats }), { description: 'By id' }),
  ),
  step_stats: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({
        name: Type.String(),
        ...outcomes,
        messages: StepMessages,
      }),
      { description: 'By id. A conversion counts for the step whose message the person received last.' },
    ),
  ),
}

const CanvasStats = Type.Object(canvasStats)
export type CanvasStats = Static<typeof CanvasStats>

const CanvasSeries = Type.Object({
  name: Type.String(),
  stats: Type.Array(Type.Object({ time, ...canvasStats }), {
    description: 'Oldest first, also days on which nothing happened',
  }),
})
export type CanvasSeries = Static<typeof CanvasSeries>
export const CanvasSeriesReply = Type.Object({ data: CanvasSeries, message: Type.String() })

const CanvasSummary = Type.Object({ name: Type.String(), ...canvasStats })
export type CanvasSummary = Static<typeof CanvasSummary>
export const CanvasSummaryReply = Type.Object({ data: CanvasSummary, message: Type.String() })
