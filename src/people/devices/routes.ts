import { defineRoute, type Route } from '../../base/http/route.ts'
import { type ReportServices, recordReport } from './record-report.ts'
import { reportBody, reportReply } from './schema.ts'

export function sdkRoutes(services: ReportServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/sdk/data',
      permission: 'sdk.data',
      limit: 'sdk_data',
      errors: 'standard',
      summary: 'Report a device, the use of an app, and the person who has the device',
      body: reportBody(services.serviceName),
      reply: { 201: reportReply(services.serviceName) },
      handle: (call, request) => recordReport(call, request, services),
    }),
  ]
}
