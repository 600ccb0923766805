import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedWorkspace } from '../../workspace/settings/selected.ts'
import type { FlowKind } from '../flows/flow.ts'
import { type DryRunParts, dryRun } from './dryrun.ts'
import { DryRunBody, DryRunQuery, DryRunReply } from './dryrun-schema.ts'

/** Who would get a canvas or a campaign now. */
export function flowPeopleRoutes(parts: DryRunParts): Route[] {
  return [dryRunRoute('canvas', '/admin/canvases', parts), dryRunRoute('campaign', '/admin/campaigns', parts)]
}

function dryRunRoute(kind: FlowKind, path: string, parts: DryRunParts): Route {
  return defineRoute({
    permission: 'admin',
    ability: 'people.read',
    errors: 'standard',
    method: 'POST',
    path: `${path}/{id}/dry_run`,
    summary: `Who would get a ${kind} now, counted by reason; nothing is sent.`,
    query: DryRunQuery,
    body: DryRunBody,
    reply: { 200: DryRunReply },
    refusals: { 404: `There is no ${kind} with this id, or no such workspace.` },
    handle: async (call, request) => {
      const { workspace_id } = await selectedWorkspace(call, request)
      return dryRun(call, kind, request.params.id!, request.body, workspace_id, parts)
    },
  })
}
