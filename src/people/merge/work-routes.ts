import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { type ListWorkServices, listWork } from './list-work.ts'
import { WorkQuery, WorkReply } from './work-schema.ts'

export function workListRoutes(services: ListWorkServices): Route[] {
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
  ]
}
