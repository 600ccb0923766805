import { defineRoute, type Route } from '../../base/http/route.ts'
import { type RecordParts, record } from './record.ts'
import { reportBody, reportReply } from './schema.ts'

export function sdkRoutes(parts: RecordParts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/sdk/data',
      permission: 'sdk.data',
      errors: 'standard',
      summary: 'Tell of a device, of the use of an app, and of the person behind it',
      body: reportBody(parts.serviceName),
      reply: { 201: reportReply(parts.serviceName) },
      handle: (call, request) => record(call, request, parts),
    }),
  ]
}
