import { jsonPage, type Page } from './page.ts'

/** Resolves to undefined when the part works. Rejects, or resolves to a sentence, when it does not. */
export type HealthCheck = () => Promise<string | undefined>

const checkMs = 2000

type Checks = { readonly [part: string]: HealthCheck }
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

async function ready(checks: Checks, degraded: DegradedChecks) {
  const parts = Object.entries(checks)
  const outcomes = await Promise.allSettled(parts.map(([, check]) => withTimeout(check)))
  const states = outcomes.map((outcome) => (outcome.status === 'rejected' ? 'away' : (outcome.value ?? 'ok')))
  const wrong = parts.flatMap(([part], i) => (states[i] === 'ok' ? [] : [`${part}: ${states[i]}`]))
  const troubles = Object.entries(degraded).map(([part, check]) => [part, check()] as const)
  const byPart = {
    ...Object.fromEntries(parts.map(([part], i) => [part, states[i]])),
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
