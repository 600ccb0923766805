import { performance } from 'node:perf_hooks'
import { type Effort, median, quantile } from './measure.ts'
import { Random } from './random.ts'
import type { Figure } from './report.ts'
import { emailOf } from './samples.ts'
import { benchSeries } from './series.ts'
import type { Setup } from './setup.ts'
import { benchExport } from './single-connection.ts'

const loops = 200
const quickLoops = 10
const seed = 611

/** The figures of this benchmark have these words before the names that they have elsewhere. */
export const historyName = (what: string) => `a year of events, ${what}`
export const historyPageName = 'history page of a person'

/** Measures an export of 50 people, the series, and the page of a person's history, with a year of events. */
export async function benchHistory(setup: Setup, effort: Effort): Promise<Figure[]> {
  const figures = [
    ...(await benchExport(setup, { ...effort, withHistory: setup.people })),
    ...(await benchSeries(setup, effort)),
    await benchPage(setup, effort),
  ]
  return figures.map((figure) => ({ ...figure, what: historyName(figure.what) }))
}

async function benchPage({ server, database, people }: Setup, effort: Effort): Promise<Figure> {
  const random = new Random(seed)
  const spentMs: number[] = []
  for (let i = 0; i < (effort.quick ? quickLoops : loops); i++) {
    const id = await server.findPerson(emailOf(random.below(people)))
    const startedMs = performance.now()
    await server.read(`/admin/people/${id}/timeline`)
    spentMs.push(performance.now() - startedMs)
  }
  const p99Ms = quantile(spentMs, 0.99)
  return { what: historyPageName, database, people, value: median(spentMs), unit: 'ms', p99Ms }
}
