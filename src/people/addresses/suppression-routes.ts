import { defineRoute, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import {
  SuppressBody,
  SuppressionsQuery,
  SuppressionsReply,
  SuppressReply,
  UnsuppressBody,
} from './suppression-schema.ts'
import { addSuppressions, readSuppressions, removeSuppressions, type SuppressionServices } from './suppressions.ts'

const admin = { permission: 'admin', errors: 'standard' } as const
const path = '/admin/suppressions'

/** Routes by which the operator reads, adds and removes suppressions. */
export function suppressionRoutes(services: SuppressionServices): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'List suppressed addresses and the reasons.',
      ability: 'suppressions.read',
      query: SuppressionsQuery,
      reply: { 200: SuppressionsReply },
      handle: async (call, request) => readSuppressions(call, request.query, await selectedId(call, request), services),
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path,
      summary: 'Suppress addresses.',
      ability: 'suppressions.edit',
      query: WorkspaceQuery,
      body: SuppressBody,
      reply: { 201: SuppressReply },
      handle: async (call, request) => addSuppressions(call, request.body, await selectedId(call, request), services),
    }),
    defineRoute({
      ...admin,
      method: 'DELETE',
      path,
      summary: 'Remove suppressions of addresses.',
      ability: 'suppressions.edit',
      query: WorkspaceQuery,
      body: UnsuppressBody,
      reply: { 200: SuppressReply },
      handle: async (call, request) =>
        removeSuppressions(call, request.body, await selectedId(call, request), services),
    }),
  ]
}
