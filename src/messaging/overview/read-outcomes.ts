import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import { Recent } from '../../base/work/recent.ts'
import { allChannels } from '../channels/channels.ts'
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

/** The messages of a channel. */
type ChannelOutcomes = Counts & { channel: string; words: string; tried: number }

export type OutcomeSummary = Counts & { step_ms: number; columns: OutcomeColumn[]; channels: ChannelOutcomes[] }

/** Counts by channel. */
type ByChannel = ReadonlyMap<string, Counts>

/** Reads what became of the messages of the last hours, in business time. Keeps what changes rarely in memory. */
export class OutcomeReader {
  readonly #kept = new Recent<string, { readonly counts: ByChannel; readonly untilMs: number }>(keptColumnsMax)
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
    const all: ByChannel[] = []
    // A statement for each column: one for a week of many messages would take too long.
    for (let ms = last - (count - 1) * stepMs; ms <= last; ms += stepMs) {
      const counts = await this.#readColumn(tx, workspace_id, ms, stepMs)
      all.push(counts)
      columns.push({ at: new Date(ms).toISOString(), ...sumOf([...counts.values()]) })
    }
    return { step_ms: stepMs, ...sumOf(columns), columns, channels: channelsIn(all) }
  }

  async #readColumn(tx: Tx, workspace_id: number, fromMs: number, stepMs: number): Promise<ByChannel> {
    const key = `${workspace_id} ${fromMs} ${stepMs}`
    const kept = this.#kept.get(key)
    const startedMs = this.#clock.elapsed()
    if (kept && startedMs < kept.untilMs) return kept.counts
    const counts = new Map<string, Counts>()
    for (const { channel, reason, count } of await countOutcomes(tx, workspace_id, fromMs, fromMs + stepMs)) {
      const own = counts.get(channel) ?? none()
      own[reason === null ? 'waiting' : familyOf(reason)] += Number(count)
      counts.set(channel, own)
    }
    const endedMs = this.#clock.elapsed()
    const isSettled = fromMs + stepMs < this.#clock.now() - settledMs
    this.#kept.set(key, { counts, untilMs: endedMs + (isSettled ? pauseMs : pauseTimes * (endedMs - startedMs)) })
    return counts
  }
}

/** Returns the messages of each channel that has any, in the order of the channels. */
function channelsIn(all: readonly ByChannel[]): ChannelOutcomes[] {
  const names = new Set(all.flatMap((counts) => [...counts.keys()]))
  const known = allChannels().filter(({ name }) => names.has(name))
  return known.map(({ name, words: { many } }) => {
    const sums = sumOf(all.flatMap((each) => each.get(name) ?? []))
    return { channel: name, words: many, ...sums, tried: sums.sent + sums.failed + sums.uncertain }
  })
}

function none(): Counts {
  return Object.fromEntries(families.map((family) => [family, 0])) as Counts
}

function sumOf(columns: readonly Counts[]): Counts {
  const sums = none()
  for (const column of columns) for (const family of families) sums[family] += column[family]
  return sums
}
