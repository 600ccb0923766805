import { defineRoute, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { type AcceptExportServices, exportControlGroup, exportForAdmin, exportSegment } from './accept.ts'
import { type ExportListServices, openCounts, readExports } from './list.ts'
import { adminExportBody, controlGroupBody, ExportReply, ExportsQuery, ExportsReply, segmentBody } from './schema.ts'

export function exportRoutes(services: AcceptExportServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/users/export/segment',
      permission: 'users.export.segment',
      errors: 'standard',
      summary: 'Accept an export of all people of a segment to a file',
      body: segmentBody(services.serviceName),
      reply: { 201: ExportReply },
      handle: (call, { body }) => exportSegment(call, body, services),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/export/global_control_group',
      permission: 'users.export.global_control_group',
      errors: 'standard',
      summary: 'Accept an export of all people of the global control group to a file',
      body: controlGroupBody(services.serviceName),
      reply: { 201: ExportReply },
      handle: (call, { body }) => exportControlGroup(call, body, services),
    }),
  ]
}

export function exportListRoutes(services: ExportListServices & AcceptExportServices): Route[] {
  const count = openCounts(services)
  return [
    defineRoute({
      method: 'GET',
      path: '/admin/exports',
      permission: 'admin',
      ability: 'people.export',
      errors: 'standard',
      summary: 'List the exports of segments and of the global control group with their states.',
      query: ExportsQuery,
      reply: { 200: ExportsReply },
      handle: async (call, request) =>
        readExports(call, request.query, await selectedId(call, request), services, count),
    }),
    defineRoute({
      method: 'POST',
      path: '/admin/segments/{id}/export',
      permission: 'admin',
      ability: 'people.export',
      errors: 'standard',
      summary: 'Accept an export of all people of a segment to a file.',
      query: WorkspaceQuery,
      body: adminExportBody(services.serviceName),
      reply: { 201: ExportReply },
      handle: async (call, request) => {
        return exportForAdmin(call, await selectedId(call, request), request.params.id!, request.body, services)
      },
    }),
  ]
}
