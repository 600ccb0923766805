import type { Tx } from '../../base/db/db.ts'
import type { FlowOutline, FlowSummary, OutlinedFlow } from './flow-outline.ts'
import { listFlowOutlines, listFlowSummaries } from './flow-outline-store.ts'

/** Bytes of the cached outlines as JSON. In memory an outline is a few times larger. */
const cachedBytesMax = 16 * 1_048_576

/** Reads outlines of flows. The outline of a version never changes, so this process reads each one once. */
export class FlowOutlines {
  readonly #cached = new Map<string, { readonly outline: FlowOutline; readonly bytes: number }>()
  #bytes = 0

  /** Flows by their `flow_id`, deleted ones included. */
  async read(tx: Tx, flow_ids: ReadonlySet<number>): Promise<ReadonlyMap<number, OutlinedFlow>> {
    if (flow_ids.size === 0) return new Map()
    const flows = await listFlowSummaries(tx, [...flow_ids])
    const outlines = new Map(flows.map((flow) => [flow.flow_id, this.#cached.get(versionKey(flow))?.outline]))
    const missing = flows.filter(({ flow_id }) => !outlines.get(flow_id))
    if (missing.length > 0) {
      for (const row of await listFlowOutlines(
        tx,
        missing.map(({ flow_id }) => flow_id),
      )) {
        outlines.set(row.flow_id, row.outline)
        this.#keep(versionKey(row), row.outline)
      }
    }
    return new Map(flows.map((flow) => [flow.flow_id, { ...flow, outline: outlines.get(flow.flow_id)! }]))
  }

  #keep(key: string, outline: FlowOutline): void {
    if (this.#cached.has(key)) return
    const added = JSON.stringify(outline).length
    this.#cached.set(key, { outline, bytes: added })
    this.#bytes += added
    for (const [oldest, { bytes }] of this.#cached) {
      if (this.#bytes <= cachedBytesMax) return
      this.#cached.delete(oldest)
      this.#bytes -= bytes
    }
  }
}

function versionKey({ flow_id, version }: Pick<FlowSummary, 'flow_id' | 'version'>): string {
  return `${flow_id}/${version}`
}
