import easel from '../package.json' with { type: 'json' }
import { findFirstLink } from './accounts/sign-in/open.ts'
import { describeDatabase, type Fact, factsOf, type MadeSecret } from './banner.ts'
import { createClock } from './base/clock.ts'
import type { Config } from './base/config.ts'
import type { Route } from './base/http/route.ts'
import { openServer, type Timeouts } from './base/http/server.ts'
import { createLog, type Log } from './base/log.ts'
import type { OpenTelemetry } from './base/otel/open-telemetry.ts'
import { signalsOf } from './base/telemetry-variables.ts'
import type { Attachment, GenerationParts } from './generation.ts'
import { openGenerations, type Renewal } from './generations.ts'
import type { CoreServices, GivenServices } from './services.ts'
import { countUnfinished, describeFinished } from './stop.ts'

/** What a caller may bring along: `main.ts` the list of secrets, a test what it observes. */
export type Parts = Partial<GivenServices> & {
  timeouts?: Partial<Timeouts>
  log?: Log
  /** The folder of the built dashboard, instead of the one of this checkout. */
  dashboardFolder?: string
  /** What an emulator adds. */
  attachment?: Attachment
}

export type App = {
  /** Where it listens, `http://host:port`. */
  url: string
  version: string
  /** Lines about the installation for the person who starts it. */
  facts: readonly Fact[]
  made: readonly MadeSecret[]
  /** The port that receives returned mail. */
  bouncePort?: number
  /** Every endpoint and page. */
  endpoints: readonly Pick<Route, 'method' | 'path' | 'permission'>[]
  /** How many requests have arrived and are not answered yet. */
  inFlight(): number
  /** With an attachment: replaces everything that runs over the database. */
  readonly renewal: Renewal | undefined
  /** Stops listening, finishes what was accepted, closes the database. Logs `because` and what was finished. */
  close(because?: string): Promise<void>
}

/** Builds the service and starts it; nothing else builds things. When a later step fails, everything opened before it is closed. */
export async function startApp(config: Config, parts: Parts = {}): Promise<App> {
  await using opened = new AsyncDisposableStack()
  const log = parts.log ?? createLog(config)
  const made = parts.made ?? []
  const telemetry = await openCollector(config, log)
  if (telemetry) opened.defer(() => telemetry.close())
  const generations = await openGenerations(config, log, { ...parts, made, telemetry } satisfies GenerationParts)
  opened.defer(() => generations.close())
  const first = generations.current()
  const server = openServer(first.server)
  const url = await server.listen(config.host, config.port)
  opened.defer(() => server.close())
  if (config.role !== 'worker') made.push(...(await firstRun(first.services, url)))
  const database = describeDatabase(config)
  log.info({ url, database, version: easel.version }, `Easel is running at ${url}`)
  const { routes, pages } = first.server
  const { clock } = first.services
  const running = opened.move()
  return {
    url,
    version: easel.version,
    facts: factsOf(config, made),
    made,
    ...(first.bouncePort !== undefined && { bouncePort: first.bouncePort }),
    endpoints: [
      ...routes,
      ...pages.map(({ method = 'GET', path }) => ({ method, path, permission: 'public' as const })),
    ],
    inFlight: () => server.inFlight(),
    renewal: generations.renewalOn(server),
    async close(because = 'the caller') {
      const startMs = clock.elapsed()
      const { services } = generations.current()
      const before = countUnfinished(services, server.inFlight())
      log.info({ because }, `Stopping: ${because}`)
      // Requests that wait for an event are answered now.
      services.feed.waiters.close()
      await running.disposeAsync()
      const finished = describeFinished(before, countUnfinished(services, server.inFlight()))
      log.info({ because }, `Stopped in ${Math.round(clock.elapsed() - startMs)} ms. Finished: ${finished}`)
    },
  }
}

/** Opens what sends traces and metrics. Its packages are loaded only where a collector is configured. */
async function openCollector(config: Config, log: Log): Promise<OpenTelemetry | undefined> {
  const signals = signalsOf(config)
  if (signals === undefined) return undefined
  const { openTelemetry } = await import('./base/otel/open-telemetry.ts')
  return openTelemetry(config, signals, { log, clock: createClock('system'), version: easel.version })
}

/** Returns the link that makes the first administrator, while there is none. */
async function firstRun({ config, db, sealingKey }: CoreServices, url: string): Promise<MadeSecret[]> {
  const link = await findFirstLink(db, config.port === 0 ? url : config.publicUrl, sealingKey)
  return link === undefined ? [] : [{ name: 'First account', text: link, isShownAgain: true }]
}
