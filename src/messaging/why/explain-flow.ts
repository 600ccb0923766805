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
import { entryWait } from './entry-wait.ts'
import { type ExplainServices, explainNeverEntered } from './explain-never-entered.ts'
import {
  entriesMax,
  neverMax,
  oneFlowOnly,
  type WhyEntry,
  type WhyFlow,
  type WhyNever,
  type WhyReceived,
} from './flow-explanation-schema.ts'
import { type ExplainedEntryRow, listExplainedEntries } from './flow-explanation-store.ts'
import { entrySentence } from './sentences.ts'

/** What an answer has about people and a flow in addition to decisions. */
export type FlowExplanation = {
  readonly entries: WhyEntry[]
  readonly received: WhyReceived[]
  readonly never_entered: WhyNever[]
}

/** Finds the canvas or campaign of a query, undefined when it names none. Throws 400 for an unknown one. */
export async function findQueriedFlow({ db }: Call, query: Query, workspace_id: number): Promise<Flow | undefined> {
  const [canvas_id, campaign_id] = [readNonEmpty(query, 'canvas_id'), readNonEmpty(query, 'campaign_id')]
  if (canvas_id !== undefined && campaign_id !== undefined) throw invalid(oneFlowOnly)
  const id = canvas_id ?? campaign_id
  if (id === undefined) return undefined
  const kind = canvas_id === undefined ? 'campaign' : 'canvas'
  const flow = await findFlow(db, workspace_id, kind, id)
  if (!flow) throw invalid(notValid(`${kind}_id`))
  return flow
}

export function toWhyFlow({ kind, id, name, state, version }: Flow): WhyFlow {
  return { kind, id, name, state, version }
}

/** Explains entries, what people received, and why people never entered. With `dispatch_id` only for one order. */
export async function explainFlow(
  flow: Flow,
  people: readonly Person[],
  dispatch_id: string | undefined,
  services: ExplainServices,
): Promise<FlowExplanation> {
  const { db, formatServiceId } = services
  const [rows, received] = await Promise.all([
    listExplainedEntries(db, people, flow.flow_id, dispatch_id, entriesMax),
    listReceived(db, people, [flow.flow_id]),
  ])
  const versions = await loadGraphs(flow, rows, services)
  const current = versions.get(flow.version)!
  const receivedOf = new Map(received.map((row) => [row.profile_id, row]))
  // A person whose entry has not begun has neither entered nor been refused.
  const open = new Set(rows.flatMap(({ profile_id, state }) => (state === 'ended' ? [] : [profile_id])))
  const neverEntered = people
    .filter(({ profile_id }) => !receivedOf.get(profile_id)?.entries && !open.has(profile_id))
    .slice(0, neverMax)
  const never_entered: WhyNever[] = []
  for (const person of neverEntered) {
    const refusals = rows.filter(({ profile_id }) => profile_id === person.profile_id)
    const why = await explainNeverEntered(
      { flow, graph: current, received: receivedOf.get(person.profile_id), refusals },
      person,
      services,
    )
    if (why) never_entered.push(why)
  }
  return {
    entries: rows.map((row) => describeEntry(row, flow, versions.get(row.version)!, services)),
    received: received.filter(({ entries }) => entries > 0).map((row) => describeReceived(row, formatServiceId)),
    never_entered,
  }
}

async function loadGraphs(
  flow: Flow,
  rows: readonly ExplainedEntryRow[],
  { db, graphs }: { db: ExplainServices['db']; graphs: Graphs },
): Promise<Map<number, Graph>> {
  const found = new Map<number, Graph>()
  for (const version of new Set([flow.version, ...rows.map((row) => row.version)])) {
    found.set(version, await graphs.get(db, flow.flow_id, version))
  }
  return found
}

function describeEntry(
  row: ExplainedEntryRow,
  flow: Flow,
  graph: Graph,
  { formatServiceId, nowMs }: ExplainServices,
): WhyEntry {
  const { entry_id, version, state, ended, variant, in_control, visit, timing, dispatch_id } = row
  const step = graph.steps.get(row.step)
  const wait = state === 'ended' ? { waits_for: null, until: null } : entryWait(row, flow, graph, nowMs)
  return {
    ...{ entry_id, person: formatServiceId(row.profile_id), version, state, ended, because: describeEnd(ended) },
    sentence: entrySentence({
      ...{ flow, ended, because: describeEnd(ended), waitsFor: wait.waits_for, step: step?.name ?? null },
      neverBegan: visit === 0,
    }),
    ...{ variant, variant_name: graph.variants.find(({ id }) => id === variant)?.name ?? null, in_control },
    ...{
      step: row.step || null,
      step_name: step?.name ?? null,
      step_type: step?.type ?? null,
      visit,
      ...wait,
      timing: describeTiming(timing),
    },
    entered_at: row.entered_at.toISOString(),
    ended_at: isoOrNull(row.ended_at),
    dispatch_id: dispatch_id === null ? null : uuidToHex(dispatch_id),
  }
}

function describeTiming(timing: ExplainedEntryRow['timing']): WhyEntry['timing'] {
  return timing && { hour: timing.hour, due_at: new Date(timing.dueMs).toISOString(), source: timing.source }
}

export function describeEnd(ended: ExplainedEntryRow['ended']): string | null {
  if (ended === null) return null
  return ended === 'completed' ? 'there was no next step' : reasons[ended satisfies Reason]
}

function describeReceived(row: ReceivedRow, formatServiceId: (profile_id: string) => string): WhyReceived {
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
