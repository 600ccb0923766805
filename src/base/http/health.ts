import type { Metrics } from './metrics.ts'
import { jsonPage, type Page } from './page.ts'

/** Resolves to undefined when the part works. Rejects, or resolves to a sentence, when it does not. */
export type HealthCheck = () => Promise<string | undefined>

const checkMs = 2000

export type Checks = { readonly [part: string]: HealthCheck }
/** Return a sentence while the part does not work. */
type DegradedChecks = { readonly [part: string]: () => string | undefined }

/**
 * `/health`: the process answers. `/ready`: all it depends on works too; a 503 names what does not. A part of `degraded` that does not work
 * is named with a 200, because the process still serves.
 */
export function healthPages(checks: Checks, degraded: DegradedChecks): Page[] {
  return [
    { path: '/health', render: async () => jsonPage(200, { message: 'success' }) },
    { path: '/ready', render: () => ready(checks, degraded) },
  ]
}

/** Returns the state of each part: `ok`, or what is wrong. Takes two seconds at most. */
async function readStates(checks: Checks): Promise<[part: string, state: string][]> {
  return Promise.all(
    Object.entries(checks).map(async ([part, check]): Promise<[string, string]> => {
      const outcome = await withTimeout(check).catch(() => 'away')
      return [part, outcome ?? 'ok']
    }),
  )
}

/** Adds `easel_ready`, which says for each part what `/ready` says. */
export function addReadyGauge(metrics: Pick<Metrics, 'gauge'>, checks: Checks): void {
  metrics.gauge({
    name: 'easel_ready',
    help: '1 while the part works, else 0, by part: database or workers.',
    labelNames: ['part'],
    async collect() {
      for (const [part, state] of await readStates(checks)) this.set({ part }, state === 'ok' ? 1 : 0)
    },
  })
}

async function ready(checks: Checks, degraded: DegradedChecks) {
  const states = await readStates(checks)
  const wrong = states.flatMap(([part, state]) => (state === 'ok' ? [] : [`${part}: ${state}`]))
  const troubles = Object.entries(degraded).map(([part, check]) => [part, check()] as const)
  const byPart = {
    ...Object.fromEntries(states),
    ...Object.fromEntries(troubles.map(([part, trouble]) => [part, trouble ? `degraded: ${trouble}` : 'ok'])),
  }
  if (wrong.length === 0) return jsonPage(200, { ...byPart, message: 'success' })
  return jsonPage(503, { ...byPart, message: `Not ready: ${wrong.join(', ')}` })
}

async function withTimeout(check: HealthCheck): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer in ${checkMs} ms`), checkMs)
  })
  return Promise.race([check(), late]).finally(() => clearTimeout(timer))
}
