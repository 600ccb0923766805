import easel from '../package.json' with { type: 'json' }
import { isAllowed } from './accounts/keys/allowed-ips.ts'
import { downloadPages } from './audience/exports/download.ts'
import { isVirtual } from './base/clock.ts'
import type { Config } from './base/config.ts'
import { backendOf } from './base/db/backends.ts'
import type { AuthLookups } from './base/http/auth.ts'
import { createCallerIp } from './base/http/caller-ip.ts'
import { docsPages } from './base/http/docs.ts'
import { addReadyGauge, type Checks, healthPages } from './base/http/health.ts'
import type { Intercept } from './base/http/intercept.ts'
import { metricsPages } from './base/http/metrics.ts'
import type { ObserveAnswer } from './base/http/observe.ts'
import { openApiPages } from './base/http/openapi.ts'
import type { Page } from './base/http/page.ts'
import { openRateLimiter } from './base/http/rate-limit.ts'
import type { Route } from './base/http/route.ts'
import { defaultTimeouts, type ServerOptions, type Timeouts } from './base/http/server.ts'
import { openWrongBearers } from './base/http/wrong-bearers.ts'
import type { Log } from './base/log.ts'
import { type Jobs, startJobs } from './base/work/jobs.ts'
import { mediaPages } from './content/media/pages.ts'
import { builtFolder } from './dashboard/shell/built-files.ts'
import { dashboardPages } from './dashboard/shell/pages.ts'
import { addGauges } from './gauges.ts'
import { channelPages } from './messaging/feedback/channel-pages.ts'
import { hostedPages } from './messaging/feedback/hosted-pages.ts'
import { mailPages } from './messaging/lookup/mail-pages.ts'
import { previewPage } from './messaging/previews/preview-pages.ts'
import { signUpPages } from './messaging/sign-up/pages.ts'
import { routes } from './routes.ts'
import { type GivenServices, openServices, type Services, workspaceFinder } from './services.ts'
import { jobsOf, startListener, startWorkers } from './start.ts'
import { getInstallation } from './workspace/settings/installation-store.ts'

/** What an emulator adds to a service. */
export type Attachment = {
  /** Endpoints beside those of the service. */
  readonly routes: readonly Route[]
  readonly intercept: Intercept
  readonly observe: ObserveAnswer
}

export type GenerationParts = GivenServices & {
  readonly timeouts?: Partial<Timeouts> | undefined
  /** The folder of the built dashboard, instead of the one of this checkout. */
  readonly dashboardFolder?: string | undefined
  readonly attachment?: Attachment | undefined
}

/** Everything that runs over one database: services, workers, and the answers of the server. An emulator replaces it as a whole. */
export type Generation = {
  readonly services: Services
  readonly server: ServerOptions
  /** The port that receives returned mail. */
  readonly bouncePort: number | undefined
  /** Finishes what was accepted, and closes the database. */
  close(): Promise<void>
}

/** Opens a generation. When a later step fails, everything opened before it is closed. Its loops and jobs are recorded with `telemetry`. */
export function openGeneration(config: Config, log: Log, parts: GenerationParts): Promise<Generation> {
  const telemetry = parts.telemetry?.telemetry
  return telemetry === undefined ? open(config, log, parts) : telemetry.run(() => open(config, log, parts))
}

async function open(config: Config, log: Log, parts: GenerationParts): Promise<Generation> {
  await using opened = new AsyncDisposableStack()
  const core = await openServices(config, log, opened, parts)
  const jobs = startJobs(jobsOf(core), log)
  opened.defer(() => jobs.close())
  const services = startWorkers(core, opened)
  addGauges(services)
  const stop = new AbortController()
  opened.defer(() => stop.abort())
  const listener = await startListener(core)
  if (listener) opened.defer(() => listener.close())
  const { attachment, timeouts, dashboardFolder = builtFolder } = parts
  const table = config.role === 'worker' ? [] : [...routes(services), ...(attachment?.routes ?? [])]
  const server: ServerOptions = {
    routes: table,
    pages: pagesOf(services, table, jobs, dashboardFolder),
    timeouts: { ...defaultTimeouts, ...timeouts },
    signal: stop.signal,
    rateLimiter: openRateLimiter({ ...services, limitsOf: (id) => services.workspaces.get(id).settings.rate_limits }),
    scimStatus: () => services.workspaces.default().settings.scim.status ?? 'number',
    isStrict: (id) => services.workspaces.get(id).settings.strict,
    observe(exchange) {
      services.auditObserver.observe(exchange)
      services.requestLog.observe(exchange)
      services.scimRequests.observe(exchange)
      services.traffic.observe(exchange)
      attachment?.observe(exchange)
    },
    intercept: attachment?.intercept,
    authLookups: authLookupsOf(services),
    callerIp: createCallerIp(config.trustedProxies),
    telemetry: parts.telemetry?.telemetry,
    ...core,
  }
  const running = opened.move()
  return { services, server, bouncePort: listener?.port, close: () => running.disposeAsync() }
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

/** What `/ready` and `easel_ready` say. */
function checksOf(services: Services, jobs: Jobs): Checks {
  const { db, poller, auditObserver, traffic, worker, exports, statuses, engagements, delivery, expansion, journeys } =
    services
  const workers = [
    jobs,
    poller,
    auditObserver,
    traffic,
    worker,
    exports,
    statuses,
    engagements,
    delivery,
    expansion,
    journeys,
  ]
  workers.push(services.feed, services.webhooks)
  return {
    database: async () => void (await getInstallation(db)),
    workers: async () => {
      const failing = workers.flatMap((each) => each?.failing() ?? [])
      return failing.length === 0 ? undefined : `${failing.join(', ')} failed`
    },
  }
}

/** Servers without which the process still serves. */
function degradedChecks({ smsUrl }: Config, delivery: Services['delivery']) {
  if (!delivery) return {}
  return { mail: () => delivery.trouble('email'), ...(smsUrl !== undefined && { sms: () => delivery.trouble('sms') }) }
}

function pagesOf(services: Services, table: readonly Route[], jobs: Jobs, dashboardFolder: string): Page[] {
  const { config, db, clock, delivery } = services
  const checks = checksOf(services, jobs)
  addReadyGauge(services.metrics, checks)
  const clockNow = () =>
    isVirtual(clock) ? `virtual, standing at ${new Date(clock.now()).toISOString()}` : 'the system clock'
  return [
    ...dashboardPages(dashboardFolder, {
      version: easel.version,
      database: backendOf(db).label,
      clock: clockNow,
      origin: config.publicUrl,
    }),
    ...healthPages(checks, degradedChecks(config, delivery)),
    ...metricsPages(services.metrics, { token: config.metricsToken, host: config.host }),
    ...openApiPages(table, easel.version),
    ...docsPages(config.publicUrl),
    ...downloadPages(services),
    ...mediaPages(services),
    ...services.signIn.pages,
    ...hostedPages(services),
    ...signUpPages(services),
    ...channelPages(services),
    ...mailPages(services),
    previewPage(services),
  ]
}
