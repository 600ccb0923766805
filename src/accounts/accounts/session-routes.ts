import Type from 'typebox'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { readSessions, revokeSession, revokeSessions, sessionPageMax } from './revoke-sessions.ts'

const path = '/admin/sessions'
const end = { permission: 'admin', ability: 'sessions.end', errors: 'standard' } as const

const Moment = Type.String({ format: 'date-time' })
const UserName = Type.String({ description: 'The name of an account, in any case' })
const SessionsReply = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Ends it, and opens nothing' }),
      account_id: Type.String(),
      user_name: Type.String(),
      ip: Type.String(),
      user_agent: Type.String(),
      created_at: Moment,
      seen_at: Type.String({ format: 'date-time', description: 'To the minute' }),
      expires_at: Moment,
    }),
  ),
})

/** Who is signed in, and how that is ended by hand. */
export const sessionListRoutes: readonly Route[] = [
  defineRoute({
    ...end,
    ability: 'sessions.read',
    method: 'GET',
    path,
    summary: 'Who is signed in, last seen first.',
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
    summary: 'Sign an account out everywhere, at once.',
    query: Type.Object({ user_name: UserName }),
    reply: { 200: Type.Object({ ended: Type.Integer({ description: 'Sessions that were open' }) }) },
    handle: (call, { query }) => revokeSessions(call, query),
  }),
  defineRoute({
    ...end,
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'End one session, at once.',
    reply: { 204: null },
    handle: (call, { params }) => revokeSession(call, params.id!).then(() => undefined),
  }),
]
