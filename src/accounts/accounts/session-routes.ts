import Type from 'typebox'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { forgetIdentities, readSessions, revokeSession, revokeSessions, sessionPageMax } from './revoke-sessions.ts'

const path = '/admin/sessions'
const end = { permission: 'admin', ability: 'sessions.end', errors: 'standard' } as const

const unknownAccount = { 404: 'No account has this name.' }
const Moment = Type.String({ format: 'date-time' })
const UserName = Type.String({ description: 'The name of an account, without regard to case' })
const SessionsReply = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Names the session to end it; it cannot be used to sign in' }),
      account_id: Type.String(),
      user_name: Type.String(),
      ip: Type.String(),
      user_agent: Type.String(),
      created_at: Moment,
      seen_at: Type.String({ format: 'date-time', description: 'Accurate to a minute' }),
      expires_at: Moment,
    }),
  ),
})

/** Open sessions, and how an administrator ends them. */
export const sessionListRoutes: readonly Route[] = [
  defineRoute({
    ...end,
    ability: 'sessions.read',
    method: 'GET',
    path,
    summary: 'List open sessions, last seen first.',
    query: Type.Object({
      user_name: Type.Optional(UserName),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: sessionPageMax })),
    }),
    reply: { 200: SessionsReply },
    handle: (call, { query }) => readSessions(call, query),
  }),
  defineRoute({
    ...end,
    method: 'DELETE',
    path,
    summary: 'End all sessions of an account, or of all accounts.',
    query: Type.Object({
      user_name: Type.Optional(UserName),
      all: Type.Optional(
        Type.Enum(['true', 'false'], {
          description: 'true, without `user_name`: the sessions of all accounts, also of the one that asks',
        }),
      ),
    }),
    refusals: unknownAccount,
    reply: { 200: Type.Object({ ended: Type.Integer({ description: 'The number of sessions that were ended' }) }) },
    handle: (call, { query }) => revokeSessions(call, query),
  }),
  defineRoute({
    ...end,
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'End one session.',
    reply: { 204: null },
    handle: (call, { params }) => revokeSession(call, params.id!).then(() => undefined),
  }),
  defineRoute({
    ...end,
    method: 'DELETE',
    path: '/admin/identities',
    summary: 'Forget with which account of the identity provider an account signs in. Its next sign-in binds it anew.',
    query: Type.Object({ user_name: UserName }),
    refusals: unknownAccount,
    reply: {
      200: Type.Object({ forgotten: Type.Integer({ description: 'The number of bindings, one for each issuer' }) }),
    },
    handle: (call, { query }) => forgetIdentities(call, query),
  }),
]
