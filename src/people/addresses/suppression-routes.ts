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

/** Which addresses are not written to, and why; the operator may say so and take it back. */
export function suppressionRoutes(parts: SuppressionServices): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'Addresses that are not written to, and why.',
      ability: 'suppressions.read',
      query: SuppressionsQuery,
      reply: { 200: SuppressionsReply },
      handle: async (call, request) => readSuppressions(call, request.query, await selectedId(call, request), parts),
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path,
      summary: 'Write no more to addresses.',
      ability: 'suppressions.edit',
      query: WorkspaceQuery,
      body: SuppressBody,
      reply: { 201: SuppressReply },
      handle: async (call, request) => addSuppressions(call, request.body, await selectedId(call, request), parts),
    }),
    defineRoute({
      ...admin,
      method: 'DELETE',
      path,
      summary: 'Write to addresses again.',
      ability: 'suppressions.edit',
      query: WorkspaceQuery,
      body: UnsuppressBody,
      reply: { 200: SuppressReply },
      handle: async (call, request) => removeSuppressions(call, request.body, await selectedId(call, request), parts),
    }),
  ]
}
