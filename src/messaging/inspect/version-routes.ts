import { defineRoute, type Request, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import type { FlowKind } from '../flows/flow.ts'
import { readConversions } from './read-conversions.ts'
import { readOutline } from './read-outline.ts'
import type { StandingServices } from './read-standing.ts'
import { listFlowVersions, readFlowVersion } from './read-versions.ts'
import {
  ConversionsQuery,
  ConversionsReply,
  type VersionHead,
  VersionQuery,
  VersionReply,
  VersionsQuery,
  VersionsReply,
} from './schema.ts'

const nouns = { canvas: 'canvases', campaign: 'campaigns' } as const satisfies Readonly<Record<FlowKind, string>>

/** Routes for administrators to the versions of a canvas or a campaign, and to what its variants achieve. */
export function versionRoutes(services: StandingServices): Route[] {
  return [...routesOf('canvas', services), ...routesOf('campaign', services)]
}

function routesOf(kind: FlowKind, services: StandingServices): Route[] {
  const path = `/admin/${nouns[kind]}/{id}` as const
  const admin = {
    permission: 'admin',
    errors: 'standard',
    method: 'GET',
    ability: `${nouns[kind]}.read`,
    refusals: { 404: `There is no ${kind} with this id, or no such workspace.` },
  } as const
  return [
    defineRoute({
      ...admin,
      path: `${path}/versions`,
      summary: `List the versions of a ${kind}, the newest first, with who wrote them and how many people are on them.`,
      query: VersionsQuery,
      reply: { 200: VersionsReply },
      async handle(call, request) {
        const workspace_id = await selectedId(call, request)
        const found = await listFlowVersions(call, { workspace_id, kind, id: request.params.id! }, request.query)
        return { ...found, versions: found.versions.map((head) => forReader(head, request)) }
      },
    }),
    defineRoute({
      ...admin,
      path: `${path}/versions/{version}`,
      refusals: { 404: `There is no ${kind} or no version with this id, or no such workspace.` },
      summary: `Read one version of a ${kind}, and in words what differs from the one before, or from another one.`,
      query: VersionQuery,
      reply: { 200: VersionReply },
      async handle(call, request) {
        const workspace_id = await selectedId(call, request)
        const { id, version } = request.params
        const found = await readFlowVersion(call, { workspace_id, kind, id: id! }, version!, request.query)
        const outline = await readOutline(call, { workspace_id, kind, id: id! }, found.version.version, services)
        return { ...found, outline, version: forReader(found.version, request) }
      },
    }),
    defineRoute({
      ...admin,
      path: `${path}/conversions`,
      summary: `Read how many people each variant of a ${kind} converts, with confidence intervals.`,
      query: ConversionsQuery,
      reply: { 200: ConversionsReply },
      handle: async (call, request) =>
        readConversions(
          call,
          { workspace_id: await selectedId(call, request), kind, id: request.params.id! },
          services,
        ),
    }),
  ]
}

/** The author comes from the audit, which not every account may read. */
function forReader(head: VersionHead, { may }: Pick<Request, 'may'>): VersionHead {
  return (may?.('audit.read') ?? true) ? head : { ...head, author: null }
}
