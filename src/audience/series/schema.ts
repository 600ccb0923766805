import Type, { type TProperties } from 'typebox'
import { seriesPointsMax } from '../../workspace/tallies/read-range.ts'

const length = Type.Integer({
  minimum: 1,
  maximum: seriesPointsMax,
  description: 'Days, or hours, including the last one',
})
const ending_at = Type.Optional(
  Type.String({
    description:
      'The last day (YYYY-MM-DD, in the time zone of the workspace), or an instant of the last day or hour; now when absent',
  }),
)
const unit = Type.Optional(Type.Enum(['day', 'hour'], { default: 'day' }))
const app_id = Type.Optional(Type.String({ description: 'The id of an app; all apps when absent' }))

const segment_id = Type.Optional(
  Type.String({ description: 'The id of a segment: only what those did who are in it now; everybody when absent' }),
)

export const EventSeriesQuery = Type.Object({
  event: Type.String({ description: 'The name of an event' }),
  ...{ length, ending_at, unit, app_id, segment_id },
})
export const PurchaseSeriesQuery = Type.Object({
  product: Type.Optional(Type.String({ description: 'The id of a product; all products when absent' })),
  ...{ length, ending_at, unit, app_id, segment_id },
})
export const SessionSeriesQuery = Type.Object({ length, ending_at, unit, app_id, segment_id })
export const DaySeriesQuery = Type.Object({ length, ending_at, app_id })

const Count = Type.Integer({ minimum: 0 })

function seriesReply<Members extends TProperties>(members: Members) {
  const time = Type.String({
    description: 'A day in the time zone of the workspace (YYYY-MM-DD), or the instant at which an hour begins',
  })
  return Type.Object({
    data: Type.Array(Type.Object({ time, ...members }), {
      description: 'Oldest first, also points at which nothing happened',
    }),
    message: Type.String(),
  })
}

export const EventSeriesReply = seriesReply({ count: Count })
export const QuantitySeriesReply = seriesReply({ purchase_quantity: Count })
export const RevenueSeriesReply = seriesReply({
  revenue: Type.Number({ description: 'The sum of price times quantity, whatever the currency' }),
})
export const SessionSeriesReply = seriesReply({ sessions: Count })
export const DauReply = seriesReply({ dau: Type.Integer({ description: 'People with a session on the day' }) })
export const MauReply = seriesReply({
  mau: Type.Integer({ description: 'People with a session on the day or the 29 days before' }),
})
export const NewUsersReply = seriesReply({
  new_users: Type.Integer({ description: 'People who were created on the day' }),
})
export const UninstallsReply = seriesReply({ uninstalls: Count })
