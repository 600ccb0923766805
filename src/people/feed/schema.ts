import Type from 'typebox'
import { workspace } from '../../workspace/settings/query-schema.ts'
import { eventTypeNames } from './event-types.ts'

/** The most events of an answer. */
export const feedLimitMax = 1_000
export const feedLimitDefault = 100
/** The longest time that a request waits for an event, in seconds. */
export const feedWaitSecondsMax = 20

/** The header with the cursor of the next request. */
export const nextCursorHeader = 'X-Next-Cursor'

/** `cursor` for what happens from now on. */
export const cursorAtEnd = 'end'

export const feedOff = 'The feed of this workspace is off. Set the setting feed to true, or add a webhook.'

export const FeedQuery = Type.Object({
  workspace,
  cursor: Type.Optional(
    Type.String({
      description:
        `The \`cursor\` of the last event that was read, or the header \`${nextCursorHeader}\` of the last answer. ` +
        `Absent: from the oldest event that is kept; \`${cursorAtEnd}\`: from now on.`,
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: feedLimitMax, default: feedLimitDefault })),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: feedWaitSecondsMax,
      default: 0,
      description: 'How many seconds the answer waits for an event when there is none.',
    }),
  ),
  types: Type.Optional(
    Type.String({
      description: `Only events of these types, with commas between: ${eventTypeNames.map((name) => `\`${name}\``).join(', ')}.`,
    }),
  ),
})

const Person = Type.Object({
  service_id: Type.String(),
  external_id: Type.Union([Type.String(), Type.Null()]),
})

/** One line of the feed. */
export const FeedLine = Type.Object({
  id: Type.String({ format: 'uuid', description: 'Stays the same when the event is read or sent again.' }),
  type: Type.Enum(eventTypeNames),
  timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
  data: Type.Object({ person: Person, merged_person: Type.Optional(Person) }, { additionalProperties: true }),
  cursor: Type.String({ description: 'The cursor behind this event.' }),
})
