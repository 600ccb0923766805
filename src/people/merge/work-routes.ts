import { defineRoute, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { type ActOnWorkServices, discardWork, retryWork } from './act-on-work.ts'
import { listWork } from './list-work.ts'
import { WorkItemReply, WorkQuery, WorkReply } from './work-schema.ts'

const acting = {
  permission: 'admin',
  errors: 'standard',
  method: 'POST',
  ability: 'work.act',
  query: WorkspaceQuery,
  reply: { 200: WorkItemReply },
} as const
const item = '/admin/work/{request_id}/{position}'
const unknown = { 404: 'There is no such item.' }

export function workListRoutes(services: ActOnWorkServices): Route[] {
  return [
    defineRoute({
      permission: 'admin',
      errors: 'standard',
      method: 'GET',
      path: '/admin/work',
      ability: 'work.read',
      summary: 'List accepted merges, deletions and identifications with their outcomes.',
      query: WorkQuery,
      reply: { 200: WorkReply },
      handle: async (call, request) => listWork(call, request.query, await selectedId(call, request), services),
    }),
    defineRoute({
      ...acting,
      path: `${item}/retry`,
      summary: 'Try a merge, deletion or identification again that has changed nothing.',
      refusals: { ...unknown, 409: 'Another try makes no sense; the message has the reason.' },
      handle: async (call, request) => retryWork(call, request, await selectedId(call, request), services),
    }),
    defineRoute({
      ...acting,
      path: `${item}/discard`,
      summary: 'End a merge, deletion or identification that waits, without carrying it out.',
      refusals: { ...unknown, 409: 'It does not wait; the message has the reason.' },
      handle: async (call, request) => discardWork(call, request, await selectedId(call, request), services),
    }),
  ]
}
