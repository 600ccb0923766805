import { OfWorkspace } from '../../admin-schema.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId, selectedWorkspace } from '../../workspace/settings/selected.ts'
import { emptyInbox, listInbox, readMail } from '../mail/inbox-read.ts'
import { EmptiedReply, InboxQuery, InboxReply, MailQuery, MailReply } from '../mail/inbox-schema.ts'
import { answerWhy, type WhyParts } from './why.ts'
import { WhyQuery, WhyReply } from './why-schema.ts'

const admin = { permission: 'admin', errors: 'standard' } as const

/** Mail that was delivered here, and why somebody got a message or did not. */
export function mailRoutes(parts: WhyParts): Route[] {
  const path = '/admin/inbox'
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'Mail that was delivered here because there is no mail server, newest first.',
      ability: 'inbox.read',
      query: InboxQuery,
      reply: { 200: InboxReply },
      handle: async (call, request) => listInbox(call, request.query, await selectedId(call, request)),
    }),
    defineRoute({
      ...admin,
      method: 'DELETE',
      path,
      summary: 'Empty the inbox of a workspace.',
      ability: 'inbox.empty',
      query: OfWorkspace,
      reply: { 200: EmptiedReply },
      handle: async (call, request) => emptyInbox(call, await selectedId(call, request)),
    }),
    defineRoute({
      ...admin,
      method: 'GET',
      path: `${path}/{id}`,
      ability: 'inbox.read',
      summary: 'One mail with its parts.',
      query: MailQuery,
      reply: { 200: MailReply },
      handle: async (call, request) => {
        return readMail(call, request.params.id!, request.query, await selectedId(call, request))
      },
    }),
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/admin/why',
      ability: 'people.read',
      summary: 'Why somebody got a message or did not.',
      query: WhyQuery,
      reply: { 200: WhyReply },
      handle: async (call, request) => answerWhy(call, request.query, await selectedWorkspace(call, request), parts),
    }),
  ]
}
