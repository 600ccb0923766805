import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { type ListWorkServices, listWork } from './list-work.ts'
import { WorkQuery, WorkReply } from './work-schema.ts'

export function workListRoutes(parts: ListWorkServices): Route[] {
  return [
    defineRoute({
      permission: 'admin',
      errors: 'standard',
      method: 'GET',
      path: '/admin/work',
      ability: 'work.read',
      summary: 'What became of accepted merges, deletions and identifications.',
      query: WorkQuery,
      reply: { 200: WorkReply },
      handle: async (call, request) => listWork(call, request.query, await selectedId(call, request), parts),
    }),
  ]
}
