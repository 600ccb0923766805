import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { type AcceptExportServices, exportSegment } from './accept.ts'
import { type ExportListServices, readExports } from './list.ts'
import { ExportsQuery, ExportsReply, SegmentReply, segmentBody } from './schema.ts'

export function exportRoutes(services: AcceptExportServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/users/export/segment',
      permission: 'users.export.segment',
      errors: 'standard',
      summary: 'Accept an export of all people of a segment to a file',
      body: segmentBody(services.serviceName),
      reply: { 201: SegmentReply },
      handle: (call, { body }) => exportSegment(call, body, services),
    }),
  ]
}

export function exportListRoutes(services: ExportListServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/admin/exports',
      permission: 'admin',
      ability: 'people.export',
      errors: 'standard',
      summary: 'List the exports of segments with their states.',
      query: ExportsQuery,
      reply: { 200: ExportsReply },
      handle: async (call, request) => readExports(call, request.query, await selectedId(call, request), services),
    }),
  ]
}
