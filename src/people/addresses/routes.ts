import type { Call } from '../../base/call.ts'
import { defineRoute, type Request, type Route } from '../../base/http/route.ts'
import { blockAddresses } from './block-addresses.ts'
import { type EmailStatusServices, setEmailStatus } from './email-status.ts'
import { listHardBounces } from './hard-bounces.ts'
import { removeBounces } from './remove-bounces.ts'
import { removeSpam } from './remove-spam.ts'
import {
  EmailBody,
  EmailReply,
  EmailsBody,
  HardBouncesQuery,
  HardBouncesReply,
  UnsubscribesQuery,
  UnsubscribesReply,
} from './schema.ts'
import { listUnsubscribes } from './unsubscribes.ts'

export type EmailServices = EmailStatusServices

export function emailRoutes(services: EmailServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/email/status',
      permission: 'email.status',
      errors: 'standard',
      summary: 'Set the subscription state of e-mail addresses, for all people who have them now or later',
      body: EmailBody,
      reply: { 201: EmailReply },
      handle: (call, { body }) => setEmailStatus(call, body, services),
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
    ...bounceRoutes(services),
  ]
}

function bounceRoutes(services: EmailServices): Route[] {
  const changing = { method: 'POST', errors: 'standard', body: EmailsBody, reply: { 201: EmailReply } } as const
  const blocking = {
    ...changing,
    permission: 'email.blacklist',
    summary: 'Unsubscribe addresses and suppress them',
    handle: (call: Call, { body }: Request) => blockAddresses(call, body, services),
  } as const
  return [
    defineRoute({
      method: 'GET',
      path: '/email/hard_bounces',
      permission: 'email.hard_bounces',
      errors: 'standard',
      summary: 'List e-mail addresses with hard bounces',
      query: HardBouncesQuery,
      reply: { 200: HardBouncesReply },
      handle: (call, { query }) => listHardBounces(call, query, services),
    }),
    defineRoute({
      ...changing,
      path: '/email/bounce/remove',
      permission: 'email.bounce.remove',
      summary: 'Remove addresses from the list of hard bounces',
      handle: (call, { body }) => removeBounces(call, body, services),
    }),
    defineRoute({
      ...changing,
      path: '/email/spam/remove',
      permission: 'email.spam.remove',
      summary: 'Remove the spam mark of addresses',
      handle: (call, { body }) => removeSpam(call, body, services),
    }),
    defineRoute({ ...blocking, path: '/email/blocklist' }),
    defineRoute({ ...blocking, path: '/email/blacklist', summary: 'The former name of /email/blocklist' }),
  ]
}
