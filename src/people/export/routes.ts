import { defineRoute, type Route } from '../../base/http/route.ts'
import { type ExportServices, exportPeople } from './export-people.ts'
import { exportBody, exportReply } from './schema.ts'

export function profileExportRoutes(services: ExportServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/users/export/ids',
      permission: 'users.export.ids',
      limit: 'export_ids',
      errors: 'standard',
      summary: 'Export profiles by identifier',
      body: exportBody(services.serviceName),
      reply: { 201: exportReply(services.serviceName) },
      handle: (call, { body }) => exportPeople(call, body, services),
    }),
  ]
}
