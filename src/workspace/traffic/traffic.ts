import { randomInt } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import type { Exchange } from '../../base/http/observe.ts'
import type { Log } from '../../base/log.ts'
import { type GatheringLoop, openGatheringLoop } from '../../base/work/gathering-loop.ts'
import { countItems, ownerOf, strangers } from '../requests/logged-exchange.ts'
import { type MinuteRow, writeMinutes } from './traffic-store.ts'

export type TrafficServices = {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  /** Finds a workspace by its public id; the default one for undefined. */
  findWorkspace(id: string | undefined): number | undefined
}

/** How long requests are counted in memory before they are written. If the process is killed, these are not counted. */
const gatherMs = 1_000
/** The most rows in memory. Requests that would need another row are not counted. */
export const rowsMax = 20_000
const batchMax = 1_000
const minuteMs = 60_000
/** A row is kept in memory until no request of its minute can be answered any more. */
const keptMs = 11 * minuteMs
/** Writers are told apart by a number below this. */
const writersMax = 2 ** 31 - 1

/**
 * Counts the answered requests of this process by minute, in machine time. A row has all that this process has answered in the minute, so
 * writing it twice changes nothing. Requests of callers that were not recognised belong to no workspace and are not counted.
 */
export class Traffic {
  readonly #services: TrafficServices
  readonly #writer = randomInt(writersMax)
  readonly #rows = new Map<string, MinuteRow>()
  readonly #changed = new Set<MinuteRow>()
  readonly #loop: GatheringLoop

  constructor(services: TrafficServices) {
    this.#services = services
    this.#loop = openGatheringLoop({ name: 'traffic.write', gatherMs, turn: () => this.#write() }, services.log)
  }

  /** Counts an answer. */
  observe = (exchange: Exchange): void => {
    const owner = ownerOf(exchange, this.#services)
    if (owner === undefined || owner.workspace_id === strangers) return
    const { startedMs, route, status, sent } = exchange
    const minute = Math.floor(startedMs / minuteMs)
    const statusClass = Math.floor(status / 100)
    const key = `${owner.workspace_id} ${minute} ${statusClass} ${route.method} ${route.path}`
    let row = this.#rows.get(key)
    if (row === undefined) {
      if (this.#rows.size >= rowsMax) return
      const name = `${route.method ?? 'GET'} ${route.path}`
      const { workspace_id } = owner
      row = { workspace_id, minuteMs: minute * minuteMs, route: name, class: statusClass, count: 0, items: 0, ms: 0 }
      this.#rows.set(key, row)
    }
    row.count++
    row.items += (status < 400 && countItems(sent?.parsed)) || 0
    row.ms += this.#services.clock.elapsed() - startedMs
    this.#changed.add(row)
    this.#loop.wakeLater()
  }

  /** Resolves when everything that was counted before the call is written, or could not be written. */
  nextTurn(): Promise<void> {
    return this.#loop.nextTurn()
  }

  /** Returns the name of the loop if its last turn failed. */
  failing(): string[] {
    return this.#loop.failing()
  }

  /** Writes what is left, then ends. */
  close(): Promise<void> {
    return this.#loop.close()
  }

  /** Writes the rows that have changed, and forgets those of past minutes. */
  async #write(): Promise<boolean> {
    const taken = [...this.#changed].slice(0, batchMax)
    for (const row of taken) this.#changed.delete(row)
    try {
      if (taken.length > 0) await writeMinutes(this.#services.db, this.#writer, taken)
    } catch (error) {
      for (const row of taken) this.#changed.add(row)
      throw error
    }
    const endedMs = this.#services.clock.elapsed() - keptMs
    for (const [key, row] of this.#rows) if (row.minuteMs < endedMs && !this.#changed.has(row)) this.#rows.delete(key)
    return this.#changed.size > 0
  }
}
