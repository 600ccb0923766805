import type { Flow, Graph, Trigger } from '../flows/flow.ts'
import type { ExplainedEntryRow } from './flow-explanation-store.ts'
import type { Wait } from './message-wait.ts'

/** Returns what an open entry waits for. Pure. */
export function entryWait(
  { state, held, step, due_at }: Pick<ExplainedEntryRow, 'state' | 'held' | 'step' | 'due_at'>,
  { kind }: Pick<Flow, 'kind'>,
  { steps }: Graph,
  nowMs: number,
): Wait {
  const until = due_at?.toISOString() ?? null
  if (held) return { waits_for: `the ${kind} to be resumed`, until: null }
  const at = steps.get(step)
  if (state === 'sending') {
    return { waits_for: at?.type === 'webhook' ? 'the answer of the webhook' : 'its message to end', until: null }
  }
  if (due_at && due_at.getTime() <= nowMs) return { waits_for: 'its turn', until: null }
  if (state === 'listening') {
    const paths = at?.type === 'action_paths' ? at.paths.map(({ on }) => describeTrigger(on)) : []
    return { waits_for: paths.length === 0 ? 'something to happen' : paths.join(' or '), until }
  }
  if (state === 'arriving') return { waits_for: 'the time of its first step', until }
  return { waits_for: at?.type === 'message' ? 'its turn' : 'the end of its delay', until }
}

/** Describes a trigger, such as `event "order_placed"` or `any purchase`. */
export function describeTrigger({ kind, name, tests }: Trigger): string {
  const what = name === undefined ? `any ${kind}` : `${kind} ${JSON.stringify(name)}`
  return tests.length === 0 ? what : `${what} with the required properties`
}
