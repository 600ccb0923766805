import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { readRange, type SeriesRange } from '../../workspace/tallies/read-range.ts'
import { email } from '../channels/email/channel.ts'
import type { Graph } from '../flows/flow.ts'
import { getFlowAndGraph } from '../flows/flow-details.ts'
import { flowSubject, sendSubject } from '../flows/flow-tally.ts'
import type { Graphs } from '../flows/graphs.ts'
import { readSendId } from '../orders/read-body.ts'
import { checkSendId } from '../orders/send-id-store.ts'
import { conversionStats, type FlowCounts, messageStats, readFlowCounts } from './flow-counts.ts'
import type { CampaignPoint } from './schema.ts'

export type FlowSeriesServices = { readonly graphs: Graphs; readonly workspaces: Workspaces }

/** Reads what was counted of a campaign, by days (`/campaigns/data_series`). Throws 400. */
export async function readCampaignSeries(
  call: Call,
  query: Query,
  services: FlowSeriesServices,
): Promise<CampaignPoint[]> {
  const range = readSeriesDays(call, query, services)
  const { flow, graph } = await getFlowAndGraph(call, query, 'campaign', services.graphs)
  return campaignPoints(await readFlowCounts(call.db, flowSubject(flow), range), graph, range)
}

/** Reads what was counted of the messages of a campaign with a send id, by days (`/sends/data_series`). Throws 400. */
export async function readSendSeries(call: Call, query: Query, services: FlowSeriesServices): Promise<CampaignPoint[]> {
  const range = readSeriesDays(call, query, services)
  const { flow, graph } = await getFlowAndGraph(call, query, 'campaign', services.graphs)
  const send_id = readSendId(readSingle(query, 'send_id'))
  if (send_id === undefined) throw invalid("'send_id' is required")
  await checkSendId(call.db, call.workspace_id, send_id, flow.flow_id)
  return campaignPoints(await readFlowCounts(call.db, sendSubject(flow, send_id), range), graph, range)
}

function readSeriesDays({ clock, workspace_id }: Call, query: Query, { workspaces }: FlowSeriesServices): SeriesRange {
  return readRange(query, { nowMs: clock.now(), zone: workspaces.get(workspace_id).settings.time_zone })
}

/** Returns each day with the numbers of every variation, also of those that a later version of the campaign has removed. */
function campaignPoints(counts: FlowCounts, graph: Graph, { times }: SeriesRange): CampaignPoint[] {
  const names = new Map(graph.variants.map(({ id, name }) => [id, name]))
  for (const id of counts.ids('variant')) if (!names.has(id)) names.set(id, id)
  const conversions = graph.conversions.length
  const channels = variationChannels(counts, graph, [...names.keys()])
  return times.map((time, position) => {
    const day = counts.at(position)
    return {
      time,
      ...totals(day, conversions),
      messages: Object.fromEntries(
        [...channels].map(([channel, ids]) => [
          channel,
          ids.map((variation_api_id) => {
            const own = day.of({ variant: variation_api_id })
            const stats = { ...messageStats(own, channel), ...totals(own, conversions) }
            return { variation_name: names.get(variation_api_id)!, variation_api_id, ...stats }
          }),
        ]),
      ) as unknown as CampaignPoint['messages'],
    }
  })
}

/** Returns the variations by channel: each under that of its message, and under those in which earlier versions sent it. */
function variationChannels(counts: FlowCounts, { variants, steps }: Graph, ids: readonly string[]) {
  const firsts = new Map(variants.map(({ id, first }) => [id, steps.get(first)]))
  const channels = new Map<string, string[]>([[email.name, []]])
  for (const id of ids) {
    const step = firsts.get(id)
    const now = step?.type === 'message' ? [step.channel] : []
    for (const channel of new Set([...now, ...counts.of({ variant: id }).ids('channel')])) {
      channels.set(channel, [...(channels.get(channel) ?? []), id])
    }
  }
  return channels
}

function totals(counts: FlowCounts, conversions: number) {
  return {
    ...conversionStats(counts, conversions, 'send'),
    unique_recipients: counts.count('unique_recipients'),
    revenue: counts.amount('revenue'),
  }
}
