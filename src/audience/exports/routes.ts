import { defineRoute, type Route } from '../../base/http/route.ts'
import { type AcceptParts, exportSegment } from './accept.ts'
import { SegmentReply, segmentBody } from './schema.ts'

export function exportRoutes(parts: AcceptParts): Route[] {
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
