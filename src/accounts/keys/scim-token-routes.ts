import Type from 'typebox'
import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Request } from '../../base/http/route.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import type { RefreshAfter } from '../../workspace/settings/config-cache.ts'
import type { ScimRequests } from './scim-requests.ts'
import { createScimToken, readScimTokens, removeScimToken, rotateScimToken, ScimTokenShape } from './scim-tokens.ts'

export type ScimTokenServices = {
  /** The origin of a new token when the request gives none. */
  readonly requestOrigin: string
  readonly refreshAfter: RefreshAfter
  readonly scimRequests: ScimRequests
}

const path = '/admin/scim/tokens'
const edit = { permission: 'admin', ability: 'scim_tokens.edit', errors: 'standard' } as const

const Moment = Type.String({ format: 'date-time' })
const ScimToken = Type.Object({
  id: Type.String(),
  name: Type.String(),
  token_start: Type.String({ description: 'The first characters of the token' }),
  origin: Type.Union([Type.String(), Type.Null()], {
    description: 'The required value of X-Request-Origin; null when it is not required',
  }),
  allowed_ips: Type.Array(Type.String(), { description: 'Addresses and networks that may use it; any when empty' }),
  may_grant: Type.Boolean({ description: 'Whether it may change permissions of accounts' }),
  created_at: Moment,
  last_used_at: Type.Union([Moment, Type.Null()]),
})
const NewScimToken = Type.Object({
  token: Type.Object({
    ...ScimToken.properties,
    token: Type.String({ description: 'The token. This is the only time that it is shown' }),
  }),
})

const requestPageDefault = 50
const requestPageMax = 200
/** The value of `token` for requests without a token that is known. */
const noToken = 'none'

const ScimRequestsQuery = Type.Object({
  token: Type.Optional(
    Type.String({
      description: `Only requests of the token with this id; \`${noToken}\`: only those without a known token`,
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: requestPageMax, default: requestPageDefault })),
})
const TokenId = Type.Union([Type.String(), Type.Null()], { description: 'null: without a token that is known' })
const ScimRequestsReply = Type.Object({
  since: Type.String({ format: 'date-time', description: 'Since when this process counts, in machine time' }),
  process: Type.String({ description: 'The process that answers: each counts the requests that it has answered' }),
  counts: Type.Array(Type.Object({ token_id: TokenId, requests: Type.Integer(), refused: Type.Integer() })),
  requests: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The X-Request-Id of the answer' }),
      at: Type.String({ format: 'date-time', description: 'When it arrived, in machine time' }),
      token_id: TokenId,
      method: Type.String(),
      path: Type.String({ description: 'With its query' }),
      status: Type.Integer(),
      refusal: Type.Union([Type.String(), Type.Null()]),
      ip: Type.String(),
      ms: Type.Number(),
    }),
    { description: 'Newest first' },
  ),
})

/** SCIM tokens, with which identity providers authenticate. */
export function scimTokenRoutes(services: ScimTokenServices): Route[] {
  const { requestOrigin, refreshAfter } = services
  return [
    defineRoute({
      ...edit,
      ability: 'scim_tokens.read',
      method: 'GET',
      path: '/admin/scim/requests',
      summary: 'Count the requests of SCIM tokens since this process was started, and list the latest ones.',
      query: ScimRequestsQuery,
      reply: { 200: ScimRequestsReply },
      handle: (call, request) => readScimRequests(call, request, services),
    }),
    defineRoute({
      ...edit,
      ability: 'scim_tokens.read',
      method: 'GET',
      path,
      summary: 'List the SCIM tokens without their texts.',
      reply: { 200: Type.Object({ tokens: Type.Array(ScimToken) }) },
      handle: ({ db }) => readScimTokens(db),
    }),
    defineRoute({
      ...edit,
      method: 'POST',
      path,
      summary: 'Create a SCIM token. Only this answer shows its text.',
      body: ScimTokenShape,
      reply: { 201: NewScimToken },
      refusals: { 409: 'A SCIM token has this name, or there are too many.' },
      handle: (call, { body }) => refreshAfter(createScimToken(call, body, requestOrigin)),
    }),
    defineRoute({
      ...edit,
      method: 'POST',
      path: `${path}/{id}/rotate`,
      summary: 'Replace the text of a SCIM token: the old text is refused everywhere within a second.',
      reply: { 200: NewScimToken },
      refusals: { 409: 'The token follows `EASEL_SCIM_TOKEN`.' },
      handle: (call, { params }) => refreshAfter(rotateScimToken(call, params.id!)),
    }),
    defineRoute({
      ...edit,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Delete a SCIM token: it is refused everywhere within a second.',
      reply: { 204: null },
      handle: (call, { params }) => refreshAfter(removeScimToken(call, params.id!)).then(() => undefined),
    }),
  ]
}

async function readScimRequests(
  { db }: Call,
  { query }: Request,
  { scimRequests }: ScimTokenServices,
): Promise<object> {
  const limit = readLimit(query, requestPageDefault, requestPageMax)
  const token = readNonEmpty(query, 'token')
  const { tokens } = await readScimTokens(db)
  const ids = tokens.map(({ id }) => id)
  scimRequests.keepOnly(ids)
  if (token !== undefined && token !== noToken && !ids.includes(token)) {
    throw invalid(`'token' must be the id of a SCIM token, or ${noToken}`)
  }
  const { since, process } = scimRequests
  const requests = scimRequests.latest(token === noToken ? null : token).slice(0, limit)
  return { since, process, counts: scimRequests.counts(), requests }
}
