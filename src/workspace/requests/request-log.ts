import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Exchange } from '../../base/http/observe.ts'
import type { DeletedNames } from './deleted-names.ts'
import { type LoggedExchange, loggedExchange, ownerOf, type RequestOwner, strangers } from './logged-exchange.ts'
import { bodyNames, comparable, textNames, urlNames } from './names-person.ts'
import { entriesMax, entryKeptMs, logBytesMax, perSecondMax, strangerEntriesMax } from './schema.ts'

export type RequestLogServices = {
  readonly clock: Clock
  /** Finds a workspace by its public id; the default one for undefined. */
  findWorkspace(id: string | undefined): number | undefined
  /** Whether requests of a workspace are recorded. */
  isRecording(workspace_id: number): boolean
  /** Reads who was deleted after the row with this number, the oldest first; an empty list when that is all. */
  readDeletedNames(after: string): Promise<readonly DeletedNames[]>
  /** The last row when the service was started: nothing is recorded that is older. */
  readonly lastDeletedNames: string
}

/** The log of one workspace, the oldest first. */
type Ring = { entries: LoggedExchange[]; bytes: number; second: number; used: number }

/** People who were deleted. A request that had arrived until then may still be answered. */
type Forgotten = { readonly workspace_id: number; readonly identifiers: ReadonlySet<string>; readonly untilMs: number }

/** A request takes less time than this. */
const requestMsMax = 600_000
/** A deletion is committed within this time after the time that it has written. */
export const commitMsMax = 10_000
/** How many bytes are searched for deleted people in one turn of the event loop: that takes some 8 ms. */
const searchedBytesPerTurn = 262_144
/** The most identifiers of deleted people that are looked for in requests that are still being answered. */
export const forgottenNamesMax = 50_000

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
  /** Requests that arrived until then are not recorded: they may name a person of which nothing is known any more. */
  #notUntilMs = 0
  #lastDeletedNames: string
  #catchingUp: Promise<void> = Promise.resolve()

  constructor(services: RequestLogServices) {
    this.#services = services
    this.#lastDeletedNames = services.lastDeletedNames
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

  /** Returns the requests of a workspace, newest first, without those that name people who were deleted before the call. */
  async list(workspace_id: number, withStrangers: boolean): Promise<LoggedExchange[]> {
    await this.catchUp()
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

  /** Removes the requests that name people that any process has deleted, also those that are answered later. */
  catchUp(): Promise<void> {
    const next = this.#catchingUp.then(() => this.#catchUp())
    // The next call tries again.
    this.#catchingUp = next.catch(() => undefined)
    return next
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const page = await this.#services.readDeletedNames(this.#lastDeletedNames)
      if (page.length === 0) return
      for (const [workspace_id, rows] of Map.groupBy(page, (row) => row.workspace_id)) {
        await this.#forget(workspace_id, rows)
      }
      this.#lastDeletedNames = page.at(-1)!.number
    }
  }

  async #forget(workspace_id: number, rows: readonly DeletedNames[]): Promise<void> {
    const forgotten = rows.flatMap(({ names, atMs }): Forgotten[] =>
      names ? [{ workspace_id, identifiers: new Set(names.map(comparable)), untilMs: atMs + commitMsMax }] : [],
    )
    this.#remember(forgotten)
    if (forgotten.length === rows.length) await this.#search(workspace_id, forgotten)
    else for (const ring of this.#ringsOf(workspace_id)) this.#keep(ring, () => false)
  }

  /** Keeps in mind who was deleted, until every request that had arrived by then is answered. */
  #remember(forgotten: readonly Forgotten[]): void {
    const sinceMs = this.#services.clock.elapsed() - requestMsMax
    this.#forgotten = [...this.#forgotten, ...forgotten].filter(({ untilMs }) => untilMs > sinceMs)
    let names = this.#forgotten.reduce((sum, { identifiers }) => sum + identifiers.size, 0)
    while (names > forgottenNamesMax) {
      const { identifiers, untilMs } = this.#forgotten.shift()!
      names -= identifiers.size
      this.#notUntilMs = Math.max(this.#notUntilMs, untilMs)
    }
  }

  async #search(workspace_id: number, forgotten: readonly Forgotten[]): Promise<void> {
    // One look for all finds the few requests of which more has to be known.
    const all = new Set(forgotten.flatMap(({ identifiers }) => [...identifiers]))
    let searched = 0
    for (const ring of this.#ringsOf(workspace_id)) {
      const naming = new Set<LoggedExchange>()
      for (const entry of [...ring.entries]) {
        if (names(entry, all) && forgotten.some((one) => isAbout(entry, one))) naming.add(entry)
        searched += entry.bytes
        if (searched < searchedBytesPerTurn) continue
        searched = 0
        await nextTurn()
      }
      this.#keep(ring, (entry) => !naming.has(entry))
    }
  }

  /** The logs in which people of a workspace may be named. */
  #ringsOf(workspace_id: number): Ring[] {
    return [workspace_id, strangers].flatMap((id) => this.#rings.get(id) ?? [])
  }

  #add(ring: Ring, exchange: Exchange, owner: RequestOwner): void {
    if (exchange.startedMs <= this.#notUntilMs) return
    const entry = loggedExchange(exchange, owner, this.#services.clock, this.#count++)
    for (const one of this.#forgotten) {
      const concerns = owner.workspace_id === one.workspace_id || owner.workspace_id === strangers
      if (concerns && isAbout(entry, one)) return
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

/** Whether a request had arrived when people were deleted, and names one of them. */
function isAbout(entry: LoggedExchange, { identifiers, untilMs }: Forgotten): boolean {
  return entry.atMs <= untilMs && names(entry, identifiers)
}

function names({ url, refusal, sent, answered }: LoggedExchange, identifiers: ReadonlySet<string>): boolean {
  if (urlNames(url, identifiers) || (refusal !== null && textNames(refusal, identifiers))) return true
  return [sent, answered].some(({ start, isCut }) => start && bodyNames(start.toString('utf8'), isCut, identifiers))
}
