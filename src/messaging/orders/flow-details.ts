import type { Call } from '../../base/call.ts'
import type { Query } from '../../base/http/route.ts'
import type { Flow, Graph, MessageStep, Step } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { moment } from './flow-list.ts'
import { getFlow } from './flow-order.ts'
import { readFlowId } from './flow-read.ts'
import type { CanvasReply, Step as ShownStep } from './flow-schema.ts'
import { canvasWords, type FlowWords } from './flow-words.ts'

/** One canvas with its variants and steps (contract 10.4). Throws 400. */
export async function describeCanvas(call: Call, query: Query, graphs: Graphs): Promise<CanvasReply> {
  const { flow, graph } = await getDescribed(call, query, canvasWords, graphs)
  const { steps, variants } = graph
  return {
    ...describeFlow(flow, graph),
    first_entry: momentOrNull(flow.first_entry_at),
    last_entry: momentOrNull(flow.last_entry_at),
    variants: variants.map(({ id, name, first }) => ({ name, id, first_step_ids: [first], first_step_id: first })),
    steps: [...steps.values()].map(describeStep),
  }
}

/** The flow that a query names, as whoever enters now gets it. Throws 400. */
export async function getDescribed(call: Call, query: Query, words: FlowWords, graphs: Graphs) {
  const flow = await getFlow(call.db, call, readFlowId(query[words.idName]?.[0], words), words)
  return { flow, graph: await graphs.graphOf(call.db, flow.flow_id, flow.version) }
}

/** What canvases and campaigns show alike. */
export function describeFlow(
  { state, name, description, tags, created_at, updated_at, first_sent_at, last_sent_at }: Flow,
  { entry, steps }: Graph,
) {
  const channels = [...steps.values()].flatMap((step) => (step.type === 'message' ? [step.channel] : []))
  return {
    created_at: moment(created_at),
    updated_at: moment(updated_at),
    name,
    description,
    archived: state === 'archived',
    draft: state === 'draft',
    enabled: state === 'active',
    has_post_launch_draft: false,
    schedule_type: scheduleTypeOf(entry.by),
    channels: [...new Set(channels)],
    tags: [...tags],
    teams: [],
    first_sent: momentOrNull(first_sent_at),
    last_sent: momentOrNull(last_sent_at),
  }
}

function momentOrNull(at: Date | null): string | null {
  return at && moment(at)
}

function scheduleTypeOf(by: Graph['entry']['by']) {
  if (by.has('api')) return 'api_triggered' as const
  return by.has('event') ? ('action_based' as const) : ('time_based' as const)
}

function describeStep(step: Step): ShownStep {
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

type Way = { readonly name: string; readonly next: string | undefined }

/** Where a step leads, each way by its name. */
function pathsOf(step: Step): Way[] {
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

/** A message as it was defined. */
export function describeMessage({ name, channel, email }: MessageStep) {
  const { subject, body, from, reply_to, preheader, email_template_id } = email
  return {
    channel,
    name,
    ...(subject !== undefined && { subject }),
    ...(body !== undefined && { body }),
    from,
    ...(reply_to !== undefined && { reply_to }),
    ...(preheader !== undefined && { preheader }),
    ...(email_template_id !== undefined && { email_template_id }),
  }
}
