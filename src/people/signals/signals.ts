export const signalKinds = ['event', 'purchase', 'attribute', 'engagement'] as const
export type SignalKind = (typeof signalKinds)[number]

/** An event, purchase, attribute change or engagement that a flow listens for. It is written in the transaction that accepts it. */
export type NewSignal = {
  readonly bucket: number
  readonly profile_id: string
  /** An id that is generated like the id of a profile. */
  readonly signal_id: string
  readonly workspace_id: number
  readonly kind: SignalKind
  /** The name of the event, product or attribute; `opened` or `clicked`. */
  readonly name: string
  /** When it happened according to the request, and when it was accepted; epoch microseconds. */
  readonly timeUs: number
  readonly atUs: number
  /** JSON text. */
  readonly properties?: string | null
  /** Price times quantity. */
  readonly amount?: number | null
  readonly message_id?: string | null
}

/** The number of lanes. The signals of a lane are handled one after the other. */
export const laneCount = 16

export function laneOf(bucket: number): number {
  return bucket >> 8
}

/** A row of the table `watched`. The empty name means every name. */
export type WatchedRow = {
  readonly workspace_id: number
  readonly kind: SignalKind
  readonly name: string
  /** Whether a change produces a signal. Otherwise it is only stored. */
  readonly signals: boolean
}

/** The names that the flows of one workspace watch. */
export class WatchedNames {
  readonly #names: Readonly<Record<SignalKind, Map<string, boolean>>> = {
    event: new Map(),
    purchase: new Map(),
    attribute: new Map(),
    engagement: new Map(),
  }

  constructor(rows: readonly WatchedRow[]) {
    for (const { kind, name, signals } of rows) this.#names[kind].set(name, signals)
  }

  /** Returns whether an event, purchase or change with this name produces a signal. */
  isSignalled(kind: SignalKind, name: string): boolean {
    const names = this.#names[kind]
    return names.size > 0 && (names.get(name) === true || names.get('') === true)
  }

  /** Returns whether changes of this attribute are stored. */
  isKept(name: string): boolean {
    const { attribute } = this.#names
    return attribute.has(name) || attribute.has('')
  }

  /** Whether changes of any attribute are stored. */
  get keepsAny(): boolean {
    return this.#names.attribute.size > 0
  }
}

/**
 * A copy of the table `watched` in this process, and of which workspaces have a feed. A transaction that uses it compares the version
 * first.
 */
export class Watched {
  #version: number | undefined
  #workspaces: ReadonlyMap<number, WatchedNames> = new Map()
  #fed: ReadonlySet<number> = new Set()

  /** Undefined before the table was read. */
  get version(): number | undefined {
    return this.#version
  }

  /** Returns the watched names of a workspace; undefined when there are none. */
  of(workspace_id: number): WatchedNames | undefined {
    return this.#workspaces.get(workspace_id)
  }

  isWatched(workspace_id: number, kind: SignalKind, name: string): boolean {
    return this.of(workspace_id)?.isSignalled(kind, name) ?? false
  }

  /** Whether events about people of a workspace go to its feed. */
  isFed(workspace_id: number): boolean {
    return this.#fed.has(workspace_id)
  }

  /** Replaces the copy by the rows of the table at `version` or later, and the workspaces with a feed. */
  refresh(version: number, rows: readonly WatchedRow[], fed: readonly number[] = []): void {
    this.#fed = new Set(fed)
    const byWorkspace = Map.groupBy(rows, (row) => row.workspace_id)
    this.#workspaces = new Map([...byWorkspace].map(([workspace_id, own]) => [workspace_id, new WatchedNames(own)]))
    this.#version = version
  }
}
