import easel from '../package.json' with { type: 'json' }
import { isAllowed } from './accounts/keys/allowed-ips.ts'
import { findFirstLink } from './accounts/sign-in/open.ts'
import { downloadPages } from './audience/exports/download.ts'
import { describeDatabase, type Fact, factsOf, type MadeSecret } from './banner.ts'
import { isVirtual } from './base/clock.ts'
import type { Config } from './base/config.ts'
import { backendOf } from './base/db/backends.ts'
import type { AuthLookups } from './base/http/auth.ts'
import { createCallerIp } from './base/http/caller-ip.ts'
import { docsPages } from './base/http/docs.ts'
import { healthPages } from './base/http/health.ts'
import { metricsPages } from './base/http/metrics.ts'
import { openApiPages } from './base/http/openapi.ts'
import type { Page } from './base/http/page.ts'
import { openRateLimiter } from './base/http/rate-limit.ts'
import type { Route } from './base/http/route.ts'
import { defaultTimeouts, openServer, type Timeouts } from './base/http/server.ts'
import { openWrongBearers } from './base/http/wrong-bearers.ts'
import { createLog, type Log } from './base/log.ts'
import { type Jobs, startJobs } from './base/work/jobs.ts'
import { mediaPages } from './content/media/pages.ts'
import { builtFolder } from './dashboard/shell/built-files.ts'
import { dashboardPages } from './dashboard/shell/pages.ts'
import { addGauges } from './gauges.ts'
import { hostedPages } from './messaging/feedback/hosted-pages.ts'
import { mailPages } from './messaging/lookup/mail-pages.ts'
import { previewPage } from './messaging/previews/preview-pages.ts'
import { routes } from './routes.ts'
import { type CoreServices, type GivenServices, openServices, type Services, workspaceFinder } from './services.ts'
import { jobsOf, startListener, startWorkers } from './start.ts'
import { countUnfinished, describeFinished } from './stop.ts'
import { getInstallation } from './workspace/settings/installation-store.ts'

/** What a caller may bring along: `main.ts` the list of secrets, a test what it observes. */
export type Parts = Partial<GivenServices> & {
  timeouts?: Partial<Timeouts>
  log?: Log
  /** The folder of the built dashboard, instead of the one of this checkout. */
  dashboardFolder?: string
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
  /** Stops listening, finishes what was accepted, closes the database. Logs `because` and what was finished. */
  close(because?: string): Promise<void>
}

/** Builds the service and starts it; nothing else builds things. When a later step fails, everything opened before it is closed. */
export async function startApp(config: Config, parts: Parts = {}): Promise<App> {
  await using opened = new AsyncDisposableStack()
  const log = parts.log ?? createLog(config)
  const made = parts.made ?? []
  const core = await openServices(config, log, opened, { ...parts, made })
  const jobs = startJobs(jobsOf(core), log)
  opened.defer(() => jobs.close())
  const services = startWorkers(core, opened)
  addGauges(services)
  const stop = new AbortController()
  opened.defer(() => stop.abort())
  const listener = await startListener(core)
  if (listener) opened.defer(() => listener.close())
  const table = config.role === 'worker' ? [] : routes(services)
  const pages = pagesOf(services, table, jobs, parts.dashboardFolder ?? builtFolder)
  const server = openServer({
    routes: table,
    pages,
    timeouts: { ...defaultTimeouts, ...parts.timeouts },
    signal: stop.signal,
    rateLimiter: openRateLimiter({ ...services, limitsOf: (id) => services.workspaces.get(id).settings.rate_limits }),
    scimStatus: () => services.workspaces.default().settings.scim.status ?? 'number',
    isStrict: (id) => services.workspaces.get(id).settings.strict,
    observe(exchange) {
      services.auditObserver.observe(exchange)
      services.requestLog.observe(exchange)
      services.scimRequests.observe(exchange)
      services.traffic.observe(exchange)
    },
    authLookups: authLookupsOf(services),
    callerIp: createCallerIp(config.trustedProxies),
    ...core,
  })
  const url = await server.listen(config.host, config.port)
  opened.defer(() => server.close())
  if (config.role !== 'worker') made.push(...(await firstRun(core, url)))
  const database = describeDatabase(config)
  log.info({ url, database, version: easel.version }, `Easel is running at ${url}`)
  const running = opened.move()
  return {
    url,
    version: easel.version,
    facts: factsOf(config, made),
    made,
    ...(listener && { bouncePort: listener.port }),
    endpoints: [
      ...table,
      ...pages.map(({ method = 'GET', path }) => ({ method, path, permission: 'public' as const })),
    ],
    inFlight: () => server.inFlight(),
    async close(because = 'the caller') {
      const startMs = core.clock.elapsed()
      const before = countUnfinished(services, server.inFlight())
      log.info({ because }, `Stopping: ${because}`)
      await running.disposeAsync()
      const finished = describeFinished(before, countUnfinished(services, server.inFlight()))
      log.info({ because }, `Stopped in ${Math.round(core.clock.elapsed() - startMs)} ms. Finished: ${finished}`)
    },
  }
}

/** Returns the link that makes the first administrator, while there is none. */
async function firstRun({ config, db, sealingKey }: CoreServices, url: string): Promise<MadeSecret[]> {
  const link = await findFirstLink(db, config.port === 0 ? url : config.publicUrl, sealingKey)
  return link === undefined ? [] : [{ name: 'First account', text: link, isShownAgain: true }]
}

/** Who may make requests. */
function authLookupsOf({ clock, keys, workspaces, sessionAccess }: Services): AuthLookups {
  return {
    findKey: (token) => keys.findKey(token),
    isAdmin: (token) => keys.isAdmin(token),
    findScimToken: (token) => keys.findScimToken(token),
    wrongBearers: openWrongBearers(clock),
    isAllowed,
    defaultWorkspace: () => workspaces.default().workspace_id,
    findWorkspace: workspaceFinder(workspaces),
    findSignedIn: (cookies) => sessionAccess.find(cookies),
  }
}

function pagesOf(services: Services, table: readonly Route[], jobs: Jobs, dashboardFolder: string): Page[] {
  const { config, db, clock, worker, exports, statuses, engagements, delivery, expansion, journeys } = services
  const { auditObserver, traffic } = services
  const workers = [jobs, auditObserver, traffic, worker, exports, statuses, engagements, delivery, expansion, journeys]
  const clockNow = () =>
    isVirtual(clock) ? `virtual, standing at ${new Date(clock.now()).toISOString()}` : 'the system clock'
  return [
    ...dashboardPages(dashboardFolder, {
      version: easel.version,
      database: backendOf(db).label,
      clock: clockNow,
      origin: config.publicUrl,
    }),
    ...healthPages(
      {
        database: async () => void (await getInstallation(db)),
        workers: async () => {
          const failing = workers.flatMap((each) => each?.failing() ?? [])
          return failing.length === 0 ? undefined : `${failing.join(', ')} failed`
        },
      },
      delivery ? { mail: () => delivery.mailTrouble() } : {},
    ),
    ...metricsPages(services.metrics, { token: config.metricsToken, host: config.host }),
    ...openApiPages(table, easel.version),
    ...docsPages(config.publicUrl),
    ...downloadPages(services),
    ...mediaPages(services),
    ...services.signIn.pages,
    ...hostedPages(services),
    ...mailPages(services),
    previewPage(services),
  ]
}
