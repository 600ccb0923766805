import Type, { type Static } from 'typebox'
import { durationPattern } from '../settings/duration.ts'

export const ClockMove = Type.Object(
  {
    now: Type.Optional(Type.String({ description: 'The new instant, ISO 8601 with offset.' })),
    advance: Type.Optional(
      Type.String({
        pattern: durationPattern,
        description: 'By how much to move the clock, an ISO 8601 duration such as P3D or PT90M.',
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1, maxProperties: 1 },
)

export const ClockReading = Type.Object({
  now: Type.String({ description: 'Business time, ISO 8601.' }),
  clock: Type.Enum(['system', 'virtual']),
  moving_to: Type.Optional(Type.String({ description: 'Where a virtual clock goes that is being moved now.' })),
})
export type ClockReading = Static<typeof ClockReading>
