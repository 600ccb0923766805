import type { Tx } from '../../base/db/db.ts'
import { flowsById } from './find-flows.ts'
import type { FlowDefinition, FlowKind, FlowState } from './flow.ts'
import { countOpenEntries } from './flow-store.ts'
import { Graphs, graphFrom, graphKey, storedContext } from './graphs.ts'
import { computeImpact } from './impact.ts'

/** Steps that are listed with their people. The people of further steps are added up. */
const listedMax = 10

type ChangedFlow = {
  readonly id: string
  readonly flow_id?: number
  readonly version: number
  readonly state: FlowState
  readonly definition: FlowDefinition
}

/** Returns notes about the people in flows that get a new version or are stopped, by the id of the flow. */
export async function describeImpact(
  tx: Tx,
  kind: FlowKind,
  entries: readonly ChangedFlow[],
): Promise<Map<string, string[]>> {
  const notes = new Map<string, string[]>()
  const stored = await flowsById(
    tx,
    entries.flatMap(({ flow_id }) => flow_id ?? []),
  )
  for (const { id, flow_id, version, state, definition } of entries) {
    const before = flow_id === undefined ? undefined : stored.get(flow_id)
    if (flow_id === undefined || before === undefined) continue
    const isStopped = state === 'archived' && before.state !== 'archived'
    // A change of the name alone makes no new version.
    if (before.version === version && !isStopped) continue
    const counts = await countOpenEntries(tx, flow_id)
    if (counts.length === 0) continue
    if (isStopped) {
      const open = counts.reduce((sum, { people }) => sum + people, 0)
      notes.set(id, [open === 1 ? '1 person is in it and leaves it' : `${open} people are in it and leave it`])
      continue
    }
    const versions = [...new Set(counts.map((count) => count.version))]
    const read = await new Graphs().getAll(
      tx,
      versions.map((number) => ({ flow_id, version: number })),
    )
    const graphs = new Map(versions.map((number) => [number, read.get(graphKey({ flow_id, version: number }))!]))
    const next = graphFrom({ id, kind, definition }, storedContext)
    notes.set(id, toNotes(version, computeImpact(undefined, next, graphs, counts)))
  }
  return notes
}

function toNotes(version: number, { open, standing }: ReturnType<typeof computeImpact>): string[] {
  const people =
    open === 1
      ? '1 person is in it and continues with the version entered'
      : `${open} people are in it and continue with the version entered`
  const most = standing.toSorted((a, b) => b.people - a.people)
  const rest = most.slice(listedMax).reduce((sum, each) => sum + each.people, 0)
  return [
    `version ${version}; ${people}`,
    ...most.slice(0, listedMax).map(({ people: count, step, version: own, in_new }) => {
      return `${count} at ${step === '' ? 'the beginning' : JSON.stringify(step)} of version ${own}: ${in_new}`
    }),
    ...(rest > 0 ? [`${rest} at other steps`] : []),
  ]
}
