import { defineRoute, type Route } from '../../base/http/route.ts'
import { SessionReply } from './schema.ts'
import { readSession, type SessionServices } from './session.ts'

export function sessionRoutes(services: SessionServices): Route[] {
  return [
    defineRoute({
      permission: 'admin',
      errors: 'standard',
      method: 'GET',
      path: '/admin/session',
      ability: 'session.read',
      summary: 'Read the account that makes the request, with its abilities.',
      reply: { 200: SessionReply },
      handle: (call, request) => readSession(call, request, services),
    }),
  ]
}
