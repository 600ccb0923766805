import { defineRoute, type Route } from '../../base/http/route.ts'
import { type FlowSeriesServices, readCampaignSeries, readSendSeries } from './read-campaign-series.ts'
import { readCanvasSeries, readCanvasSummary } from './read-canvas-series.ts'
import {
  CampaignSeriesQuery,
  CampaignSeriesReply,
  CanvasSeriesQuery,
  CanvasSeriesReply,
  CanvasSummaryReply,
  SendSeriesQuery,
} from './schema.ts'

/** What was counted of canvases, campaigns and sends, by days (contract 10.4). */
export function flowSeriesRoutes(services: FlowSeriesServices): Route[] {
  const all = { method: 'GET', errors: 'standard' } as const
  return [
    defineRoute({
      ...all,
      path: '/campaigns/data_series',
      permission: 'campaigns.data_series',
      summary: 'Count the messages of a campaign, and what followed them, by days',
      query: CampaignSeriesQuery,
      reply: { 200: CampaignSeriesReply },
      handle: async (call, { query }) => ({ data: await readCampaignSeries(call, query, services) }),
    }),
    defineRoute({
      ...all,
      path: '/sends/data_series',
      permission: 'sends.data_series',
      summary: 'Count the messages of a campaign with a send id, and what followed them, by days',
      query: SendSeriesQuery,
      reply: { 200: CampaignSeriesReply },
      handle: async (call, { query }) => ({ data: await readSendSeries(call, query, services) }),
    }),
    defineRoute({
      ...all,
      path: '/canvas/data_series',
      permission: 'canvas.data_series',
      summary: 'Count the entries and messages of a canvas, and what followed them, by days',
      query: CanvasSeriesQuery,
      reply: { 200: CanvasSeriesReply },
      handle: async (call, { query }) => ({ data: await readCanvasSeries(call, query, services) }),
    }),
    defineRoute({
      ...all,
      path: '/canvas/data_summary',
      permission: 'canvas.data_summary',
      summary: 'Count the entries and messages of a canvas, and what followed them, on several days together',
      query: CanvasSeriesQuery,
      reply: { 200: CanvasSummaryReply },
      handle: async (call, { query }) => ({ data: await readCanvasSummary(call, query, services) }),
    }),
  ]
}
