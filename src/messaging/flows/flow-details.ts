import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { channelOf } from '../channels/channels.ts'
import { getFlow, readFlowId } from './find-flows.ts'
import type { Flow, FlowKind, Graph, MessageStep } from './flow.ts'
import { hasDraft } from './flow-store.ts'
import { formatTime, formatTimeOrNull } from './format-time.ts'
import type { Graphs } from './graphs.ts'

/** Returns the flow that the query names, with the graph of its current version. Throws 400. */
export async function getFlowAndGraph(
  { db, workspace_id }: Call,
  query: Query,
  kind: FlowKind,
  graphs: Graphs,
): Promise<{ flow: Flow; graph: Graph }> {
  const flow = await getFlow(db, workspace_id, kind, readFlowId(readSingle(query, `${kind}_id`), kind))
  return { flow, graph: await graphs.get(db, flow.flow_id, flow.version) }
}

/** Returns the members that the details of canvases and campaigns have in common. */
export async function describeFlow(tx: Tx, flow: Flow, { entry, steps }: Graph) {
  const { state, name, description, tags, created_at, updated_at, first_sent_at, last_sent_at } = flow
  const channels = [...steps.values()].flatMap((step) => (step.type === 'message' ? [step.channel] : []))
  return {
    created_at: formatTime(created_at),
    updated_at: formatTime(updated_at),
    name,
    description,
    archived: state === 'archived',
    draft: state === 'draft',
    enabled: state === 'active',
    has_post_launch_draft: state !== 'draft' && (await hasDraft(tx, flow)),
    schedule_type: scheduleTypeOf(entry.by),
    channels: [...new Set(channels)],
    tags: [...tags],
    teams: [],
    first_sent: formatTimeOrNull(first_sent_at),
    last_sent: formatTimeOrNull(last_sent_at),
  }
}

function scheduleTypeOf(by: Graph['entry']['by']) {
  if (by.has('api')) return 'api_triggered' as const
  return by.has('event') ? ('action_based' as const) : ('time_based' as const)
}

/** Returns a message as its flow defines it. */
export function describeMessage({ name, channel, content }: MessageStep) {
  return { channel, name, ...channelOf(channel).content.details(content) }
}
