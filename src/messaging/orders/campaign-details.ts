import type { Call } from '../../base/call.ts'
import type { Query } from '../../base/http/route.ts'
import type { Conversion, Graph } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import type { Behavior, CampaignReply } from './campaign-schema.ts'
import { describeFlow, describeMessage, getDescribed } from './flow-details.ts'
import { campaignWords } from './flow-words.ts'

/** One campaign with its messages (contract 10.4). Throws 400. */
export async function describeCampaign(call: Call, query: Query, graphs: Graphs): Promise<CampaignReply> {
  const { flow, graph } = await getDescribed(call, query, campaignWords, graphs)
  return {
    ...describeFlow(flow, graph),
    messages: messagesOf(graph),
    conversion_behaviors: graph.conversions.map(describeConversion),
  }
}

function messagesOf({ variants, steps }: Graph) {
  return Object.fromEntries(
    variants.flatMap(({ id, name, first }) => {
      const step = steps.get(first)
      return step?.type === 'message' ? [[id, { ...describeMessage(step), name }] as const] : []
    }),
  )
}

function describeConversion({ on, withinMs }: Conversion): Behavior {
  const window = Math.floor(withinMs / 1000)
  if (on.kind === 'engagement') return { type: on.name === 'opened' ? 'Opens Email' : 'Clicks Email', window }
  if (on.kind === 'event') return { type: 'Performs Custom Event', window, custom_event_name: on.name ?? '' }
  if (on.name === undefined) return { type: 'Makes Purchase', window }
  return { type: 'Makes Specific Purchase', window, product: on.name }
}
