import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import { Recent } from '../../base/work/recent.ts'
import { type Family, families, familyOf } from '../ledger/families.ts'
import { countOutcomes } from './outcome-store.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** The columns of a chart, by how many hours it shows at most. */
const steps: readonly (readonly [hours: number, stepMs: number])[] = [
  [2, 5 * minuteMs],
  [48, hourMs],
  [168, 6 * hourMs],
]
/** Outcomes of messages that were planned longer ago than this change rarely, and are read again after a pause. */
const settledMs = 2 * hourMs
const pauseMs = 10 * minuteMs
/** Others are read again after so many times what reading took, so that a large send does not occupy the database. */
const pauseTimes = 20
/** Columns that are kept in memory: a thousand workspaces with a chart of a week take 28,000. */
const keptColumnsMax = 10_000

type Counts = { [family in Family]: number }

/** A step of time with its messages, by the family of what became of them. */
export type OutcomeColumn = Counts & { at: string }

export type OutcomeSummary = Counts & { step_ms: number; columns: OutcomeColumn[] }

/** Reads what became of the messages of the last hours, in business time. Keeps what changes rarely in memory. */
export class OutcomeReader {
  readonly #kept = new Recent<string, { readonly counts: Counts; readonly untilMs: number }>(keptColumnsMax)
  readonly #clock: Pick<Clock, 'now' | 'elapsed'>

  constructor(clock: Pick<Clock, 'now' | 'elapsed'>) {
    this.#clock = clock
  }

  async read(tx: Tx, workspace_id: number, hours: number): Promise<OutcomeSummary> {
    const [, stepMs] = steps.find(([most]) => hours <= most) ?? steps.at(-1)!
    const nowMs = this.#clock.now()
    const last = Math.floor(nowMs / stepMs) * stepMs
    const count = Math.ceil((hours * hourMs) / stepMs)
    const columns: OutcomeColumn[] = []
    // A statement for each column: one for a week of many messages would take too long.
    for (let ms = last - (count - 1) * stepMs; ms <= last; ms += stepMs) {
      columns.push({ at: new Date(ms).toISOString(), ...(await this.#readColumn(tx, workspace_id, ms, stepMs)) })
    }
    return { step_ms: stepMs, ...sumOf(columns), columns }
  }

  async #readColumn(tx: Tx, workspace_id: number, fromMs: number, stepMs: number): Promise<Counts> {
    const key = `${workspace_id} ${fromMs} ${stepMs}`
    const kept = this.#kept.get(key)
    const startedMs = this.#clock.elapsed()
    if (kept && startedMs < kept.untilMs) return kept.counts
    const counts = none()
    for (const { reason, count } of await countOutcomes(tx, workspace_id, fromMs, fromMs + stepMs))
      counts[reason === null ? 'waiting' : familyOf(reason)] += Number(count)
    const endedMs = this.#clock.elapsed()
    const isSettled = fromMs + stepMs < this.#clock.now() - settledMs
    this.#kept.set(key, { counts, untilMs: endedMs + (isSettled ? pauseMs : pauseTimes * (endedMs - startedMs)) })
    return counts
  }
}

function none(): Counts {
  return Object.fromEntries(families.map((family) => [family, 0])) as Counts
}

function sumOf(columns: readonly Counts[]): Counts {
  const sums = none()
  for (const column of columns) for (const family of families) sums[family] += column[family]
  return sums
}
