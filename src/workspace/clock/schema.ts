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
  stopped: Type.Optional(
    Type.String({
      description: 'Why the clock stopped before the requested instant, or why some work that is due is not done.',
    }),
  ),
})
export type ClockReading = Static<typeof ClockReading>
