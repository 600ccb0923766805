import { defineTagged } from '../../base/http/etag.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId } from '../settings/selected.ts'
import { listRequests, type ReadRequestsServices, readRequest } from './read-requests.ts'
import { RequestQuery, RequestReply, RequestsQuery, RequestsReply } from './schema.ts'

const admin = { permission: 'admin', errors: 'standard', method: 'GET', ability: 'requests.read' } as const
const path = '/admin/requests'

/** Routes that show the requests that this process has answered lately. */
export function requestLogRoutes(services: ReadRequestsServices): Route[] {
  return [
    defineRoute({
      ...admin,
      path,
      summary: 'List the latest requests of a workspace with their answers, newest first.',
      query: RequestsQuery,
      reply: { 200: RequestsReply },
      handle: async (call, request) => listRequests(await selectedId(call, request), request, services),
    }),
    defineTagged({
      ...admin,
      path: `${path}/{id}`,
      summary: 'Read one of the latest requests with its answer.',
      query: RequestQuery,
      reply: { 200: RequestReply },
      refusals: { 404: 'This process has no request with this id, or no longer.' },
      handle: async (call, request) => readRequest(await selectedId(call, request), request, services),
    }),
  ]
}
