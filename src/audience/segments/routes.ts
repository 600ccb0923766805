import { defineRoute, type Route } from '../../base/http/route.ts'
import { cohortEndRoutes } from './cohort-routes.ts'
import { describeSegment } from './details.ts'
import { listSegmentPage } from './list.ts'
import { DetailsQuery, DetailsReply, ListQuery, ListReply, SeriesQuery, SeriesReply } from './schema.ts'
import { bodySeries, querySeries, type SeriesServices } from './series.ts'

export type SegmentServices = SeriesServices

export function segmentRoutes(services: SegmentServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/segments/list',
      permission: 'segments.list',
      errors: 'standard',
      summary: 'List segments, 100 on a page',
      query: ListQuery,
      reply: { 200: ListReply },
      handle: (call, { query }) => listSegmentPage(call, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/segments/details',
      permission: 'segments.details',
      errors: 'standard',
      summary: 'Get a segment with its conditions in words',
      query: DetailsQuery,
      reply: { 200: DetailsReply },
      handle: (call, { query }) => describeSegment(call, query, services.workspaces),
    }),
    defineRoute({
      method: 'GET',
      path: '/segments/data_series',
      permission: 'segments.data_series',
      errors: 'standard',
      summary: 'Get the size of a segment for each day',
      query: SeriesQuery,
      reply: { 200: SeriesReply },
      handle: (call, { query }) => querySeries(call, query, services),
    }),
    defineRoute({
      method: 'POST',
      path: '/segments/data_series',
      permission: 'segments.data_series',
      errors: 'standard',
      summary: 'Get the size of a segment for each day, with the query in the body',
      body: SeriesQuery,
      reply: { 201: SeriesReply },
      handle: (call, { body }) => bodySeries(call, body, services),
    }),
    ...cohortEndRoutes(),
  ]
}
