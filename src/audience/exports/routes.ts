import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { type AcceptServices, exportSegment } from './accept.ts'
import { type ExportListServices, readExports } from './list.ts'
import { ExportsQuery, ExportsReply, SegmentReply, segmentBody } from './schema.ts'

export function exportRoutes(parts: AcceptServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/users/export/segment',
      permission: 'users.export.segment',
      errors: 'standard',
      summary: 'Export everybody in a segment to a file, soon',
      body: segmentBody(parts.serviceName),
      reply: { 201: SegmentReply },
      handle: (call, { body }) => exportSegment(call, body, parts),
    }),
  ]
}

export function exportListRoutes(parts: ExportListServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/admin/exports',
      permission: 'admin',
      ability: 'people.export',
      errors: 'standard',
      summary: 'List the exports of segments and what became of them.',
      query: ExportsQuery,
      reply: { 200: ExportsReply },
      handle: async (call, request) => readExports(call, request.query, await selectedId(call, request), parts),
    }),
  ]
}
