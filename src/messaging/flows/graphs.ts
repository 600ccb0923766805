import type { Tx } from '../../base/db/db.ts'
import { patternCharactersCeiling } from '../../workspace/settings/settings.ts'
import type { EmailContext } from '../mail/read-email-object.ts'
import type { FlowKind, Graph } from './flow.ts'
import { listVersions } from './flow-store.ts'
import { readDefinition } from './read-definition.ts'
import { readEmailObject } from './read-email.ts'
import type { DefinitionContext } from './read-values.ts'

/** Bytes of definitions whose graphs are kept; the ones that were used longest ago go first. */
const cachedBytesMax = 64 * 1024 * 1024

/** A version of a flow. */
export type FlowVersion = { readonly flow_id: number; readonly version: number }

/** A version that cannot be read, and why. */
export type UnreadableVersion = FlowVersion & { readonly why: string }

type Kept = { readonly graph: Graph; readonly bytes: number }

/** Versions as the engine runs them. They never change, so what was read once is kept; one for each process. */
export class Graphs {
  readonly #kept = new Map<string, Kept>()
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax = cachedBytesMax) {
    this.#bytesMax = bytesMax
  }

  /** Throws when there is no such version: whoever names one has it from a row. */
  async get(tx: Tx, flow_id: number, version: number): Promise<Graph> {
    const graphs = await this.getAll(tx, [{ flow_id, version }])
    return graphs.get(graphKey({ flow_id, version }))!
  }

  /** Several at once, by `graphKey`. Throws when one of them cannot be read. */
  async getAll(tx: Tx, versions: readonly FlowVersion[]): Promise<Map<string, Graph>> {
    const { found, unreadable } = await this.getReadable(tx, versions)
    for (const { why } of unreadable) throw new Error(why)
    return found
  }

  /** The same without those that cannot be read, and why not: for whoever is to go on with the others. */
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
      const judged = readStored(row, storedContext)
      if ('graph' in judged) {
        this.#keep(key, { graph: judged.graph, bytes: row.bytes })
        found.set(key, judged.graph)
      } else unreadable.push({ flow_id: row.flow_id, version: row.version, why: judged.why })
    }
    for (const [key, version] of missing) unreadable.push({ ...version, why: `version ${key} of a flow is not there` })
    return { found, unreadable }
  }

  /** Empties it: the database was put back to an earlier state. */
  forget(): void {
    this.#kept.clear()
    this.#bytes = 0
  }

  /** What is used moves to the end: at the beginning stands what was not used for longest. */
  #use(key: string): Graph | undefined {
    const kept = this.#kept.get(key)
    if (!kept) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    return kept.graph
  }

  #keep(key: string, kept: Kept): void {
    this.#bytes += kept.bytes - (this.#kept.get(key)?.bytes ?? 0)
    this.#kept.set(key, kept)
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#bytesMax || oldest === key) return
      this.#kept.delete(oldest)
      this.#bytes -= bytes
    }
  }
}

export function graphKey({ flow_id, version }: FlowVersion): string {
  return `${flow_id}/${version}`
}

type Stored = { readonly id: string; readonly kind: FlowKind; readonly definition: object }

/** A stored definition as a graph. It was judged when it was stored: a mistake now is ours. */
export function graphFrom(stored: Stored, context: DefinitionContext): Graph {
  const judged = readStored(stored, context)
  if ('graph' in judged) return judged.graph
  throw new Error(judged.why)
}

/** The same; undefined when it cannot be read, for whoever is to go on with others. */
export function tryGraphFrom(stored: Stored, context: DefinitionContext): Graph | undefined {
  const judged = readStored(stored, context)
  return 'graph' in judged ? judged.graph : undefined
}

function readStored({ id, kind, definition }: Stored, context: DefinitionContext): { graph: Graph } | { why: string } {
  const judged = readDefinition(kind, { ...definition, id }, context)
  if ('graph' in judged) return judged
  return { why: `${kind} ${id} cannot be read: ${judged.mistake.path} ${judged.mistake.message}` }
}

const everything = { has: () => true }

/** What is named may be gone by now; that is told where it is used. */
export const storedContext: DefinitionContext = {
  patternMax: patternCharactersCeiling,
  hasSegment: () => true,
  readEmail: (value, path) => {
    const { bcc } = value as { bcc?: string | null }
    const settings: EmailContext['settings'] = { bcc: typeof bcc === 'string' ? [bcc] : [] }
    return readEmailObject(value, path, { settings, apps: everything, templates: everything, origins: undefined })
  },
}

/** The same without a look at what messages say. */
export const contextWithoutMail: DefinitionContext = {
  ...storedContext,
  readEmail: () => ({ email: { app_id: '', from: '' } }),
}
