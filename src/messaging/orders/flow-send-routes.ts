import { defineRoute, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import type { FlowKind } from '../flows/flow.ts'
import { FlowSendBody, FlowSendReply } from './flow-send-schema.ts'
import type { TriggerServices } from './place-flow-order.ts'
import { sendFlow } from './send-flow.ts'

const nouns = { canvas: 'canvases', campaign: 'campaigns' } as const satisfies Readonly<Record<FlowKind, string>>

/** Routes by which an administrator sends a canvas or a campaign: what the public interface does, with an audit row. */
export function flowSendRoutes(services: TriggerServices): Route[] {
  return [sendRoute('canvas', services), sendRoute('campaign', services)]
}

function sendRoute(kind: FlowKind, services: TriggerServices): Route {
  return defineRoute({
    permission: 'admin',
    errors: 'standard',
    method: 'POST',
    path: `/admin/${nouns[kind]}/{id}/send`,
    ability: `${nouns[kind]}.launch`,
    summary: `Let people enter a ${kind} now, or at a later time.`,
    query: WorkspaceQuery,
    body: FlowSendBody,
    reply: { 201: FlowSendReply },
    refusals: {
      404: `There is no ${kind} with this id, or no such workspace.`,
      409: `The ${kind} is a draft, paused or archived.`,
    },
    handle: async (call, request) =>
      sendFlow(call, await selectedId(call, request), { kind, id: request.params.id! }, request.body, services),
  })
}
