import { defineRoute, type Route } from '../../base/http/route.ts'
import { describeCampaign } from './campaign-details.ts'
import { describeCanvas } from './canvas-details.ts'
import type { Graphs } from './graphs.ts'
import { listCampaigns, listCanvases } from './list-flows.ts'
import {
  CampaignDetails,
  CampaignQuery,
  CampaignsReply,
  CanvasDetails,
  CanvasesReply,
  CanvasQuery,
  FlowListQuery,
} from './public-schema.ts'

/** The public reads of canvases and campaigns. The routes of the administration are in `routes.ts`. */
export function publicFlowRoutes({ graphs }: { graphs: Graphs }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/canvas/list',
      permission: 'canvas.list',
      errors: 'standard',
      summary: 'List canvases, 100 to a page',
      query: FlowListQuery,
      reply: { 200: CanvasesReply },
      handle: (call, { query }) => listCanvases(call, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/canvas/details',
      permission: 'canvas.details',
      errors: 'standard',
      summary: 'Get a canvas with its variants and steps',
      query: CanvasQuery,
      reply: { 200: CanvasDetails },
      handle: (call, { query }) => describeCanvas(call, query, graphs),
    }),
    defineRoute({
      method: 'GET',
      path: '/campaigns/list',
      permission: 'campaigns.list',
      errors: 'standard',
      summary: 'List campaigns, 100 to a page',
      query: FlowListQuery,
      reply: { 200: CampaignsReply },
      handle: (call, { query }) => listCampaigns(call, query, graphs),
    }),
    defineRoute({
      method: 'GET',
      path: '/campaigns/details',
      permission: 'campaigns.details',
      errors: 'standard',
      summary: 'Get a campaign with its messages',
      query: CampaignQuery,
      reply: { 200: CampaignDetails },
      handle: (call, { query }) => describeCampaign(call, query, graphs),
    }),
  ]
}
