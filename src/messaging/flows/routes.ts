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

const summaries: Readonly<Record<FlowAction, string>> = {
  pause: 'Hold everybody who stands in it, and let nobody enter by an order.',
  resume: 'Go on.',
  stop: 'End it for everybody who stands in it, for good.',
}

/** What an administrator can do about canvases and campaigns beside changing what they do. */
export function flowRoutes(parts: FlowServices): Route[] {
  return [...routesOf('canvas', '/admin/canvases/{id}', parts), ...routesOf('campaign', '/admin/campaigns/{id}', parts)]
}

function routesOf(kind: FlowKind, path: string, { graphs, wakeups }: FlowServices): Route[] {
  const unknown = { 404: `There is no ${kind} with this id, or no such workspace.` }
  const changing = (Object.keys(summaries) as FlowAction[]).map((change) =>
    defineRoute({
      ...admin,
      method: 'POST',
      path: `${path}/${change}`,
      ability: `${nouns[kind]}.${change === 'stop' ? 'end' : 'launch'}`,
      summary: summaries[change],
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
    summary: 'What publishing a new version would change, and who stands where.',
    query: FlowQuery,
    body: ImpactBody,
    reply: { 200: ImpactReply },
    refusals: unknown,
    handle: async (call, request) =>
      previewImpact(call, await selectedWorkspace(call, request), kind, request.params.id!, request.body, graphs),
  })
  return [...changing, impact]
}
