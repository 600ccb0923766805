import type { Entry, EntryPosition } from '../../src/messaging/entries/entry.ts'
import type { Graph } from '../../src/messaging/flows/flow.ts'

/** The step and the visit that a completed message belongs to. */
export type EndedMessage = { readonly step: string; readonly visit: number }

/**
 * Applies the outcome of a message to an entry: a model of the statement that does it (`entries/message-end-store.ts`).
 * `test/storage/entry-twins.test.ts` compares the two. Returns the entry unchanged when it does not wait for this message.
 */
export function afterMessage(graph: Graph, entry: Entry, message: EndedMessage, nowMs: number): EntryPosition {
  const { state, step, visit, visits } = entry
  if (state !== 'sending' || step !== message.step || visit !== message.visit) return entry
  const found = graph.steps.get(step)
  if (found?.type !== 'message' && found?.type !== 'webhook') throw new Error(`${step} sends no message`)
  if (found.next === undefined) return { state: 'ended', ended: 'completed', step, visit, visits, dueMs: undefined }
  return { state: 'waiting', step, visit, visits, dueMs: nowMs }
}
