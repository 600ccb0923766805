import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import type { Graphs } from '../flows/graphs.ts'
import { listPersonEntries } from './list-entries.ts'
import { readTimeline, type TimelineServices } from './read-timeline.ts'
import { PersonEntriesQuery, PersonEntriesReply, TimelineQuery, TimelineReply } from './schema.ts'

const admin = {
  permission: 'admin',
  errors: 'standard',
  method: 'GET',
  ability: 'people.read',
  refusals: { 404: 'There is no person with this id, or no such workspace.' },
} as const

/** Routes for administrators to what happened to one person. */
export function timelineRoutes(services: TimelineServices & { readonly graphs: Graphs }): Route[] {
  return [
    defineRoute({
      ...admin,
      path: '/admin/people/{id}/timeline',
      summary: 'Read what happened to one person, newest first.',
      query: TimelineQuery,
      reply: { 200: TimelineReply },
      handle: async (call, request) => {
        const { params, query } = request
        return readTimeline(call, await selectedId(call, request), { id: params.id!, query }, services)
      },
    }),
    defineRoute({
      ...admin,
      path: '/admin/people/{id}/entries',
      summary: 'List the canvases and campaigns in which one person is or was.',
      query: PersonEntriesQuery,
      reply: { 200: PersonEntriesReply },
      handle: async (call, request) =>
        listPersonEntries(call, await selectedId(call, request), request.params.id!, services),
    }),
  ]
}
