import Type from 'typebox'
import { defineRoute, type Route } from '../../base/http/route.ts'
import type { RefreshAfter } from '../../workspace/settings/config-cache.ts'
import { createScimToken, readScimTokens, removeScimToken, rotateScimToken, ScimTokenShape } from './scim-tokens.ts'

export type ScimTokenServices = {
  /** What a token must be used with when nobody says otherwise. */
  readonly requestOrigin: string
  readonly refreshAfter: RefreshAfter
}

const path = '/admin/scim/tokens'
const edit = { permission: 'admin', ability: 'scim_tokens.edit', errors: 'standard' } as const

const Moment = Type.String({ format: 'date-time' })
const ScimToken = Type.Object({
  id: Type.String(),
  name: Type.String(),
  token_start: Type.String({ description: 'Its first characters' }),
  origin: Type.Union([Type.String(), Type.Null()], { description: 'What X-Request-Origin must say; null: nothing' }),
  allowed_ips: Type.Array(Type.String(), { description: 'From where; anywhere when empty' }),
  created_at: Moment,
  last_used_at: Type.Union([Moment, Type.Null()]),
})
const NewScimToken = Type.Object({
  token: Type.Object({ ...ScimToken.properties, token: Type.String({ description: 'Its text, shown this once' }) }),
})

/** What identity providers come in with. */
export function scimTokenRoutes({ requestOrigin, refreshAfter }: ScimTokenServices): Route[] {
  return [
    defineRoute({
      ...edit,
      ability: 'scim_tokens.read',
      method: 'GET',
      path,
      summary: 'All SCIM tokens, without their texts.',
      reply: { 200: Type.Object({ tokens: Type.Array(ScimToken) }) },
      handle: ({ db }) => readScimTokens(db),
    }),
    defineRoute({
      ...edit,
      method: 'POST',
      path,
      summary: 'A new SCIM token; its text is shown this once.',
      body: ScimTokenShape,
      reply: { 201: NewScimToken },
      handle: (call, { body }) => refreshAfter(createScimToken(call, body, requestOrigin)),
    }),
    defineRoute({
      ...edit,
      method: 'POST',
      path: `${path}/{id}/rotate`,
      summary: 'Give a SCIM token another text: the former one is refused everywhere within a second.',
      reply: { 200: NewScimToken },
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
