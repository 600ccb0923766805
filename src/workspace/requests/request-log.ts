import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Exchange } from '../../base/http/observe.ts'
import { type LoggedExchange, loggedExchange, ownerOf, type RequestOwner, strangers } from './logged-exchange.ts'
import { bodyNames, comparable, textNames, urlNames } from './names-person.ts'
import { entriesMax, entryKeptMs, logBytesMax, perSecondMax, strangerEntriesMax } from './schema.ts'

export type RequestLogServices = {
  readonly clock: Clock
  /** Finds a workspace by its public id; the default one for undefined. */
  findWorkspace(id: string | undefined): number | undefined
  /** Whether requests of a workspace are recorded. */
  isRecording(workspace_id: number): boolean
}

/** The log of one workspace, the oldest first. */
type Ring = { entries: LoggedExchange[]; bytes: number; second: number; used: number }

/** People who were deleted, with the time: a request that had arrived by then may still be answered. */
type Forgotten = { readonly workspace_id: number; readonly identifiers: ReadonlySet<string>; readonly atMs: number }

/** A request takes less time than this. */
const requestMsMax = 600_000
/** How many bytes are searched for a deleted person in one turn of the event loop. */
const searchedBytesPerTurn = 1_048_576

/**
 * The latest requests that this process has answered, with parts of their bodies. It is in memory only, because a statement for each
 * request would slow the intake.
 */
export class RequestLog {
  readonly #services: RequestLogServices
  readonly #rings = new Map<number, Ring>()
  #bytes = 0
  #count = 0
  #forgotten: Forgotten[] = []
  #forgetting: Promise<void> = Promise.resolve()

  constructor(services: RequestLogServices) {
    this.#services = services
  }

  /** Records an answer: every refusal, and a few of the successes of each second. */
  observe = (exchange: Exchange): void => {
    const owner = ownerOf(exchange, this.#services)
    if (owner === undefined) return
    const ring = this.#ringOf(owner.workspace_id)
    const isLimited = exchange.status < 400 || owner.workspace_id === strangers
    if (isLimited && !takesOne(ring, exchange.startedMs)) return
    if (owner.workspace_id !== strangers && !this.#services.isRecording(owner.workspace_id)) return
    this.#add(ring, exchange, owner)
  }

  /** Returns the requests of a workspace, newest first. */
  async list(workspace_id: number, withStrangers: boolean): Promise<LoggedExchange[]> {
    await this.#forgetting
    this.expire()
    if (!this.#services.isRecording(workspace_id)) return []
    const own = this.#rings.get(workspace_id)?.entries ?? []
    const others = withStrangers ? (this.#rings.get(strangers)?.entries ?? []) : []
    return [...own, ...others].sort((one, other) => other.count - one.count)
  }

  /** Removes what is too old, and all requests of workspaces that do not record any more. */
  expire(): void {
    const sinceMs = this.#services.clock.elapsed() - entryKeptMs
    for (const [workspace_id, ring] of this.#rings) {
      const isOff = workspace_id !== strangers && !this.#services.isRecording(workspace_id)
      this.#keep(ring, isOff ? () => false : ({ atMs }) => atMs > sinceMs)
    }
  }

  /** Removes the requests that name deleted people, also those that are answered later. Resolves when that is done. */
  forget(workspace_id: number, identifiers: readonly string[]): Promise<void> {
    const atMs = this.#services.clock.elapsed()
    const forgotten = { workspace_id, identifiers: new Set(identifiers.map(comparable)), atMs }
    this.#forgotten = [...this.#forgotten.filter((each) => each.atMs > atMs - requestMsMax), forgotten]
    this.#forgetting = this.#forgetting.then(() => this.#search(forgotten))
    return this.#forgetting
  }

  async #search({ workspace_id, identifiers }: Forgotten): Promise<void> {
    let searched = 0
    for (const ring of [this.#rings.get(workspace_id), this.#rings.get(strangers)]) {
      const naming = new Set<LoggedExchange>()
      for (const entry of [...(ring?.entries ?? [])]) {
        if (names(entry, identifiers)) naming.add(entry)
        searched += entry.bytes
        if (searched < searchedBytesPerTurn) continue
        searched = 0
        await nextTurn()
      }
      if (ring) this.#keep(ring, (entry) => !naming.has(entry))
    }
  }

  #add(ring: Ring, exchange: Exchange, owner: RequestOwner): void {
    const entry = loggedExchange(exchange, owner, this.#services.clock, this.#count++)
    for (const { workspace_id, identifiers, atMs } of this.#forgotten) {
      const concerns = owner.workspace_id === workspace_id || owner.workspace_id === strangers
      if (concerns && exchange.startedMs <= atMs && names(entry, identifiers)) return
    }
    ring.entries.push(entry)
    ring.bytes += entry.bytes
    this.#bytes += entry.bytes
    if (ring.entries.length > (owner.workspace_id === strangers ? strangerEntriesMax : entriesMax))
      this.#dropOldest(ring)
    while (this.#bytes > logBytesMax) this.#dropOldest(this.#largest())
  }

  #ringOf(workspace_id: number): Ring {
    let ring = this.#rings.get(workspace_id)
    if (ring === undefined) {
      ring = { entries: [], bytes: 0, second: 0, used: 0 }
      this.#rings.set(workspace_id, ring)
    }
    return ring
  }

  #largest(): Ring {
    return this.#rings.values().reduce((largest, ring) => (ring.bytes > largest.bytes ? ring : largest))
  }

  #dropOldest(ring: Ring): void {
    const { bytes } = ring.entries.shift()!
    ring.bytes -= bytes
    this.#bytes -= bytes
  }

  #keep(ring: Ring, isKept: (entry: LoggedExchange) => boolean): void {
    const kept = ring.entries.filter(isKept)
    if (kept.length === ring.entries.length) return
    const bytes = kept.reduce((sum, entry) => sum + entry.bytes, 0)
    this.#bytes += bytes - ring.bytes
    ring.entries = kept
    ring.bytes = bytes
  }
}

/** Counts one of the requests of this second, and returns whether it may be recorded. */
function takesOne(ring: Ring, atMs: number): boolean {
  const second = Math.floor(atMs / 1000)
  if (ring.second !== second) {
    ring.second = second
    ring.used = 0
  }
  ring.used++
  return ring.used <= perSecondMax
}

function names({ url, refusal, sent, answered }: LoggedExchange, identifiers: ReadonlySet<string>): boolean {
  if (urlNames(url, identifiers) || (refusal !== null && textNames(refusal, identifiers))) return true
  return [sent, answered].some(({ start, isCut }) => start && bodyNames(start.toString('utf8'), isCut, identifiers))
}
