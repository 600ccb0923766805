import type { Tx } from '../../base/db/db.ts'
import { patternCharactersCeiling } from '../../workspace/settings/settings.ts'
import { channelOf } from '../channels/channels.ts'
import type { FlowKind, Graph } from './flow.ts'
import { listVersions } from './flow-store.ts'
import { readDefinition } from './read-definition.ts'
import type { DefinitionContext } from './read-values.ts'

/** Bytes of the definitions whose graphs are cached. The least recently used ones are removed first. */
const cachedBytesMax = 64 * 1024 * 1024

/** A version of a flow. */
export type FlowVersion = { readonly flow_id: number; readonly version: number }

/** A version that cannot be read, and why. */
export type UnreadableVersion = FlowVersion & { readonly why: string }

type Cached = { readonly graph: Graph; readonly bytes: number }

/** A cache of the graphs of versions, which never change. One for each process. */
export class Graphs {
  readonly #cached = new Map<string, Cached>()
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax = cachedBytesMax) {
    this.#bytesMax = bytesMax
  }

  /** Returns the graph of a version. Throws when it does not exist or cannot be read. */
  async get(tx: Tx, flow_id: number, version: number): Promise<Graph> {
    const graphs = await this.getAll(tx, [{ flow_id, version }])
    return graphs.get(graphKey({ flow_id, version }))!
  }

  /** Returns graphs by `graphKey`. Throws when one of the versions does not exist or cannot be read. */
  async getAll(tx: Tx, versions: readonly FlowVersion[]): Promise<Map<string, Graph>> {
    const { found, unreadable } = await this.getReadable(tx, versions)
    for (const { why } of unreadable) throw new Error(why)
    return found
  }

  /** Returns the graphs that can be read, and why the others cannot: for callers that must continue with the rest. */
  async getReadable(
    tx: Tx,
    versions: readonly FlowVersion[],
  ): Promise<{ readonly found: Map<string, Graph>; readonly unreadable: readonly UnreadableVersion[] }> {
    const found = new Map<string, Graph>()
    const unreadable: UnreadableVersion[] = []
    const missing = new Map<string, FlowVersion>()
    for (const version of versions) {
      const key = graphKey(version)
      if (found.has(key) || missing.has(key)) continue
      const graph = this.#use(key)
      if (graph) found.set(key, graph)
      else missing.set(key, version)
    }
    const rows = missing.size > 0 ? await listVersions(tx, [...missing.values()]) : []
    for (const row of rows) {
      const key = graphKey(row)
      missing.delete(key)
      const read = readStored(row, storedContext)
      if ('graph' in read) {
        this.#keep(key, { graph: read.graph, bytes: row.bytes })
        found.set(key, read.graph)
      } else unreadable.push({ flow_id: row.flow_id, version: row.version, why: read.why })
    }
    for (const [key, version] of missing)
      unreadable.push({ ...version, why: `version ${key} of a flow does not exist` })
    return { found, unreadable }
  }

  /** Empties the cache, for a database that was restored to an earlier state. */
  forget(): void {
    this.#cached.clear()
    this.#bytes = 0
  }

  /** Returns a cached graph and moves it to the end of the map, which is in the order of last use. */
  #use(key: string): Graph | undefined {
    const cached = this.#cached.get(key)
    if (!cached) return undefined
    this.#cached.delete(key)
    this.#cached.set(key, cached)
    return cached.graph
  }

  #keep(key: string, cached: Cached): void {
    this.#bytes += cached.bytes - (this.#cached.get(key)?.bytes ?? 0)
    this.#cached.set(key, cached)
    for (const [oldest, { bytes }] of this.#cached) {
      if (this.#bytes <= this.#bytesMax || oldest === key) return
      this.#cached.delete(oldest)
      this.#bytes -= bytes
    }
  }
}

export function graphKey({ flow_id, version }: FlowVersion): string {
  return `${flow_id}/${version}`
}

type Stored = { readonly id: string; readonly kind: FlowKind; readonly definition: object }

/** Returns the graph of a stored definition. Throws when it cannot be read: it was checked before, so this is a defect of Easel. */
export function graphFrom(stored: Stored, context: DefinitionContext): Graph {
  const read = readStored(stored, context)
  if ('graph' in read) return read.graph
  throw new Error(read.why)
}

/** Returns the graph of a stored definition. Undefined when it cannot be read: for callers that must continue with other flows. */
export function tryGraphFrom(stored: Stored, context: DefinitionContext): Graph | undefined {
  const read = readStored(stored, context)
  return 'graph' in read ? read.graph : undefined
}

function readStored({ id, kind, definition }: Stored, context: DefinitionContext): { graph: Graph } | { why: string } {
  const read = readDefinition(kind, { ...definition, id }, context)
  if ('graph' in read) return read
  return { why: `${kind} ${id} cannot be read: ${read.mistake.path} ${read.mistake.message}` }
}

/** Accepts every name: what a stored definition names may be deleted by now, which the steps that use it report. */
export const storedContext: DefinitionContext = {
  patternMax: patternCharactersCeiling,
  credentialOrigins: undefined,
  hasSegment: () => true,
  contentMistakes: () => [],
  readContent: (channel, value, path) => channelOf(channel).content.readStored(value, path),
}

/** Like `storedContext`, and does not read what messages contain. */
export const contextWithoutContents: DefinitionContext = {
  ...storedContext,
  readContent: (channel) => ({ content: channelOf(channel).content.standIn }),
}
