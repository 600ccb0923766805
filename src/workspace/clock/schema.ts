import Type, { type Static } from 'typebox'
import { durationPattern } from '../settings/duration.ts'

export const ClockMove = Type.Object(
  {
    now: Type.Optional(Type.String({ description: 'The instant to go to, ISO 8601 with offset.' })),
    advance: Type.Optional(
      Type.String({ pattern: durationPattern, description: 'How far to go, ISO 8601: P3D, PT90M.' }),
    ),
  },
  { additionalProperties: false, minProperties: 1, maxProperties: 1 },
)

export const ClockReading = Type.Object({
  now: Type.String({ description: 'Business time, ISO 8601.' }),
  clock: Type.Enum(['system', 'virtual']),
  stopped: Type.Optional(
    Type.String({
      description:
        'Why the clock stopped before the instant that was asked for, or why not all that is due there is done.',
    }),
  ),
})
export type ClockReading = Static<typeof ClockReading>
