import { defineTagged } from '../../base/http/etag.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { selectedId, selectedWorkspace } from '../../workspace/settings/selected.ts'
import type { DestinationServices } from '../channels/channel.ts'
import { emptyInbox, listInbox, readMail } from './read-inbox.ts'
import { EmptiedReply, InboxQuery, InboxReply, MailQuery, MailReply } from './schema.ts'

const admin = { permission: 'admin', errors: 'standard' } as const

/** Returns the routes of the inbox, which keeps the messages of channels for which no server is configured. */
export function inboxRoutes(services: DestinationServices): Route[] {
  const path = '/admin/inbox'
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary:
        'List the messages in the inbox, newest first. The inbox keeps the messages of channels for which no server is configured.',
      ability: 'inbox.read',
      query: InboxQuery,
      reply: { 200: InboxReply },
      handle: async (call, request) => listInbox(call, request.query, await selectedWorkspace(call, request), services),
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
    defineTagged({
      ...admin,
      method: 'GET',
      path: `${path}/{id}`,
      ability: 'inbox.read',
      summary: 'Read one mail with its parts.',
      query: MailQuery,
      reply: { 200: MailReply },
      handle: async (call, request) => {
        return readMail(call, request.params.id!, request.query, await selectedWorkspace(call, request))
      },
    }),
  ]
}
