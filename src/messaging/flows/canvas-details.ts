import type { Call } from '../../base/call.ts'
import type { Query } from '../../base/http/route.ts'
import type { Step } from './flow.ts'
import { describeFlow, describeMessage, getFlowAndGraph } from './flow-details.ts'
import { formatTimeOrNull } from './format-time.ts'
import type { Graphs } from './graphs.ts'
import type { CanvasDetails, CanvasStep } from './public-schema.ts'

/** Returns one canvas with its variants and steps (contract 10.4). Throws 400. */
export async function describeCanvas(call: Call, query: Query, graphs: Graphs): Promise<CanvasDetails> {
  const { flow, graph } = await getFlowAndGraph(call, query, 'canvas', graphs)
  const { steps, variants } = graph
  return {
    ...(await describeFlow(call.db, flow, graph)),
    first_entry: formatTimeOrNull(flow.first_entry_at),
    last_entry: formatTimeOrNull(flow.last_entry_at),
    variants: variants.map(({ id, name, first }) => ({ name, id, first_step_ids: [first], first_step_id: first })),
    steps: [...steps.values()].map(describeStep),
  }
}

function describeStep(step: Step): CanvasStep {
  const next_paths = pathsOf(step).map(({ name, next }) => ({ name, next_step_id: next ?? null }))
  const next = next_paths.flatMap(({ next_step_id }) => next_step_id ?? [])
  return {
    name: step.name,
    type: step.type,
    id: step.id,
    next_step_ids: [...new Set(next)],
    next_paths,
    channels: step.type === 'message' ? [step.channel] : [],
    messages: step.type === 'message' ? { [step.id]: describeMessage(step) } : {},
  }
}

/** Returns the paths out of a step, with their names in the answer. */
function pathsOf(step: Step): { readonly name: string; readonly next: string | undefined }[] {
  switch (step.type) {
    case 'decision':
      return [
        { name: 'Yes', next: step.yes },
        { name: 'No', next: step.no },
      ]
    case 'paths':
    case 'action_paths':
      return [...step.paths, { name: 'Everyone else', next: step.otherwise }]
    case 'experiment':
      return [...step.paths]
    default:
      return step.next === undefined ? [] : [{ name: 'Next', next: step.next }]
  }
}
