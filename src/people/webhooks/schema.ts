import Type from 'typebox'
import { isEndpoint } from '../../base/fetch/endpoint.ts'
import { workspace } from '../../workspace/settings/query-schema.ts'
import { Id, Name } from '../../workspace/settings/schema.ts'
import { eventTypeNames } from '../feed/event-types.ts'
import { isSecret, secretText } from './sign.ts'

/** The most webhooks of a workspace. */
export const webhooksMax = 50
const urlCharactersMax = 2_048
/** The longest time that a replaced secret still signs, in days. */
export const overlapDaysMax = 30
export const overlapDefault = 'P1D'
/** The attempts that are kept of each webhook. */
export const attemptsKept = 200
export const attemptsDefault = 50

const exact = { additionalProperties: false }

export const webhookStates = ['active', 'paused'] as const

/** An entry of `webhooks`. */
export const WebhookShape = Type.Object(
  {
    id: Type.Optional(Id),
    name: Name,
    url: Type.Refine(
      Type.String({
        maxLength: urlCharactersMax,
        description: `an http or https URL without credentials, of at most ${urlCharactersMax} characters`,
      }),
      isEndpoint,
    ),
    event_types: Type.Optional(
      Type.Array(Type.Enum(eventTypeNames, { description: 'a type of events such as message.sent' }), {
        uniqueItems: true,
        description: 'a list of different types of events such as [message.sent, message.bounced]; empty for all',
      }),
    ),
    state: Type.Optional(Type.Enum([...webhookStates], { description: 'active or paused' })),
    secret: Type.Optional(
      Type.Refine(Type.String({ maxLength: 200, description: secretText, writeOnly: true }), isSecret),
    ),
  },
  { ...exact, description: 'an object with name and url' },
)

/** What answers also have of a webhook. */
export const StoredWebhook = Type.Object({
  event_types: Type.Array(Type.String(), { description: 'Empty for all.' }),
  state: Type.Enum([...webhookStates]),
})

const Time = Type.String({ format: 'date-time' })
const TimeOrNull = Type.Union([Time, Type.Null()])
const TextOrNull = Type.Union([Type.String(), Type.Null()])

/** How the delivery to one webhook is going. */
export const Delivery = Type.Object({
  id: Id,
  name: Name,
  url: Type.String(),
  state: Type.Enum(['active', 'paused', 'set_aside'], {
    description: '`set_aside`: its receiver answered 410, or failed for too long. Nothing is sent until it is resumed.',
  }),
  cursor: Type.String({ description: 'The cursor of the feed up to which everything was delivered.' }),
  waiting: Type.Integer({
    description: 'Events of the feed after the cursor, about; those of other types count as well.',
  }),
  failures: Type.Integer({ description: 'Attempts that failed since the last that succeeded.' }),
  failing_since: TimeOrNull,
  next_attempt_at: TimeOrNull,
  delivered_at: { ...TimeOrNull, description: 'When the last event was delivered.' },
  set_aside_at: TimeOrNull,
  set_aside_because: TextOrNull,
  previous_secret_until: { ...TimeOrNull, description: 'Until when the secret before the current one signs as well.' },
  lost: Type.Integer({
    description:
      'Events of the feed that were passed over, because they were older than `settings.feed_retention`; at most so many.',
  }),
})

export const DeliveriesReply = Type.Object({ deliveries: Type.Array(Delivery) })

export const Attempt = Type.Object({
  id: Type.String({ format: 'uuid' }),
  event_id: Type.String({ format: 'uuid', description: 'The header `webhook-id`.' }),
  type: Type.String(),
  cursor: { ...TextOrNull, description: 'The cursor behind the event; null for a test.' },
  at: Time,
  duration_ms: Type.Integer(),
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'Null without an answer.' }),
  error: { ...TextOrNull, description: 'Why it failed; null for a success.' },
  answer: { ...TextOrNull, description: 'The beginning of the answer of a failed attempt.' },
})

export const WebhookQuery = Type.Object({ workspace })

export const AttemptsQuery = Type.Object({
  workspace,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: attemptsKept, default: attemptsDefault })),
})

export const AttemptsReply = Type.Object({
  delivery: Delivery,
  attempts: Type.Array(Attempt, { description: `Newest first. The last ${attemptsKept} are kept, for a week.` }),
})

export const DeliveryReply = Type.Object({ delivery: Delivery })

export const RotateBody = Type.Object(
  {
    overlap: Type.Optional(
      Type.String({
        description: `How long the replaced secret signs as well, at most ${overlapDaysMax} days; ${overlapDefault} when absent.`,
      }),
    ),
  },
  exact,
)

export const RotateReply = Type.Object({
  delivery: Delivery,
  secret: Type.String({ description: 'The new secret. This is the only time that it is shown.' }),
})

export const ReplayBody = Type.Object(
  {
    from: Type.Optional(Type.String({ format: 'date-time', description: 'Events since this time are sent again.' })),
    cursor: Type.Optional(Type.String({ description: 'Events behind this cursor are sent again.' })),
  },
  { ...exact, minProperties: 1, maxProperties: 1 },
)

export const TestReply = Type.Object({ attempt: Attempt })
