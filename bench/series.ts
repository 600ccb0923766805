import { performance } from 'node:perf_hooks'
import { type Effort, median } from './measure.ts'
import { Random } from './random.ts'
import type { Figure } from './report.ts'
import { eventNames } from './samples.ts'
import type { Setup } from './setup.ts'
import { countedCanvas } from './tallies.ts'

const seed = 33
const loops = 200
const quickLoops = 10
/** The longest that a series may take, in milliseconds: 99 of 100 requests. */
export const seriesMsMax = 100
export const seriesName = (what: string) => `series, ${what}`

/** Measures each kind of series over one connection, with the longest range that it may have. */
export async function benchSeries({ server, database, people }: Setup, effort: Effort): Promise<Figure[]> {
  const random = new Random(seed)
  const anyEvent = () => encodeURIComponent(random.pick(eventNames))
  const ending = () => new Date(Date.now() - random.below(200) * 24 * 3_600_000).toISOString()
  const canvas = `canvas_id=${encodeURIComponent(countedCanvas)}&include_variant_breakdown=true&include_step_breakdown=true`
  const paths: Readonly<Record<string, () => string>> = {
    'an event by days': () => `/events/data_series?event=${anyEvent()}&length=100`,
    'an event by hours': () => `/events/data_series?event=${anyEvent()}&length=100&unit=hour`,
    'revenue of all products': () => '/purchases/revenue_series?length=100',
    sessions: () => '/sessions/data_series?length=100',
    'active people of months': () => '/kpi/mau/data_series?length=100',
    'a canvas': () => `/canvas/data_series?${canvas}&length=14`,
    'a summary of a canvas': () => `/canvas/data_summary?${canvas}&length=14`,
  }
  const figures: Figure[] = []
  for (const [what, path] of Object.entries(paths)) {
    const spentMs: number[] = []
    for (let i = 0; i < (effort.quick ? quickLoops : loops); i++) {
      const given = `${path()}&ending_at=${ending()}`
      const startedMs = performance.now()
      await server.get(given)
      spentMs.push(performance.now() - startedMs)
    }
    const p99Ms = spentMs.toSorted((a, b) => a - b)[Math.ceil(spentMs.length * 0.99) - 1]!
    figures.push({ what: seriesName(what), database, people, value: median(spentMs), unit: 'ms', p99Ms })
  }
  return figures
}
