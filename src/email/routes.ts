import { defineRoute, type Route } from '../base/http/route.ts'
import { EmailBody, EmailReply, UnsubscribesQuery, UnsubscribesReply } from './schema.ts'
import { type EmailStatusParts, setEmailStatus } from './status.ts'
import { listUnsubscribes } from './unsubscribes.ts'

export type EmailParts = EmailStatusParts

export function emailRoutes(parts: EmailParts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/email/status',
      permission: 'email.status',
      errors: 'standard',
      summary: 'Set the e-mail state of addresses, whoever has them now or later',
      body: EmailBody,
      reply: { 201: EmailReply },
      handle: (call, { body }) => setEmailStatus(call, body, parts),
    }),
    defineRoute({
      method: 'GET',
      path: '/email/unsubscribes',
      permission: 'email.unsubscribe',
      errors: 'standard',
      summary: 'List e-mail addresses that have unsubscribed',
      query: UnsubscribesQuery,
      reply: { 200: UnsubscribesReply },
      handle: (call, { query }) => listUnsubscribes(call, query),
    }),
  ]
}
