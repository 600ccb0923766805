import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { leaveUncertain, resendUncertain, type UncertainServices } from './uncertain.ts'
import { DecideQuery, LeftReply, ResentReply } from './uncertain-schema.ts'

const admin = {
  permission: 'admin',
  errors: 'standard',
  method: 'POST',
  ability: 'messages.resend',
  query: DecideQuery,
} as const

/** Lets an administrator decide about messages that may or may not have been sent. */
export function uncertainRoutes(services: UncertainServices): Route[] {
  return [
    defineRoute({
      ...admin,
      path: '/admin/messages/{message_id}/resend',
      summary: 'Send an uncertain message, or one that was set aside, once more.',
      reply: { 201: ResentReply },
      refusals: { 409: 'Its order is not active, it was sent again already, or it was left as it is.' },
      handle: async (call, request) =>
        resendUncertain(call, await selectedId(call, request), request.params.message_id!, services),
    }),
    defineRoute({
      ...admin,
      path: '/admin/messages/{message_id}/leave',
      summary: 'Leave an uncertain message, or one that was set aside, as it is: it is not sent again.',
      reply: { 200: LeftReply },
      refusals: { 409: 'It was sent again already, or it was left as it is.' },
      handle: async (call, request) =>
        leaveUncertain(call, await selectedId(call, request), request.params.message_id!),
    }),
  ]
}
