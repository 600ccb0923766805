import type { Flow, Graph, Trigger } from '../flows/flow.ts'
import type { EntryRow } from './entered-store.ts'
import type { Waits } from './why-waits.ts'

/** What an open entry waits for, and until when as far as that is known. Pure. */
export function entryWaits(
  { state, held, step, due_at }: Pick<EntryRow, 'state' | 'held' | 'step' | 'due_at'>,
  { kind }: Pick<Flow, 'kind'>,
  { steps }: Graph,
  nowMs: number,
): Waits {
  const until = due_at?.toISOString() ?? null
  if (held) return { waits_for: `somebody who resumes the ${kind}`, until: null }
  if (state === 'sending') return { waits_for: 'its message to end', until: null }
  if (state === 'calling') return { waits_for: 'the answer of the webhook', until: null }
  if (due_at && due_at.getTime() <= nowMs) return { waits_for: 'its turn', until: null }
  const at = steps.get(step)
  if (state === 'listening') {
    const paths = at?.type === 'action_paths' ? at.paths.map(({ on }) => triggerWords(on)) : []
    return { waits_for: paths.length === 0 ? 'something to happen' : paths.join(' or '), until }
  }
  if (state === 'arriving') return { waits_for: 'the time at which its step is to be run', until }
  return { waits_for: at?.type === 'message' ? 'its turn' : 'the end of its delay', until }
}

/** `event "order_placed"`, `any purchase`. */
export function triggerWords({ kind, name, tests }: Trigger): string {
  const what = name === undefined ? `any ${kind}` : `${kind} ${JSON.stringify(name)}`
  return tests.length === 0 ? what : `${what} with the properties that are asked for`
}
