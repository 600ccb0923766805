import type { Call } from '../../base/call.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { findPathPerson } from '../../people/search/find-path-person.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow, Graph } from '../flows/flow.ts'
import { type Graphs, graphKey } from '../flows/graphs.ts'
import { familyOf } from '../ledger/families.ts'
import { entryWait } from '../why/entry-wait.ts'
import { describeEnd } from '../why/explain-flow.ts'
import { entrySentence } from '../why/sentences.ts'
import { linkOf } from './items.ts'
import { findLastMail, listEntriesOfPerson, type PersonEntryRow } from './messages-store.ts'
import { type PersonEntriesReply, type PersonEntry, personEntriesMax } from './schema.ts'
import { standingSentence } from './standing.ts'

export type PersonEntriesServices = { readonly graphs: Graphs; parseServiceId(text: string): string | undefined }

/** Lists the entries of a person: open ones first, then the newest. Refused ones are decisions, not entries. Throws 404. */
export async function listPersonEntries(
  { db, clock }: Call,
  workspace_id: number,
  id: string,
  services: PersonEntriesServices,
): Promise<PersonEntriesReply> {
  const { rows, flows, graphs, lastMailMs } = await db.transaction(
    async (tx) => {
      const { found } = await findPathPerson(tx, workspace_id, id, services)
      const rows = await listEntriesOfPerson(tx, found, personEntriesMax + 1)
      const flows = await flowsById(
        tx,
        rows.map(({ flow_id }) => flow_id),
      )
      const lastMailMs = await findLastMail(tx, found)
      return { rows, flows, lastMailMs, graphs: (await services.graphs.getReadable(tx, rows)).found }
    },
    { settings: readOnlySnapshot },
  )
  const nowMs = clock.now()
  const entries = rows.slice(0, personEntriesMax).flatMap((row) => {
    const flow = flows.get(row.flow_id)
    return flow ? [describeEntry(row, flow, graphs, nowMs)] : []
  })
  const open = entries.flatMap(({ is_open, flow }) => (is_open ? [flow.kind] : []))
  const hasMore = rows.length > personEntriesMax
  // Open entries come first.
  const isCut = hasMore && open.length === entries.length
  const sentence = standingSentence({ open, hasMore: isCut, lastMailMs, nowMs })
  return { sentence, entries, has_more: hasMore }
}

type FoundGraphs = ReadonlyMap<string, Graph>

/** Returns an entry as answers have it. Pure. */
export function describeEntry(row: PersonEntryRow, flow: Flow, graphs: FoundGraphs, nowMs: number): PersonEntry {
  const { entry_id, version, state, ended, variant, entered_at, ended_at, visit } = row
  const graph = graphs.get(graphKey(row))
  const step = graph?.steps.get(row.step)
  const isOpen = state !== 'ended'
  const wait = isOpen && graph ? entryWait(row, flow, graph, nowMs) : { waits_for: null, until: null }
  return {
    ...{ entry_id, flow: linkOf(flow)!, version, is_open: isOpen },
    family: isOpen ? 'waiting' : ended === null || ended === 'completed' ? null : familyOf(ended),
    sentence: entrySentence({
      ...{ flow, ended, because: describeEnd(ended), waitsFor: wait.waits_for },
      ...{ step: step?.name ?? (row.step || null), neverBegan: visit === 0 },
    }),
    step: row.step || null,
    step_name: step?.name ?? null,
    variant_name: graph?.variants.find((each) => each.id === variant)?.name ?? null,
    ...wait,
    entered_at: entered_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
  }
}
