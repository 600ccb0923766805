import { defineRoute, type Route } from '../../base/http/route.ts'
import { type ExportServices, exportPeople } from './export-people.ts'
import { exportBody, exportReply } from './schema.ts'

export function profileExportRoutes(parts: ExportServices): Route[] {
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
      handle: (call, { body }) => exportPeople(call, body, parts),
    }),
  ]
}
