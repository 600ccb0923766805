import type { Entry, EntryPosition } from '../../src/messaging/entries/entry.ts'
import type { Graph } from '../../src/messaging/flows/flow.ts'

/** The step and the visit of a message that has ended. */
export type EndedMessage = { readonly step: string; readonly visit: number }

/**
 * What the end of a message does to an entry, as a model of the statement that does it (`entries/message-end-store.ts`);
 * `test/storage/entry-twins.test.ts` compares the two. Returns the entry itself when it does not wait for this message.
 */
export function afterMessage(graph: Graph, entry: Entry, message: EndedMessage, nowMs: number): EntryPosition {
  const { state, step, visit, visits } = entry
  if (state !== 'sending' || step !== message.step || visit !== message.visit) return entry
  const found = graph.steps.get(step)
  if (found?.type !== 'message') throw new Error(`${step} is not a message step`)
  if (found.next === undefined) return { state: 'ended', ended: 'completed', step, visit, visits, dueMs: undefined }
  return { state: 'waiting', step, visit, visits, dueMs: nowMs }
}
