import { defineRoute, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { EmptiedReply, InboxQuery, InboxReply, MailQuery, MailReply } from './inbox-schema.ts'
import { emptyInbox, listInbox, readMail } from './read-inbox.ts'

const admin = { permission: 'admin', errors: 'standard' } as const

/** Mail that was kept here because no mail server is configured. */
export function inboxRoutes(): Route[] {
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
      query: WorkspaceQuery,
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
  ]
}
