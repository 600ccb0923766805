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

/** Which signals make people enter which flows, as of a version of `watched`. Used for one page of signals after the other. */
export class EntryTriggers {
  #version: number | undefined
  #flowsByTrigger = new Map<string, ListeningFlow[]>()
  /** Versions that cannot be read and were logged. */
  readonly #logged = new Set<string>()

  /** Reads the flows again when the version of `watched` has changed. */
  async catchUp(tx: Tx, services: SignalServices): Promise<void> {
    const version = await findWatchedVersion(tx)
    if (version === this.#version) return
    const flows = await listListeningFlows(tx)
    const graphs = await this.graphsOf(tx, flows, services)
    const byTrigger = new Map<string, ListeningFlow[]>()
    for (const flow of flows) {
      const { on, by } = graphs.get(graphKey(flow))?.entry ?? {}
      if (!on || !by?.has('event')) continue
      byTrigger.getOrInsertComputed(triggerKey(flow.workspace_id, on.kind, on.name ?? ''), () => []).push(flow)
    }
    this.#flowsByTrigger = byTrigger
    this.#version = version
  }

  /** Returns the acts that may make people enter, by flow. The current version of the flow decides whether they do. */
  matching<Act extends WorkspaceSignal>(acts: readonly Act[]): Map<number, Act[]> {
    const byFlow = new Map<number, Act[]>()
    for (const act of acts) {
      const { kind, name } = act.signal
      for (const key of [triggerKey(act.workspace_id, kind, name), triggerKey(act.workspace_id, kind, '')]) {
        for (const { flow_id } of this.#flowsByTrigger.get(key) ?? [])
          byFlow.getOrInsertComputed(flow_id, () => []).push(act)
      }
    }
    return byFlow
  }

  /** Returns graphs by `graphKey`. A version that cannot be read is a defect: it is logged once and left out. */
  async graphsOf(
    tx: Tx,
    versions: readonly FlowVersion[],
    { graphs, log }: Pick<SignalServices, 'graphs' | 'log'>,
  ): Promise<ReadonlyMap<string, Graph>> {
    const { found, unreadable } = await graphs.getReadable(tx, versions)
    for (const { flow_id, version, why } of unreadable) {
      const key = graphKey({ flow_id, version })
      if (this.#logged.has(key)) continue
      this.#logged.add(key)
      log.error(
        { flow_id, flow_version: version, reason: why },
        'a version of a flow cannot be read; signals have no effect on it',
      )
    }
    return found
  }
}

function triggerKey(workspace_id: number, kind: Signal['kind'], name: string): string {
  return `${workspace_id} ${signalKey(kind, name)}`
}
