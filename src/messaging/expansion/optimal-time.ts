import { sha256 } from '../../base/ids.ts'
import { type QuietHours, quietUntil } from '../delivery/quiet-hours.ts'
import { zonedInstant } from '../orders/schedule.ts'

/** An open, click or session of a person. Those of machines are left out. */
export type Engagement = { readonly kind: 'clicked' | 'opened' | 'session'; readonly timeMs: number }

/** The weight of engagements in each hour of the day, 0 to 23. `count`: how many engagements they are. */
export type Histogram = { readonly hours: readonly number[]; readonly count: number }

/** What the hour was chosen by: the engagements of the person, those of the workspace, or the time of the schedule. */
export type TimingSource = 'own' | 'workspace' | 'schedule'
export type Timing = { readonly dueMs: number; readonly hour: number; readonly source: TimingSource }

const weights: Readonly<Record<Engagement['kind'], number>> = { clicked: 3, opened: 2, session: 1 }
const hourMs = 3_600_000
const halfLifeMs = 30 * 24 * hourMs
const hoursOfDay = 24
/** The least sum of weights with which the engagements of the person are used, and the least number of those of the workspace. */
export const ownWeightLeast = 5
export const workspaceCountLeast = 100

/**
 * Weighs the engagements of a person for each hour of the day. The weight of an engagement halves in thirty days. Several of a kind in one
 * hour count once; those after `nowMs` (epoch milliseconds) do not count. Pure.
 */
export function histogramOf(engagements: readonly Engagement[], zone: string, nowMs: number): Histogram {
  const hours = new Array<number>(hoursOfDay).fill(0)
  const seen = new Set<string>()
  const latestFirst = engagements
    .filter(({ timeMs }) => timeMs <= nowMs)
    .sort((a, b) => b.timeMs - a.timeMs || weights[b.kind] - weights[a.kind])
  for (const { kind, timeMs } of latestFirst) {
    const clock = Temporal.Instant.fromEpochMilliseconds(timeMs).toZonedDateTimeISO(zone)
    const key = `${kind} ${clock.toPlainDate()} ${clock.hour}`
    if (seen.has(key)) continue
    seen.add(key)
    hours[clock.hour]! += weights[kind] * 0.5 ** ((nowMs - timeMs) / halfLifeMs)
  }
  return { hours, count: seen.size }
}

/** Adds the histograms of several people. */
export function addHistograms(histograms: readonly Histogram[]): Histogram {
  const hours = Array.from({ length: hoursOfDay }, (_, hour) =>
    histograms.reduce((sum, histogram) => sum + histogram.hours[hour]!, 0),
  )
  return { hours, count: histograms.reduce((sum, { count }) => sum + count, 0) }
}

/**
 * Returns when the message to a person is due on `date` (ISO), epoch milliseconds: in the hour with the most engagements of the person,
 * adjacent hours counting half, else of the workspace, else at the time of day in `local`. Of equal hours the earlier one. The minute is a
 * function of `profile_id`. A time in quiet hours moves to their end. Pure.
 */
export function optimalTime(
  { own, workspace }: { readonly own?: Histogram | undefined; readonly workspace?: Histogram | undefined },
  given: {
    readonly date: string
    readonly zone: string
    /** The date and time of day of the schedule, ISO 8601 without an offset. */
    readonly local: string
    readonly profile_id: string
    readonly quiet?: QuietHours | undefined
  },
): Timing {
  const { date, zone, local, profile_id, quiet } = given
  const found = chooseHour(own, workspace)
  const time = found ? `${twoDigits(found.hour)}:${twoDigits(minuteOf(profile_id))}` : local.slice('yyyy-MM-ddT'.length)
  const ms = zonedInstant(zone, `${date}T${time}`)
  const dueMs = (quiet && quietUntil(quiet, ms, zone)) ?? ms
  return found ? { dueMs, ...found } : { dueMs, hour: Number(time.slice(0, 2)), source: 'schedule' }
}

function chooseHour(
  own: Histogram | undefined,
  workspace: Histogram | undefined,
): { readonly hour: number; readonly source: 'own' | 'workspace' } | undefined {
  if (own && own.hours.reduce((sum, weight) => sum + weight, 0) >= ownWeightLeast) {
    return { hour: bestHour(own.hours), source: 'own' }
  }
  if (workspace && workspace.count >= workspaceCountLeast)
    return { hour: bestHour(workspace.hours), source: 'workspace' }
  return undefined
}

function bestHour(hours: readonly number[]): number {
  const at = (hour: number) => hours[(hour + hoursOfDay) % hoursOfDay]!
  const scores = hours.map((_, hour) => at(hour) / 2 + (at(hour - 1) + at(hour + 1)) / 4)
  return scores.indexOf(Math.max(...scores))
}

function minuteOf(profile_id: string): number {
  return sha256(`minute/${profile_id}`).readUInt32BE(0) % 60
}

function twoDigits(number: number): string {
  return `${number}`.padStart(2, '0')
}
