import { defineSharedIdempotent } from '../../base/http/idempotency.ts'
import type { Route } from '../../base/http/route.ts'
import { TrackReply, trackBody } from './schema.ts'
import { bulkTrack, type TrackServices, track } from './track.ts'

export function trackRoutes(services: TrackServices): Route[] {
  return [
    defineSharedIdempotent({
      method: 'POST',
      path: '/users/track',
      permission: 'users.track',
      limit: 'track',
      errors: 'track',
      summary: 'Record events and purchases, update attributes',
      body: trackBody(services.serviceName),
      reply: { 201: TrackReply },
      handle: (call, request, once) => track(call, request, services, once),
    }),
    defineSharedIdempotent({
      method: 'POST',
      path: '/users/track/bulk',
      permission: 'users.track',
      limit: 'track',
      errors: 'track',
      summary: 'Record and update up to 1,000 objects at once, 100 per person',
      body: trackBody(services.serviceName),
      reply: { 201: TrackReply },
      handle: (call, request, once) => bulkTrack(call, request, services, once),
    }),
  ]
}
