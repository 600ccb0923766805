import { defineRoute, type Route } from '../../base/http/route.ts'
import { groupStatus } from './group-status.ts'
import { BulkSetBody, GroupQuery, GroupReply, SetBody, SetReply, StatusQuery, StatusReply } from './schema.ts'
import { type SetServices, setStatus, setStatuses } from './set-status.ts'
import { type StatusServices, userStatus } from './user-status.ts'

export type SubscriptionServices = SetServices & StatusServices

export function subscriptionRoutes(services: SubscriptionServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v2/subscription/status/set',
      permission: 'subscription.status.set',
      errors: 'standard',
      summary: 'Subscribe or unsubscribe up to 50 users, in several groups',
      body: BulkSetBody,
      reply: { 201: SetReply },
      handle: (call, { body }) => setStatuses(call, body, services),
    }),
    defineRoute({
      method: 'POST',
      path: '/subscription/status/set',
      permission: 'subscription.status.set',
      errors: 'standard',
      summary: 'Subscribe or unsubscribe up to 50 users in one group',
      body: SetBody,
      reply: { 201: SetReply },
      handle: (call, { body }) => setStatus(call, body, services),
    }),
    defineRoute({
      method: 'GET',
      path: '/subscription/status/get',
      permission: 'subscription.status.get',
      errors: 'standard',
      summary: 'Get the state of users in one subscription group',
      query: GroupQuery,
      reply: { 200: GroupReply },
      handle: (call, { query }) => groupStatus(call, query, services),
    }),
    defineRoute({
      method: 'GET',
      path: '/subscription/user/status',
      permission: 'subscription.groups.get',
      limit: 'subscription_user_status',
      errors: 'standard',
      summary: 'List the subscription groups of people',
      query: StatusQuery,
      reply: { 200: StatusReply },
      handle: (call, { query }) => userStatus(call, query, services),
    }),
  ]
}
