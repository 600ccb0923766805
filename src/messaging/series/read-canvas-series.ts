import type { Call } from '../../base/call.ts'
import { readBoolean } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { readDays, type SeriesRange } from '../../workspace/tallies/read-range.ts'
import { type Graph, type Step, sentBy } from '../flows/flow.ts'
import { getFlowAndGraph } from '../flows/flow-details.ts'
import { flowSubject } from '../flows/flow-tally.ts'
import { conversionStats, type FlowCounts, messageStats, readFlowCounts } from './flow-counts.ts'
import type { FlowSeriesServices } from './read-campaign-series.ts'
import { type CanvasSeries, type CanvasStats, type CanvasSummary, canvasDaysMax, type StepMessages } from './schema.ts'

/** What the answer includes beside the totals. */
type Breakdown = { readonly variants: boolean; readonly steps: boolean; readonly deletedSteps: boolean }

type CanvasCounts = {
  readonly name: string
  readonly graph: Graph
  readonly range: SeriesRange
  readonly counts: FlowCounts
  readonly breakdown: Breakdown
}

/** Reads what was counted of a canvas, by days (`/canvas/data_series`). Throws 400. */
export async function readCanvasSeries(call: Call, query: Query, services: FlowSeriesServices): Promise<CanvasSeries> {
  const { name, range, counts, ...canvas } = await readCanvas(call, query, services)
  const stats = range.times.map((time, i) => ({ time, ...canvasStats({ ...canvas, counts: counts.at(i) }, counts) }))
  return { name, stats }
}

/** Reads what was counted of a canvas on several days together (`/canvas/data_summary`). Throws 400. */
export async function readCanvasSummary(
  call: Call,
  query: Query,
  services: FlowSeriesServices,
): Promise<CanvasSummary> {
  const { name, counts, ...canvas } = await readCanvas(call, query, services)
  return { name, ...canvasStats({ ...canvas, counts }, counts) }
}

async function readCanvas(call: Call, query: Query, { graphs, workspaces }: FlowSeriesServices): Promise<CanvasCounts> {
  const zone = workspaces.get(call.workspace_id).settings.time_zone
  const range = readDays(query, { nowMs: call.clock.now(), zone, pointsMax: canvasDaysMax })
  const breakdown = {
    variants: readBoolean(query, 'include_variant_breakdown'),
    steps: readBoolean(query, 'include_step_breakdown'),
    deletedSteps: readBoolean(query, 'include_deleted_step_data'),
  }
  const { flow, graph } = await getFlowAndGraph(call, query, 'canvas', graphs)
  return { name: flow.name, graph, range, breakdown, counts: await readFlowCounts(call.db, flowSubject(flow), range) }
}

/** Returns the numbers of a span of time. `all` has those of the whole range, so that every day names the same variants and steps. */
function canvasStats(
  { graph, counts, breakdown }: Pick<CanvasCounts, 'graph' | 'counts' | 'breakdown'>,
  all: FlowCounts,
): CanvasStats {
  const conversions = graph.conversions.length
  const variants = new Map(graph.variants.map(({ id, name }) => [id, name]))
  for (const id of all.ids('variant')) if (!variants.has(id)) variants.set(id, id)
  const steps = new Map(
    [...graph.steps.values()].flatMap((step) => (sentBy(step) ? [[step.id, step.name] as const] : [])),
  )
  if (breakdown.deletedSteps) for (const id of all.ids('step')) if (!graph.steps.has(id)) steps.set(id, id)
  return {
    total_stats: entryStats(counts, conversions),
    ...(breakdown.variants && {
      variant_stats: Object.fromEntries(
        [...variants].map(([id, name]) => [id, { name, ...entryStats(counts.of({ variant: id }), conversions) }]),
      ),
    }),
    ...(breakdown.steps && {
      step_stats: Object.fromEntries(
        [...steps].map(([id, name]) => {
          const own = counts.of({ step: id })
          const messages = stepMessages(graph.steps.get(id), own, all.of({ step: id }))
          return [id, { name, ...outcomeStats(own, conversions), messages }]
        }),
      ),
    }),
  }
}

/** Returns the numbers of a step by channel: that of its message, and those in which earlier versions sent it. */
function stepMessages(step: Step | undefined, own: FlowCounts, all: FlowCounts): StepMessages {
  const sends = sentBy(step)
  const channels = new Set([...(sends ? [sends.channel] : []), ...all.ids('channel')])
  const stats = [...channels].map((channel) => [channel, [messageStats(own, channel)]] as const)
  return { email: [], ...Object.fromEntries(stats) } as unknown as StepMessages
}

function outcomeStats(counts: FlowCounts, conversions: number) {
  return { revenue: counts.amount('revenue'), ...conversionStats(counts, conversions, 'entry') }
}

function entryStats(counts: FlowCounts, conversions: number) {
  return { ...outcomeStats(counts, conversions), entries: counts.count('entries') }
}
