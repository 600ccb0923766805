import Type from 'typebox'
import { defineRoute, type Route } from '../../base/http/route.ts'
import type { RefreshAfter } from '../../workspace/settings/config-cache.ts'
import { createToken, deleteToken, listTokens, rotateToken, ScimTokenShape } from './scim-tokens.ts'

export type ScimTokenParts = {
  /** What a token must be used with when nobody says otherwise. */
  readonly requestOrigin: string
  readonly refreshAfter: RefreshAfter
}

const path = '/admin/scim/tokens'
const edit = { permission: 'admin', ability: 'scim_tokens.edit', errors: 'standard' } as const

const Moment = Type.String({ format: 'date-time' })
const Shown = Type.Object({
  id: Type.String(),
  name: Type.String(),
  token_start: Type.String({ description: 'Its first characters' }),
  origin: Type.Union([Type.String(), Type.Null()], { description: 'What X-Request-Origin must say; null: nothing' }),
  allowed_ips: Type.Array(Type.String(), { description: 'From where; anywhere when empty' }),
  created_at: Moment,
  last_used_at: Type.Union([Moment, Type.Null()]),
})
const Made = Type.Object({
  token: Type.Object({ ...Shown.properties, token: Type.String({ description: 'Its text, shown this once' }) }),
})

/** What identity providers come in with. */
export function scimTokenRoutes({ requestOrigin, refreshAfter }: ScimTokenParts): Route[] {
  return [
    defineRoute({
      ...edit,
      ability: 'scim_tokens.read',
      method: 'GET',
      path,
      summary: 'All SCIM tokens, without their texts.',
      reply: { 200: Type.Object({ tokens: Type.Array(Shown) }) },
      handle: ({ db }) => listTokens(db),
    }),
    defineRoute({
      ...edit,
      method: 'POST',
      path,
      summary: 'A new SCIM token; its text is shown this once.',
      body: ScimTokenShape,
      reply: { 201: Made },
      handle: (call, { body }) => refreshAfter(createToken(call, body, requestOrigin)),
    }),
    defineRoute({
      ...edit,
      method: 'POST',
      path: `${path}/{id}/rotate`,
      summary: 'Give a SCIM token another text: the former one is refused everywhere within a second.',
      reply: { 200: Made },
      handle: (call, { params }) => refreshAfter(rotateToken(call, params.id!)),
    }),
    defineRoute({
      ...edit,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Delete a SCIM token: it is refused everywhere within a second.',
      reply: { 204: null },
      handle: (call, { params }) => refreshAfter(deleteToken(call, params.id!)).then(() => undefined),
    }),
  ]
}
