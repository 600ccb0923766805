import Type from 'typebox'
import { defineRoute, type Route } from '../../base/http/route.ts'
import type { RefreshAfter } from '../../workspace/settings/config-cache.ts'
import { createScimToken, readScimTokens, removeScimToken, rotateScimToken, ScimTokenShape } from './scim-tokens.ts'

export type ScimTokenServices = {
  /** The origin of a new token when the request gives none. */
  readonly requestOrigin: string
  readonly refreshAfter: RefreshAfter
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

/** SCIM tokens, with which identity providers authenticate. */
export function scimTokenRoutes({ requestOrigin, refreshAfter }: ScimTokenServices): Route[] {
  return [
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
