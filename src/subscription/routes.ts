import { defineRoute, type Route } from '../base/http/route.ts'
import { StatusQuery, StatusReply } from './schema.ts'
import { type StatusParts, userStatus } from './status.ts'

export function subscriptionRoutes(parts: StatusParts): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/subscription/user/status',
      permission: 'subscription.groups.get',
      limit: 'subscription_user_status',
      errors: 'standard',
      summary: 'List the subscription groups of people',
      query: StatusQuery,
      reply: { 200: StatusReply },
      handle: (call, { query }) => userStatus(call, query, parts),
    }),
  ]
}
