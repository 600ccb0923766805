import type { Tx } from '../../base/db/db.ts'
import type { Log } from '../../base/log.ts'
import { findWatchedVersion } from '../../people/signals/signal-store.ts'
import type { Graph } from '../flows/flow.ts'
import { type FlowVersion, graphKey } from '../flows/graphs.ts'
import type { Signal } from './happening.ts'
import type { MoveServices } from './services.ts'
import { signalKey } from './signal-filter.ts'
import { type ListeningFlow, listListeningFlows } from './signal-store.ts'

export type SignalServices = MoveServices & { readonly log: Pick<Log, 'error'> }

type WorkspaceSignal = { readonly workspace_id: number; readonly signal: Signal }

/** Which flows may be entered by what, as of a version of `watched`: kept from one page to the next. */
export class EntryTriggers {
  #version: number | undefined
  #flows = new Map<string, ListeningFlow[]>()
  /** Versions that cannot be read, as was told. */
  readonly #told = new Set<string>()

  /** Reads them again when `watched` has moved. */
  async catchUp(tx: Tx, parts: SignalServices): Promise<void> {
    const version = await findWatchedVersion(tx)
    if (version === this.#version) return
    const flows = await listListeningFlows(tx)
    const known = await this.graphsOf(tx, flows, parts)
    const doors = new Map<string, ListeningFlow[]>()
    for (const flow of flows) {
      const { on, by } = known.get(graphKey(flow))?.entry ?? {}
      if (!on || !by?.has('event')) continue
      doors.getOrInsertComputed(triggerKey(flow.workspace_id, on.kind, on.name ?? ''), () => []).push(flow)
    }
    this.#flows = doors
    this.#version = version
  }

  /** The flows that may be entered when these happen; whether they are is asked of each as it is now. */
  matching<Act extends WorkspaceSignal>(acts: readonly Act[]): Map<number, Act[]> {
    const opened = new Map<number, Act[]>()
    for (const act of acts) {
      const { kind, name } = act.signal
      for (const key of [triggerKey(act.workspace_id, kind, name), triggerKey(act.workspace_id, kind, '')]) {
        for (const { flow_id } of this.#flows.get(key) ?? []) opened.getOrInsertComputed(flow_id, () => []).push(act)
      }
    }
    return opened
  }

  /** Graphs by `graphKey`. What cannot be read is our mistake: it is told once and left out, and keeps nobody from other flows. */
  async graphsOf(
    tx: Tx,
    versions: readonly FlowVersion[],
    { graphs, log }: Pick<SignalServices, 'graphs' | 'log'>,
  ): Promise<ReadonlyMap<string, Graph>> {
    const { found, unreadable } = await graphs.getReadable(tx, versions)
    for (const { flow_id, version, why } of unreadable) {
      const key = graphKey({ flow_id, version })
      if (this.#told.has(key)) continue
      this.#told.add(key)
      log.error(
        { flow_id, version, why },
        'a version of a flow cannot be read: nothing that happens moves anybody there',
      )
    }
    return found
  }
}

function triggerKey(workspace_id: number, kind: Signal['kind'], name: string): string {
  return `${workspace_id} ${signalKey(kind, name)}`
}
