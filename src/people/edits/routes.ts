import { defineRoute, type Route } from '../../base/http/route.ts'
import { PlanQuery, WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { isPlan, selectedId } from '../../workspace/settings/selected.ts'
import { TrackReply } from '../intake/schema.ts'
import { type EditServices, endPerson } from './end-person.ts'
import { mergeTwo } from './merge-two.ts'
import { EndPersonReply, MergeBody, MergePeopleReply, trackPersonBody } from './schema.ts'
import { type TrackPersonServices, trackPerson } from './track-person.ts'

const unknown = { 404: 'There is no person with this id, or no such workspace.' } as const

/** Routes by which an administrator changes one person: what the public interface does, with an audit row. */
export function personEditRoutes(services: EditServices & TrackPersonServices): Route[] {
  return [
    defineRoute({
      permission: 'admin',
      errors: 'track',
      method: 'POST',
      path: '/admin/people/{id}/track',
      ability: 'people.edit',
      summary: 'Record events and purchases of one person, and update attributes.',
      query: WorkspaceQuery,
      body: trackPersonBody(services.serviceName),
      refusals: unknown,
      reply: { 201: TrackReply },
      handle: async (call, request) => trackPerson(call, await selectedId(call, request), request, services),
    }),
    defineRoute({
      permission: 'admin',
      errors: 'standard',
      method: 'POST',
      path: '/admin/people/merge',
      ability: 'people.merge',
      summary:
        'Merge a person into another one, or plan it: what the merged person will have, and from which of the two.',
      query: PlanQuery,
      body: MergeBody,
      refusals: { ...unknown, 409: 'Both ids are of one person, or one of the two was merged or deleted meanwhile.' },
      reply: { 200: MergePeopleReply },
      handle: async (call, request) => {
        const { body, request_id } = request
        return mergeTwo(call, await selectedId(call, request), { body, request_id, isPlan: isPlan(request) }, services)
      },
    }),
    defineRoute({
      permission: 'admin',
      errors: 'standard',
      method: 'DELETE',
      path: '/admin/people/{id}',
      ability: 'people.end',
      summary: 'Delete one person.',
      query: WorkspaceQuery,
      refusals: unknown,
      reply: { 202: EndPersonReply },
      handle: async (call, request) => {
        const { params, request_id } = request
        return endPerson(call, await selectedId(call, request), { id: params.id!, request_id }, services)
      },
    }),
  ]
}
