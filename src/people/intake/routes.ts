import { defineRoute, type Route } from '../../base/http/route.ts'
import { TrackReply, trackBody } from './schema.ts'
import { bulkTrack, type TrackServices, track } from './track.ts'

export function trackRoutes(parts: TrackServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/users/track',
      permission: 'users.track',
      limit: 'track',
      errors: 'track',
      summary: 'Record events and purchases, update attributes',
      body: trackBody(parts.serviceName),
      reply: { 201: TrackReply },
      handle: (call, request) => track(call, request, parts),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/track/bulk',
      permission: 'users.track',
      limit: 'track',
      errors: 'track',
      summary: 'Record and update up to 1,000 objects at once, 100 per person',
      body: trackBody(parts.serviceName),
      reply: { 201: TrackReply },
      handle: (call, request) => bulkTrack(call, request, parts),
    }),
  ]
}
