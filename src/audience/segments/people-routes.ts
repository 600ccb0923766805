import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId, selectedWorkspace } from '../../workspace/settings/selected.ts'
import {
  CountReply,
  SegmentCountQuery,
  SegmentPeople,
  SegmentPeopleQuery,
  SegmentSample,
  SegmentSampleQuery,
  SegmentWhy,
  SegmentWhyQuery,
} from './people-schema.ts'
import { SeriesReply, SizesQuery } from './schema.ts'
import { countSegment, pageSegment, type SegmentPeopleServices, sampleSegment } from './segment-people.ts'
import { adminSizes, type SeriesServices } from './series.ts'
import { whySegment } from './why-in-segment.ts'

const admin = { permission: 'admin', errors: 'standard', method: 'GET' } as const

/** Routes for administrators to the people of segments. */
export function segmentPeopleRoutes(services: SegmentPeopleServices & SeriesServices): Route[] {
  const path = '/admin/segments/{id}'
  return [
    defineRoute({
      ...admin,
      path: `${path}/count`,
      ability: 'segments.read',
      summary: 'Count the people of a segment.',
      query: SegmentCountQuery,
      reply: { 200: CountReply },
      handle: async (call, request) =>
        countSegment(call, await selectedId(call, request), request.params.id!, services),
    }),
    defineRoute({
      ...admin,
      path: `${path}/sizes`,
      ability: 'segments.read',
      summary: 'List the sizes of a segment by day.',
      query: SizesQuery,
      reply: { 200: SeriesReply },
      handle: async (call, request) =>
        adminSizes(call, await selectedId(call, request), request.params.id!, request.query, services),
    }),
    defineRoute({
      ...admin,
      path: `${path}/people`,
      ability: 'people.read',
      summary: 'List the people of a segment, page by page.',
      query: SegmentPeopleQuery,
      reply: { 200: SegmentPeople },
      handle: async (call, request) => {
        return pageSegment(call, await selectedId(call, request), request.params.id!, request.query, services)
      },
    }),
    defineRoute({
      ...admin,
      path: `${path}/sample`,
      ability: 'people.read',
      summary: 'List a sample of the people of a segment.',
      query: SegmentSampleQuery,
      reply: { 200: SegmentSample },
      handle: async (call, request) => {
        return sampleSegment(call, await selectedId(call, request), request.params.id!, request.query, services)
      },
    }),
    defineRoute({
      ...admin,
      path: `${path}/why`,
      ability: 'people.read',
      summary: 'Explain why a person is in a segment or not, condition by condition.',
      query: SegmentWhyQuery,
      reply: { 200: SegmentWhy },
      handle: async (call, request) => {
        return whySegment(call, await selectedWorkspace(call, request), request.params.id!, request.query, services)
      },
    }),
  ]
}
