import { defineTagged } from '../../base/http/etag.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { previewsMax } from '../../content/rendering/open-previews.ts'
import { selectedId, selectedWorkspace } from '../../workspace/settings/selected.ts'
import { type ListServices, listMessages } from './list-messages.ts'
import { type ReadServices, readMessage } from './read-message.ts'
import { MessageQuery, MessageReply, MessagesQuery, MessagesReply } from './schema.ts'

const admin = { permission: 'admin', errors: 'standard', method: 'GET', ability: 'messages.read' } as const

/** Routes for administrators to messages: some of all, and one whole. */
export function lookupRoutes(services: ListServices & ReadServices): Route[] {
  return [
    defineRoute({
      ...admin,
      path: '/admin/messages',
      summary: 'List messages, newest first, by what became of them, and by order, flow, person, address or time.',
      query: MessagesQuery,
      refusals: { 404: 'There is no person with this id, or no such workspace.' },
      reply: { 200: MessagesReply },
      handle: async (call, request) => listMessages(call, request.query, await selectedId(call, request), services),
    }),
    defineTagged({
      ...admin,
      path: '/admin/messages/{id}',
      summary: 'Read one message with its decision, its opens and clicks, and its mail.',
      query: MessageQuery,
      refusals: {
        404: 'There is no message with this id.',
        429: `The workspace has ${previewsMax} mails that are being made anew.`,
      },
      reply: { 200: MessageReply },
      handle: async (call, request) => {
        const { params, query } = request
        return readMessage(call, await selectedWorkspace(call, request), { id: params.id!, query }, services)
      },
    }),
  ]
}
