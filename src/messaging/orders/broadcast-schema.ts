import Type, { type Static } from 'typebox'

export const endTimeRequired = "'end_time' is required"
export const badEndTime = "'end_time' is not valid"

export const BroadcastsQuery = Type.Object({
  end_time: Type.String({ description: 'ISO 8601. Its date is read as midnight in UTC.' }),
})

const ScheduledBroadcast = Type.Object({
  name: Type.String(),
  id: Type.String(),
  type: Type.Enum(['Canvas', 'Campaign']),
  tags: Type.Array(Type.String()),
  next_send_time: Type.String({
    description: 'ISO 8601. Without an offset where it is the local time of each person.',
  }),
  schedule_type: Type.String({ description: '`local_time_zones`, or the time zone of the schedule.' }),
})
export type ScheduledBroadcast = Static<typeof ScheduledBroadcast>

export const BroadcastsReply = Type.Object({ scheduled_broadcasts: Type.Array(ScheduledBroadcast) })
