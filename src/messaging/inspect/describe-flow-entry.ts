import type { Flow, Graph } from '../flows/flow.ts'
import { describeEntry } from '../timeline/list-entries.ts'
import type { FlowEntryRow } from './entry-list-store.ts'
import type { FlowEntry } from './schema.ts'

export type FlowEntryServices = { formatServiceId(profile_id: string): string }

/** Returns an entry as answers have it: who it is, where they stand and what they wait for, or how it ended. Pure. */
export function describeFlowEntry(
  row: FlowEntryRow,
  flow: Flow,
  graphs: ReadonlyMap<string, Graph>,
  nowMs: number,
  { formatServiceId }: FlowEntryServices,
): FlowEntry {
  const { flow: _, ...entry } = describeEntry(row, flow, graphs, nowMs)
  const { profile_id, external_id, first_name, last_name, email, state, held, variant, ended, last } = row
  const isThere = last !== null && last[0] === row.step && state !== 'ended'
  return {
    ...entry,
    ...{ state, held, variant, reason: ended },
    person: { id: formatServiceId(profile_id), external_id, first_name, last_name, email },
    arrived_at: isThere ? new Date(last[1]).toISOString() : null,
  }
}
