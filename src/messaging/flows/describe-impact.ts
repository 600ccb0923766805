import type { Tx } from '../../base/db/db.ts'
import { flowsById } from './find-flows.ts'
import type { FlowKind, FlowState } from './flow.ts'
import { countOpenEntries, type FlowDefinition } from './flow-store.ts'
import { Graphs, graphFrom, graphKey, storedContext } from './graphs.ts'
import { judgeImpact } from './impact.ts'

/** Places that are told one by one. */
const toldMax = 10

type Weighed = {
  readonly id: string
  readonly flow_id?: number
  readonly version: number
  readonly state: FlowState
  readonly definition: FlowDefinition
}

/** What somebody reads before new versions are published: who stands where, by the id of the flow. */
export async function describeImpact(
  tx: Tx,
  kind: FlowKind,
  entries: readonly Weighed[],
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
    // A change of its name alone makes no version.
    if (before.version === version && !isStopped) continue
    const counts = await countOpenEntries(tx, flow_id)
    if (counts.length === 0) continue
    if (isStopped) {
      const open = counts.reduce((sum, { people }) => sum + people, 0)
      notes.set(id, [open === 1 ? '1 stands in it and leaves it' : `${open} stand in it and leave it`])
      continue
    }
    const versions = [...new Set(counts.map((count) => count.version))]
    const read = await new Graphs().getAll(
      tx,
      versions.map((number) => ({ flow_id, version: number })),
    )
    const graphs = new Map(versions.map((number) => [number, read.get(graphKey({ flow_id, version: number }))!]))
    const next = graphFrom({ id, kind, definition }, storedContext)
    notes.set(id, sentences(version, judgeImpact(undefined, next, graphs, counts)))
  }
  return notes
}

function sentences(version: number, { open, standing }: ReturnType<typeof judgeImpact>): string[] {
  const who = open === 1 ? '1 stands in it and goes on' : `${open} stand in it and go on`
  const most = standing.toSorted((a, b) => b.people - a.people)
  const rest = most.slice(toldMax).reduce((sum, { people }) => sum + people, 0)
  return [
    `version ${version}; ${who} with the version of before`,
    ...most.slice(0, toldMax).map(({ people, step, version: own, in_new }) => {
      return `${people} at ${step === '' ? 'the beginning' : JSON.stringify(step)} of version ${own}: ${in_new}`
    }),
    ...(rest > 0 ? [`${rest} elsewhere`] : []),
  ]
}
