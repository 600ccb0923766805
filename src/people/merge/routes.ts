import { defineRoute, type Route } from '../../base/http/route.ts'
import { deletePeople } from './delete-people.ts'
import { type IdentifyServices, identifyPeople } from './identify-people.ts'
import { mergePeople } from './merge-people.ts'
import { DeleteReply, deleteBody, IdentifyBody, IdentifyReply, MergeBody, MergeReply } from './request-schema.ts'

export function workRoutes(services: IdentifyServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/users/merge',
      permission: 'users.merge',
      errors: 'standard',
      summary: 'Accept merges of profiles',
      body: MergeBody,
      reply: { 202: MergeReply },
      handle: (call, request) => mergePeople(call, request, services),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/delete',
      permission: 'users.delete',
      errors: 'standard',
      summary: 'Accept deletions of profiles',
      body: deleteBody(services.serviceName),
      reply: { 201: DeleteReply },
      handle: (call, request) => deletePeople(call, request, services),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/identify',
      permission: 'users.identify',
      errors: 'standard',
      summary: 'Give an external_id to people who are known by an alias or an address',
      body: IdentifyBody,
      reply: { 201: IdentifyReply },
      handle: (call, request) => identifyPeople(call, request, services),
    }),
  ]
}
