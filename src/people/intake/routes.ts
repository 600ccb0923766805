import { defineRoute, type Route } from '../../base/http/route.ts'
import { TrackReply, trackBody } from './schema.ts'
import { bulkTrack, type TrackServices, track } from './track.ts'

export function trackRoutes(services: TrackServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/users/track',
      permission: 'users.track',
      limit: 'track',
      errors: 'track',
      summary: 'Record events and purchases, update attributes',
      body: trackBody(services.serviceName),
      reply: { 201: TrackReply },
      handle: (call, request) => track(call, request, services),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/track/bulk',
      permission: 'users.track',
      limit: 'track',
      errors: 'track',
      summary: 'Record and update up to 1,000 objects at once, 100 per person',
      body: trackBody(services.serviceName),
      reply: { 201: TrackReply },
      handle: (call, request) => bulkTrack(call, request, services),
    }),
  ]
}
