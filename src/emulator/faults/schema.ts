import Type, { type Static } from 'typebox'
import { requestFilter } from '../requests/schema.ts'

/** The most faults that wait. */
export const faultsMax = 100
/** The most requests that one fault is for. */
export const timesMax = 10_000
/** The longest delay in milliseconds. */
export const delayMsMax = 120_000
/** The most objects that one fault refuses. */
export const partialItemsMax = 1_000
export const messageCharactersMax = 1_000

export const faultKinds = ['rate_limit', 'status', 'slow', 'cut', 'partial', 'refuse_mail'] as const
export type FaultKind = (typeof faultKinds)[number]

const times = Type.Optional(
  Type.Integer({ minimum: 1, maximum: timesMax, default: 1, description: 'For how many requests or mails.' }),
)

const PartialItem = Type.Object(
  {
    input_array: Type.Enum(['attributes', 'events', 'purchases']),
    index: Type.Integer({ minimum: 0 }),
    type: Type.Optional(Type.String({ description: 'The text of its error.' })),
  },
  { additionalProperties: false },
)
export type PartialItem = Static<typeof PartialItem>

export const FaultBody = Type.Object(
  {
    kind: Type.Enum([...faultKinds]),
    times,
    ...requestFilter,
    retry_after_s: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3_600, default: 1, description: 'rate_limit: what Retry-After says.' }),
    ),
    status: Type.Optional(
      Type.Integer({ minimum: 400, maximum: 599, default: 500, description: 'status: what is answered.' }),
    ),
    message: Type.Optional(
      Type.String({
        maxLength: messageCharactersMax,
        description: 'status: the message. refuse_mail: the text of the reply.',
      }),
    ),
    delay_ms: Type.Optional(
      Type.Integer({ minimum: 1, maximum: delayMsMax, description: 'slow: how long the request waits, machine time.' }),
    ),
    effect: Type.Optional(
      Type.Enum(['before', 'after'], {
        description: 'cut: whether the connection ends before or after the request took effect.',
      }),
    ),
    items: Type.Optional(
      Type.Array(PartialItem, {
        minItems: 1,
        maxItems: partialItemsMax,
        description: 'partial: the objects of a request to /users/track that are refused.',
      }),
    ),
    to: Type.Optional(Type.String({ description: 'refuse_mail: only mail to this address.' })),
    code: Type.Optional(
      Type.Integer({ minimum: 400, maximum: 599, default: 550, description: 'refuse_mail: the code of the reply.' }),
    ),
    enhanced: Type.Optional(
      Type.String({ pattern: '^[45]\\.\\d{1,3}\\.\\d{1,3}$', description: 'refuse_mail: a code such as 5.1.1.' }),
    ),
  },
  { additionalProperties: false },
)
export type FaultBody = Static<typeof FaultBody>

const FaultEntry = Type.Intersect([
  FaultBody,
  Type.Object({ id: Type.String(), left: Type.Integer({ description: 'For how many it still waits.' }) }),
])
export type FaultEntry = Static<typeof FaultEntry>

export const FaultReply = Type.Object({ fault: FaultEntry })
export const FaultsReply = Type.Object({ faults: Type.Array(FaultEntry, { description: 'In their order' }) })
export const ClearedReply = Type.Object({ deleted: Type.Integer() })
