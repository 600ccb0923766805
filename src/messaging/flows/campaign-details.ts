import type { Call } from '../../base/call.ts'
import type { Query } from '../../base/http/route.ts'
import type { Conversion, Graph } from './flow.ts'
import { describeFlow, describeMessage, getFlowAndGraph } from './flow-details.ts'
import type { Graphs } from './graphs.ts'
import type { CampaignDetails, ConversionBehavior } from './public-schema.ts'

/** Returns one campaign with its messages (contract 10.4). Throws 400. */
export async function describeCampaign(call: Call, query: Query, graphs: Graphs): Promise<CampaignDetails> {
  const { flow, graph } = await getFlowAndGraph(call, query, 'campaign', graphs)
  return {
    ...(await describeFlow(call.db, flow, graph)),
    messages: describeMessages(graph),
    conversion_behaviors: graph.conversions.map(describeConversion),
  }
}

function describeMessages({ variants, steps }: Graph): CampaignDetails['messages'] {
  return Object.fromEntries(
    variants.flatMap(({ id, name, first }) => {
      const step = steps.get(first)
      return step?.type === 'message' ? [[id, { ...describeMessage(step), name }] as const] : []
    }),
  )
}

function describeConversion({ on, withinMs }: Conversion): ConversionBehavior {
  const window = Math.floor(withinMs / 1000)
  if (on.kind === 'engagement') return { type: on.name === 'opened' ? 'Opens Email' : 'Clicks Email', window }
  if (on.kind === 'event') return { type: 'Performs Custom Event', window, custom_event_name: on.name ?? '' }
  if (on.name === undefined) return { type: 'Makes Purchase', window }
  return { type: 'Makes Specific Purchase', window, product: on.name }
}
