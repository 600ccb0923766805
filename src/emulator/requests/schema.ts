import Type, { type Static } from 'typebox'

/** The most requests that an emulator keeps. The oldest go first. */
export const recordedMax = 2_000
/** The most bytes of their bodies together. */
export const recordedBytesMax = 16 * 1024 * 1024
/** A longer body is cut. */
export const recordedBodyCharactersMax = 262_144
export const pageDefault = 100
export const pageMax = 500
/** The longest wait of an expectation, in milliseconds of machine time. */
export const waitMsMax = 60_000
export const waitMsDefault = 1_000
/** The most calls that wait at the same time. */
export const waitersMax = 200

const workspace = Type.Optional(Type.String({ description: 'The id of a workspace; every workspace when absent.' }))

/** Which requests are meant. An absent member does not filter. */
export const requestFilter = {
  workspace,
  method: Type.Optional(Type.String({ description: 'Such as POST.' })),
  path: Type.Optional(
    Type.String({ description: 'The path without its query; a * stands for any part, such as /catalogs/*/items.' }),
  ),
  body: Type.Optional(
    Type.Unknown({
      description:
        'A part of the body: of an object the named members, of a list entries that are in the list in any order; other values are equal.',
    }),
  ),
}

export const RequestFilter = Type.Object(requestFilter, { additionalProperties: false })
export type RequestFilter = Static<typeof RequestFilter>

export const RecordedQuery = Type.Object({
  workspace,
  method: Type.Optional(Type.String()),
  path: Type.Optional(Type.String({ description: 'A * stands for any part.' })),
  status: Type.Optional(Type.Integer({ description: 'The status of the answer.' })),
  after: Type.Optional(Type.Integer({ description: 'Only requests with a larger number.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: pageMax, default: pageDefault })),
})

const Recorded = Type.Object({
  number: Type.Integer({ description: 'Rises with each request.' }),
  request_id: Type.String(),
  at: Type.String({ format: 'date-time', description: 'When it was answered, in business time.' }),
  workspace: Type.Union([Type.String(), Type.Null()]),
  method: Type.String(),
  path: Type.String(),
  query: Type.Record(Type.String(), Type.Array(Type.String())),
  body: Type.Unknown({ description: 'As it was parsed; null without one.' }),
  is_cut: Type.Boolean({ description: 'Whether a body was too long to be kept; it is null then.' }),
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'Null when the connection was cut.' }),
  answer: Type.Unknown({ description: 'The body of the answer.' }),
  fault: Type.Union([Type.String(), Type.Null()], { description: 'The id of the fault that it met.' }),
})
export type Recorded = Static<typeof Recorded>

export const RecordedReply = Type.Object({ requests: Type.Array(Recorded, { description: 'Oldest first' }) })

export const Expectation = Type.Object(
  {
    ...requestFilter,
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 1 })),
    within_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: waitMsMax, default: waitMsDefault })),
    after: Type.Optional(Type.Integer({ description: 'Only requests with a larger number.' })),
  },
  { additionalProperties: false },
)
export const ExpectedReply = Type.Object({ requests: Type.Array(Recorded) })
