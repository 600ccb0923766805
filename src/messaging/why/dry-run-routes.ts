import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedWorkspace } from '../../workspace/settings/selected.ts'
import type { FlowKind } from '../flows/flow.ts'
import { type DryRunServices, dryRun } from './dry-run.ts'
import { DryRunBody, DryRunQuery, DryRunReply } from './dry-run-schema.ts'

/** Returns the routes that tell an administrator which people would get a canvas or a campaign. */
export function dryRunRoutes(services: DryRunServices): Route[] {
  return [dryRunRoute('canvas', '/admin/canvases', services), dryRunRoute('campaign', '/admin/campaigns', services)]
}

function dryRunRoute(kind: FlowKind, path: string, services: DryRunServices): Route {
  return defineRoute({
    permission: 'admin',
    ability: 'people.read',
    errors: 'standard',
    method: 'POST',
    path: `${path}/{id}/dry_run`,
    summary: `Count the people who would get a ${kind} now, and the others by reason. Nothing is sent.`,
    query: DryRunQuery,
    body: DryRunBody,
    reply: { 200: DryRunReply },
    refusals: { 404: `There is no ${kind} with this id, or no such workspace.` },
    handle: async (call, request) => {
      return dryRun(call, kind, request.params.id!, request.body, await selectedWorkspace(call, request), services)
    },
  })
}
