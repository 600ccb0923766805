import Type, { type Static } from 'typebox'
import { paging, workspace } from '../settings/query-schema.ts'

/** The most requests of a workspace that a process keeps. The oldest go first. */
export const entriesMax = 1_000
/** The most refused requests of callers without a valid key that a process keeps. They belong to no workspace. */
export const strangerEntriesMax = 100
/** The most bytes of all kept requests together. */
export const logBytesMax = 32 * 1024 * 1024
/** How long a request is kept, in machine time: an hour. */
export const entryKeptMs = 3_600_000
/** The most successful requests of a workspace that are kept in a second, and the most refused ones of strangers. */
export const perSecondMax = 10
/** The most characters of a URL that are kept. */
export const loggedUrlCharactersMax = 2_000

export const requestPageDefault = 50
export const requestPageMax = 200
/** The most characters of a filter. */
export const filterCharactersMax = 500

export const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const
export const loggedMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const TextOrNull = Type.Union([Type.String(), Type.Null()])
const Filter = (description: string) => Type.Optional(Type.String({ maxLength: filterCharactersMax, description }))

export const RequestsQuery = Type.Object({
  workspace,
  status: Type.Optional(Type.Enum([...statusClasses], { description: 'The class of the status' })),
  method: Type.Optional(Type.Enum([...loggedMethods])),
  path: Filter('Only paths that begin with this text'),
  key: Filter('Only requests of the key, account or token with this name or id'),
  request_id: Filter('The X-Request-Id of the answer'),
  text: Filter('Only requests with this text in their URL or in a kept body; upper and lower case differ'),
  ...paging(requestPageDefault, requestPageMax),
})

const LoggedRequest = Type.Object({
  id: Type.String({ description: 'The X-Request-Id of the answer' }),
  at: Type.String({ format: 'date-time', description: 'When it arrived, in machine time' }),
  method: Type.String(),
  path: Type.String({ description: 'With its query; values that look like secrets are left out' }),
  status: Type.Integer(),
  ms: Type.Number({ description: 'How long the answer took, in milliseconds' }),
  key: TextOrNull,
  by: Type.Enum(['key', 'admin', 'account', 'nobody'], {
    description: 'Who made it: an API key, the admin token, an account, or a caller that was not recognised',
  }),
  items: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The entries of the lists in the body; null without a list',
  }),
  refusal: Type.Union([Type.String(), Type.Null()], { description: 'The message of a refusal' }),
})
export type LoggedRequest = Static<typeof LoggedRequest>

export const RequestsReply = Type.Object({
  requests: Type.Array(LoggedRequest, { description: 'Newest first' }),
  process: Type.String({
    description: 'The process that answers: each has a log of the requests that it has answered',
  }),
  recording: Type.Boolean({ description: 'Whether requests are recorded: `settings.api_log`' }),
  cursor: Type.Union([Type.String(), Type.Null()], {
    description: 'The `cursor` of the next page; null on the last page',
  }),
})
export type RequestsReply = Static<typeof RequestsReply>

const LoggedBody = Type.Object({
  text: TextOrNull,
  bytes: Type.Integer({ description: 'The length of the whole body' }),
  is_cut: Type.Boolean({ description: 'Whether `text` is only its beginning' }),
})
export type LoggedBody = Static<typeof LoggedBody>

const LoggedHeaders = Type.Record(Type.String(), Type.String())

export const RequestReply = Type.Object({
  request: LoggedRequest,
  process: Type.String({ description: 'The process that has answered the request' }),
  clock_at: Type.String({ format: 'date-time', description: 'When it was answered, in business time' }),
  ip: Type.String({ description: 'The address of the caller' }),
  sent: Type.Object({ headers: LoggedHeaders, body: LoggedBody }, { description: 'The request, without secrets' }),
  answered: Type.Object({ headers: LoggedHeaders, body: LoggedBody }),
})
export type RequestReply = Static<typeof RequestReply>

export const RequestQuery = Type.Object({ workspace })
