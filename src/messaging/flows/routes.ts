import { defineRoute, type Route } from '../../base/http/route.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { selectedWorkspace } from '../../workspace/settings/selected.ts'
import { changeFlowState, type FlowAction } from './change-state.ts'
import type { FlowKind } from './flow.ts'
import type { Graphs } from './graphs.ts'
import { previewImpact } from './preview-impact.ts'
import { FlowQuery, ImpactBody, ImpactReply, stateReply } from './schema.ts'

export type FlowServices = {
  readonly graphs: Graphs
  readonly wakeups: Wakeups
}

const nouns = { canvas: 'canvases', campaign: 'campaigns' } as const satisfies Readonly<Record<FlowKind, string>>

const admin = { permission: 'admin', errors: 'standard' } as const

const summaries: Readonly<Record<FlowAction, (kind: FlowKind) => string>> = {
  pause: (kind) => `Pause a ${kind}. The people in it are held, and orders make no one enter.`,
  resume: (kind) => `Resume a paused ${kind}.`,
  stop: (kind) => `Stop a ${kind} for good. All people in it leave it.`,
}

/** Routes of the administration for canvases and campaigns, besides those of the workspace file. */
export function flowRoutes(services: FlowServices): Route[] {
  return [
    ...routesOf('canvas', '/admin/canvases/{id}', services),
    ...routesOf('campaign', '/admin/campaigns/{id}', services),
  ]
}

function routesOf(kind: FlowKind, path: string, { graphs, wakeups }: FlowServices): Route[] {
  const unknown = { 404: `There is no ${kind} with this id, or no such workspace.` }
  const changing = (Object.keys(summaries) as FlowAction[]).map((change) =>
    defineRoute({
      ...admin,
      method: 'POST',
      path: `${path}/${change}`,
      ability: `${nouns[kind]}.${change === 'stop' ? 'end' : 'launch'}`,
      summary: summaries[change](kind),
      query: FlowQuery,
      reply: { 200: stateReply(kind) },
      refusals: { ...unknown, 409: `The state of the ${kind} does not allow it.` },
      handle: async (call, request) => {
        const { workspace_id } = await selectedWorkspace(call, request)
        const flow = await changeFlowState(call, workspace_id, kind, request.params.id!, change)
        wakeups.wake('flows')
        const { id, name, state, version } = flow
        return { [kind]: { id, name, state, version } }
      },
    }),
  )
  const impact = defineRoute({
    ...admin,
    method: 'POST',
    path: `${path}/impact`,
    ability: `${nouns[kind]}.read`,
    summary:
      'Get what publishing a new version would change, and how many people are at which step. Nothing is written.',
    query: FlowQuery,
    body: ImpactBody,
    reply: { 200: ImpactReply },
    refusals: unknown,
    handle: async (call, request) =>
      previewImpact(call, await selectedWorkspace(call, request), kind, request.params.id!, request.body, graphs),
  })
  return [...changing, impact]
}
