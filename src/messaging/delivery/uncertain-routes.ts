import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { readUncertain, resendUncertain, type UncertainServices } from './uncertain.ts'
import { ResendQuery, ResentReply, UncertainQuery, uncertainReply } from './uncertain-schema.ts'

const admin = { permission: 'admin', errors: 'standard' } as const

/** Lets an administrator decide about messages that may or may not have been sent. */
export function uncertainRoutes(services: UncertainServices): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/admin/messages',
      ability: 'messages.read',
      summary: 'List messages whose outcome is uncertain, or that were set aside.',
      query: UncertainQuery,
      reply: { 200: uncertainReply(services.serviceName) },
      handle: async (call, request) => readUncertain(call, await selectedId(call, request), request.query, services),
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path: '/admin/messages/{message_id}/resend',
      ability: 'messages.resend',
      summary: 'Send an uncertain message, or one that was set aside, once more.',
      query: ResendQuery,
      reply: { 201: ResentReply },
      refusals: { 409: 'Its order is not active, or it was sent again already.' },
      handle: async (call, request) =>
        resendUncertain(call, await selectedId(call, request), request.params.message_id!, services),
    }),
  ]
}
