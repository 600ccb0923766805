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
    to: Type.Optional(Type.Enum(['next'], { description: 'next: to what becomes due next.' })),
  },
  { additionalProperties: false, minProperties: 1, maxProperties: 1 },
)

/** What was done while the clock was moved. */
const ClockDone = Type.Object(
  {
    messages: Type.Record(Type.String(), Type.Integer(), { description: 'Messages that ended, by reason.' }),
    entries_moved: Type.Integer({ description: 'Times that a person went on in a canvas because it was due.' }),
  },
  { description: 'After a move: what was done on the way.' },
)
export type ClockDone = Static<typeof ClockDone>

export const ClockReading = Type.Object({
  now: Type.String({ description: 'Business time, ISO 8601.' }),
  clock: Type.Enum(['system', 'virtual']),
  next: Type.Optional(
    Type.Object(
      {
        at: Type.String({ description: 'When it is due; in the past for work that waits.' }),
        what: Type.String({ description: 'What is due, in words. Only those who may move the clock get names.' }),
      },
      { description: 'What becomes due next in the process that answers; absent when nothing does.' },
    ),
  ),
  moving_to: Type.Optional(Type.String({ description: 'Where a virtual clock goes that is being moved now.' })),
  done: Type.Optional(ClockDone),
})
export type ClockReading = Static<typeof ClockReading>
