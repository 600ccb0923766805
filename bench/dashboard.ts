import { performance } from 'node:perf_hooks'
import { builtSizes } from '../test/support/dashboard-sizes.ts'
import { cpuBetween, readCpu } from './cpu.ts'
import { benchLayout } from './layout.ts'
import { type Effort, median } from './measure.ts'
import { Random } from './random.ts'
import type { Figure } from './report.ts'
import { emailOf } from './samples.ts'
import type { Setup } from './setup.ts'
import { standingCanvas } from './standing.ts'

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
  'dashboard, editor of a canvas': 160,
  'dashboard, overview': 150,
  'dashboard, find a person': 20,
  'dashboard, list of people': 50,
  'dashboard, list of messages': 100,
  'dashboard, a person': 80,
  'dashboard, a timeline': 150,
  'dashboard, a send': 700,
  'dashboard, standing in a canvas': 150,
  'dashboard, a preview': 100,
  'dashboard, layout of 200 steps': 16,
}

const layoutSteps = 200

/** Measures the requests of the dashboard's pages, one after another over one connection, and what a browser loads. */
export async function benchDashboard(setup: Setup, effort: Effort): Promise<Figure[]> {
  const { server, database, people, postmaster } = setup
  const random = new Random(seed)
  const idOf = () => server.findPerson(emailOf(random.below(people)))
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
    // Another span each time, for the same reason.
    'standing in a canvas': () =>
      `/admin/canvases/${encodeURIComponent(standingCanvas)}/standing?hours=${1 + (next++ % 168)}`,
  }
  const work: Readonly<Record<string, () => Promise<unknown>>> = {
    ...Object.fromEntries(Object.entries(requests).map(([name, path]) => [name, () => server.read(path())])),
    'a preview': () => server.add('/admin/preview', { mail: previewed, person: anyId() }),
  }
  const times = effort.quick ? quickLoops : loops
  const figures: Figure[] = [...(await sizeFigures()), benchLayout(layoutSteps)]
  for (const [name, ask] of Object.entries(work)) {
    const spentMs: number[] = []
    const before = readCpu(server.pid, postmaster)
    for (let i = 0; i < times; i++) {
      const startedMs = performance.now()
      await ask()
      spentMs.push(performance.now() - startedMs)
    }
    const { nodeUs, databaseUs } = cpuBetween(before, readCpu(server.pid, postmaster))
    const p99Ms = spentMs.toSorted((a, b) => a - b).at(-1)!
    const cpu = { nodeUs: nodeUs / times, ...(postmaster !== undefined && { databaseUs: databaseUs / times }) }
    figures.push({ what: `dashboard, ${name}`, database, people, value: median(spentMs), unit: 'ms', p99Ms, ...cpu })
  }
  return figures
}

/** A mail of about 20 kB, as templates of shops are. */
const previewed = {
  subject: "Hello {{${first_name} | default: 'friend'}}",
  body: `<style>p { color: #333333; margin: 0 0 1em }</style>${'<p>You are on the plan {{custom_attribute.${plan}}}.</p>\n'.repeat(300)}`,
}

async function sizeFigures(): Promise<Figure[]> {
  return Object.entries(await builtSizes()).map(([what, value]) => ({
    what: `dashboard, ${what}`,
    database: 'none',
    value,
    unit: 'kB',
  }))
}
