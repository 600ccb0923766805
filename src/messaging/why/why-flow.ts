import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { uuidToHex } from '../../base/ids.ts'
import type { Person } from '../../people/identity/person.ts'
import type { ReceivedRow } from '../../people/received/received.ts'
import { listReceived } from '../../people/received/received-store.ts'
import { notValid } from '../../people/values/refusals.ts'
import { findFlow } from '../flows/find-flows.ts'
import type { Flow, Graph } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { type Reason, reasons } from '../ledger/reasons.ts'
import {
  entriesMax,
  neverMax,
  oneFlowOnly,
  type WhyEntry,
  type WhyFlow,
  type WhyNever,
  type WhyReceived,
} from './entered-schema.ts'
import { type EntryRow, listEntries } from './entered-store.ts'
import { entryWaits } from './entry-waits.ts'
import { type NeverParts, whyNever } from './why-never.ts'

/** What is told of people and a flow besides decisions. */
export type FlowTold = {
  readonly entries: WhyEntry[]
  readonly received: WhyReceived[]
  readonly never_entered: WhyNever[]
}

/** The canvas or campaign of a query; undefined when it names none. Throws 400 for one that is not there. */
export async function readFlow({ db }: Call, query: Query, workspace_id: number): Promise<Flow | undefined> {
  const [canvas_id, campaign_id] = [readNonEmpty(query, 'canvas_id'), readNonEmpty(query, 'campaign_id')]
  if (canvas_id !== undefined && campaign_id !== undefined) throw invalid(oneFlowOnly)
  const id = canvas_id ?? campaign_id
  if (id === undefined) return undefined
  const kind = canvas_id === undefined ? 'campaign' : 'canvas'
  const flow = await findFlow(db, workspace_id, kind, id)
  if (!flow) throw invalid(notValid(`${kind}_id`))
  return flow
}

export function shownFlow({ kind, id, name, state, version }: Flow): WhyFlow {
  return { kind, id, name, state, version }
}

/** Entries, what was received, and why somebody never entered; of one order where `dispatch_id` names it. */
export async function tellFlow(
  flow: Flow,
  people: readonly Person[],
  dispatch_id: string | undefined,
  parts: NeverParts,
): Promise<FlowTold> {
  const { db, formatServiceId } = parts
  const [rows, received] = await Promise.all([
    listEntries(db, people, flow.flow_id, dispatch_id, entriesMax),
    listReceived(db, people, [flow.flow_id]),
  ])
  const versions = await graphsOf(flow, rows, parts)
  const current = versions.get(flow.version)!
  const ofPerson = new Map(received.map((row) => [row.profile_id, row]))
  // Whoever waits for their hour is neither.
  const open = new Set(rows.flatMap(({ profile_id, state }) => (state === 'ended' ? [] : [profile_id])))
  const never = people
    .filter(({ profile_id }) => !ofPerson.get(profile_id)?.entries && !open.has(profile_id))
    .slice(0, neverMax)
  const told: WhyNever[] = []
  for (const who of never) {
    const refusals = rows.filter(({ profile_id }) => profile_id === who.profile_id)
    const why = await whyNever({ flow, graph: current, row: ofPerson.get(who.profile_id), refusals }, who, parts)
    if (why) told.push(why)
  }
  return {
    entries: rows.map((row) => shownEntry(row, flow, versions.get(row.version)!, parts)),
    received: received.filter(({ entries }) => entries > 0).map((row) => shownReceived(row, formatServiceId)),
    never_entered: told,
  }
}

async function graphsOf(
  flow: Flow,
  rows: readonly EntryRow[],
  { db, graphs }: { db: NeverParts['db']; graphs: Graphs },
): Promise<Map<number, Graph>> {
  const found = new Map<number, Graph>()
  for (const version of new Set([flow.version, ...rows.map((row) => row.version)])) {
    found.set(version, await graphs.get(db, flow.flow_id, version))
  }
  return found
}

function shownEntry(row: EntryRow, flow: Flow, graph: Graph, { formatServiceId, nowMs }: NeverParts): WhyEntry {
  const { entry_id, version, state, ended, variant, in_control, visit, timing, dispatch_id } = row
  const step = graph.steps.get(row.step)
  const waits = state === 'ended' ? { waits_for: null, until: null } : entryWaits(row, flow, graph, nowMs)
  return {
    ...{ entry_id, person: formatServiceId(row.profile_id), version, state, ended, because: endedWords(ended) },
    ...{ variant, variant_name: graph.variants.find(({ id }) => id === variant)?.name ?? null, in_control },
    ...{
      step: row.step || null,
      step_name: step?.name ?? null,
      step_type: step?.type ?? null,
      visit,
      ...waits,
      timing: shownTiming(timing),
    },
    entered_at: row.entered_at.toISOString(),
    ended_at: isoOrNull(row.ended_at),
    dispatch_id: dispatch_id === null ? null : uuidToHex(dispatch_id),
  }
}

function shownTiming(timing: EntryRow['timing']): WhyEntry['timing'] {
  return timing && { hour: timing.hour, due_at: new Date(timing.dueMs).toISOString(), source: timing.source }
}

function endedWords(ended: EntryRow['ended']): string | null {
  if (ended === null) return null
  return ended === 'completed' ? 'there was no next step' : reasons[ended satisfies Reason]
}

function shownReceived(row: ReceivedRow, formatServiceId: (profile_id: string) => string): WhyReceived {
  return {
    person: formatServiceId(row.profile_id),
    entries: row.entries,
    last_entered_at: isoOrNull(row.last_entered_at),
    last_exited_at: isoOrNull(row.last_exited_at),
    last_received_at: isoOrNull(row.last_received_at),
    ...{ variant: row.variant, in_control: row.in_control },
    opened_at: isoOrNull(row.opened_at),
    clicked_at: isoOrNull(row.clicked_at),
    converted: row.converted,
  }
}

function isoOrNull(at: Date | null): string | null {
  return at?.toISOString() ?? null
}
