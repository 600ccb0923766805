import { performance } from 'node:perf_hooks'
import { builtSizes } from '../test/support/dashboard-sizes.ts'
import { type Effort, median } from './measure.ts'
import { Random } from './random.ts'
import type { Figure } from './report.ts'
import { emailOf } from './samples.ts'
import type { Setup } from './setup.ts'

const seed = 909
const loops = 60
const quickLoops = 5

/** What the dashboard may load before the first page, in kilobytes of gzip, and how long its requests may take, in milliseconds. */
export const dashboardLimits: Readonly<Record<string, number>> = {
  'dashboard, first script': 150,
  'dashboard, styles': 25,
  'dashboard, fonts': 60,
  'dashboard, largest page': 40,
  'dashboard, picture of a canvas': 90,
  'dashboard, editor of texts': 160,
  'dashboard, overview': 150,
  'dashboard, find a person': 20,
  'dashboard, list of people': 50,
  'dashboard, list of messages': 100,
  'dashboard, a person': 80,
  'dashboard, a timeline': 150,
  'dashboard, a send': 700,
}

/** Measures the requests of the dashboard's pages, one after another over one connection, and what a browser loads. */
export async function benchDashboard(setup: Setup, effort: Effort): Promise<Figure[]> {
  const { server, database, people } = setup
  const random = new Random(seed)
  const idOf = async () => {
    const found = (await server.read(`/admin/people/search?q=${emailOf(random.below(people))}`)) as Found
    return found.people[0]!.id
  }
  const ids = await Promise.all(Array.from({ length: loops }, idOf))
  // The send to everybody, of which all messages are counted.
  const { dispatches } = (await server.read('/admin/dispatches?limit=1')) as { dispatches: { dispatch_id: string }[] }
  let next = 0
  const anyId = () => ids[next++ % ids.length]!
  const requests: Readonly<Record<string, () => string>> = {
    // Each is another overview: the same one is kept for some seconds.
    overview: () => `/admin/overview?hours=${1 + (next++ % 168)}`,
    'find a person': () => `/admin/people/search?q=${emailOf(random.below(people))}`,
    'list of people': () => '/admin/people/search',
    'list of messages': () => '/admin/messages',
    'a person': () => `/admin/people/${anyId()}`,
    'a timeline': () => `/admin/people/${anyId()}/timeline`,
    'a send': () => `/admin/dispatches/${dispatches[0]!.dispatch_id}`,
  }
  const figures: Figure[] = await sizeFigures()
  for (const [name, path] of Object.entries(requests)) {
    const spentMs: number[] = []
    for (let i = 0; i < (effort.quick ? quickLoops : loops); i++) {
      const startedMs = performance.now()
      await server.read(path())
      spentMs.push(performance.now() - startedMs)
    }
    const p99Ms = spentMs.toSorted((a, b) => a - b).at(-1)!
    figures.push({ what: `dashboard, ${name}`, database, people, value: median(spentMs), unit: 'ms', p99Ms })
  }
  return figures
}

type Found = { people: { id: string }[] }

async function sizeFigures(): Promise<Figure[]> {
  return Object.entries(await builtSizes()).map(([what, value]) => ({
    what: `dashboard, ${what}`,
    database: 'none',
    value,
    unit: 'kB',
  }))
}
