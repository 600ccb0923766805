import type { Permission } from '../../base/http/permissions.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import type { RefreshAfter } from '../../workspace/settings/config-cache.ts'
import { describeCampaign } from './campaign-details.ts'
import { describeCanvas } from './canvas-details.ts'
import { duplicateFlow } from './duplicate-flow.ts'
import type { FlowKind } from './flow.ts'
import type { Graphs } from './graphs.ts'
import { listCampaigns, listCanvases } from './list-flows.ts'
import {
  CampaignDetails,
  CampaignQuery,
  CampaignsReply,
  CanvasDetails,
  CanvasesReply,
  CanvasQuery,
  CopyReply,
  copyBody,
  FlowListQuery,
} from './public-schema.ts'

type PublicFlowServices = { readonly graphs: Graphs; readonly refreshAfter: RefreshAfter }

/** The public routes of canvases and campaigns. The routes of the administration are in `routes.ts`. */
export function publicFlowRoutes({ graphs, refreshAfter }: PublicFlowServices): Route[] {
  return [
    copyRoute('canvas', '/canvas/duplicate', 'canvas.duplicate', refreshAfter),
    copyRoute('campaign', '/campaigns/duplicate', 'campaigns.duplicate', refreshAfter),
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

function copyRoute(kind: FlowKind, path: string, permission: Permission, refreshAfter: RefreshAfter): Route {
  return defineRoute({
    method: 'POST',
    path,
    permission,
    limit: 'duplicates',
    errors: 'standard',
    summary: `Copy a ${kind} under a new name, as a draft`,
    body: copyBody(kind),
    reply: { 202: CopyReply },
    handle: (call, { body }) => refreshAfter(duplicateFlow(call, body, kind)),
  })
}
