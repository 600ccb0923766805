import { defineRoute, type Route } from '../../base/http/route.ts'
import { trackBody } from '../intake/schema.ts'
import { exportPeople } from './export-people.ts'
import { exportBody, exportReply } from './schema.ts'
import { type TrackSyncServices, trackSync } from './track-sync.ts'
import { trackSyncReply } from './track-sync-schema.ts'

export function profileExportRoutes(services: TrackSyncServices): Route[] {
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
    defineRoute({
      method: 'POST',
      path: '/users/track/sync',
      permission: 'users.track.sync',
      limit: 'track_sync',
      errors: 'track',
      summary: 'Record or update one object, and return what it changed of the person',
      body: trackBody(services.serviceName, 'Exactly one object in one of the arrays'),
      reply: { 201: trackSyncReply(services.serviceName) },
      handle: (call, request) => trackSync(call, request, services),
    }),
  ]
}
