import type { Call } from '../../base/call.ts'
import { parseQueryTime } from '../../base/dates.ts'
import { invalid } from '../../base/errors.ts'
import { readBoolean, readDirection, readSingle, readWhole } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { listFlows } from './find-flows.ts'
import type { Flow, FlowKind } from './flow.ts'
import { formatTime } from './format-time.ts'
import { type Graphs, graphKey } from './graphs.ts'
import { flowsPerPage } from './public-schema.ts'

/** Returns a page of the canvases (contract 10.4). Throws 400. */
export async function listCanvases(call: Call, query: Query) {
  const page = await findPage(call, 'canvas', query)
  return {
    canvases: page.map(({ id, name, tags, updated_at }) => ({ id, name, tags, last_edited: formatTime(updated_at) })),
  }
}

/** Returns a page of the campaigns (contract 10.4). Throws 400. */
export async function listCampaigns(call: Call, query: Query, graphs: Graphs) {
  const page = await findPage(call, 'campaign', query)
  const graphOf = await graphs.getAll(call.db, page)
  return {
    campaigns: page.map((campaign) => {
      const { id, name, tags, updated_at } = campaign
      const is_api_campaign = graphOf.get(graphKey(campaign))!.entry.by.has('api')
      return { id, last_edited: formatTime(updated_at), name, is_api_campaign, tags }
    }),
  }
}

/** Returns a page of the flows of a kind, the oldest first unless `sort_direction` is `desc`. */
async function findPage({ db, workspace_id }: Call, kind: FlowKind, query: Query): Promise<Flow[]> {
  const direction = readDirection(query, 'asc')
  const from = readWhole(query, 'page', 0) * flowsPerPage
  const withArchived = readBoolean(query, 'include_archived')
  const afterMs = readEditedAfter(query)
  const all = await listFlows(db, workspace_id, kind)
  const chosen = all.filter(({ state, updated_at }) => {
    return (withArchived || state !== 'archived') && updated_at.getTime() > afterMs
  })
  return (direction === 'asc' ? chosen : chosen.reverse()).slice(from, from + flowsPerPage)
}

function readEditedAfter(query: Query): number {
  const name = 'last_edit.time[gt]'
  const text = readSingle(query, name)
  if (!text) return Number.NEGATIVE_INFINITY
  const ms = parseQueryTime(text)
  if (ms === undefined) throw invalid(`'${name}' is not valid`)
  return ms
}
