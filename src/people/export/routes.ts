import { defineRoute, type Route } from '../../base/http/route.ts'
import { type ExportParts, exportIds } from './export.ts'
import { exportBody, exportReply } from './schema.ts'

export function profileExportRoutes(parts: ExportParts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/users/export/ids',
      permission: 'users.export.ids',
      limit: 'export_ids',
      errors: 'standard',
      summary: 'Export profiles by identifier',
      body: exportBody(parts.serviceName),
      reply: { 201: exportReply(parts.serviceName) },
      handle: (call, { body }) => exportIds(call, body, parts),
    }),
  ]
}
