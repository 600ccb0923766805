import easel from '../package.json' with { type: 'json' }
import { isAllowed } from './accounts/keys/allowed-ips.ts'
import { sessionCookieOf } from './accounts/sessions/cookies.ts'
import { firstRunLink, type SignIn } from './accounts/sign-in/open.ts'
import { Doors } from './accounts/sign-in/signed-in.ts'
import { filePages } from './audience/exports/files.ts'
import type { Exports } from './audience/exports/open.ts'
import { isVirtual } from './base/clock.ts'
import type { Config } from './base/config.ts'
import type { Db } from './base/db/db.ts'
import type { Gate } from './base/http/auth.ts'
import { docsPages } from './base/http/docs.ts'
import { healthPages } from './base/http/health.ts'
import { homePages } from './base/http/home.ts'
import { metricsPages } from './base/http/metrics.ts'
import { openApiPages } from './base/http/openapi.ts'
import type { Page } from './base/http/page.ts'
import { openRates } from './base/http/rate-limit.ts'
import type { Route } from './base/http/route.ts'
import { defaultTimeouts, openServer, type Timeouts } from './base/http/server.ts'
import { createLog, type Log } from './base/log.ts'
import { Lanes } from './base/work/lanes.ts'
import { runTasks, type Tasks } from './base/work/periodic.ts'
import type { Dispatching } from './messaging/expansion/open.ts'
import type { Engagements } from './messaging/feedback/engage.ts'
import { mailPages } from './messaging/feedback/pages.ts'
import type { Entries } from './messaging/journeys/open.ts'
import type { Identities } from './people/identity/identities.ts'
import type { Intake } from './people/intake/intake.ts'
import { prepare } from './people/intake/prepare.ts'
import type { Worker } from './people/merge/worker.ts'
import type { SetParts } from './people/subscription/set.ts'
import { routes } from './routes.ts'
import { type Ground, type GroundParts, type MadeSecret, openGround } from './services.ts'
import {
  startDispatching,
  startEngagements,
  startEntries,
  startExports,
  startIntake,
  startListener,
  startSignIn,
  startWorker,
  tasksOf,
} from './start.ts'
import { getInstallation } from './workspace/settings/installation-store.ts'

/** What may be brought along: by `main.ts` a listener, by a test what it watches. */
export type Parts = Partial<GroundParts> & { timeouts?: Partial<Timeouts>; log?: Log }

export type App = {
  /** Where it listens, `http://host:port`. */
  url: string
  version: string
  database: string
  made: readonly MadeSecret[]
  /** The port where returned mail is taken. */
  bouncePort?: number
  /** Requests that have arrived and are not answered yet. */
  inFlight(): number
  /** Stops listening, finishes what was accepted, closes the database. */
  close(): Promise<void>
}

/** Builds the service and starts it; the only place that builds things. What was opened is closed when a later step fails. */
export async function startApp(config: Config, parts: Parts = {}): Promise<App> {
  await using opened = new AsyncDisposableStack()
  const log = parts.log ?? createLog(config)
  const made = parts.made ?? []
  const ground = await openGround(config, log, opened, { ...parts, made })
  const { db, clock, workspaces } = ground
  const tasks = runTasks(tasksOf(ground), log)
  opened.defer(() => tasks.close())
  const entries = startEntries(ground)
  opened.defer(() => entries.close())
  const intake = startIntake(ground)
  opened.defer(() => intake.close())
  const worker = startWorker(ground)
  opened.defer(() => worker.close())
  const exports = startExports(ground)
  opened.defer(() => exports.close())
  const stop = new AbortController()
  opened.defer(() => stop.abort())
  const engagements = startEngagements(ground)
  opened.defer(() => engagements.close())
  const dispatching = startDispatching(ground, entries)
  opened.defer(() => dispatching.close())
  const listener = await startListener(ground)
  if (listener) opened.defer(() => listener.close())
  const signIn = startSignIn(ground)
  opened.defer(() => signIn.close())
  const doors = new Doors(db, clock, sessionCookieOf(config.publicUrl).name)
  const table =
    config.role === 'worker' ? [] : routesOf(ground, intake, worker, exports, dispatching, engagements, entries, doors)
  const server = openServer({
    routes: table,
    pages: pagesOf(
      ground,
      table,
      tasks,
      [worker, exports, engagements, dispatching, entries],
      intake,
      engagements,
      signIn,
    ),
    timeouts: { ...defaultTimeouts, ...parts.timeouts },
    signal: stop.signal,
    rates: openRates({ db, clock, limitsOf: (workspace_id) => workspaces.get(workspace_id).settings.rate_limits }),
    scimStatus: () => workspaces.default().settings.scim.status ?? 'number',
    gate: gateOf(ground, doors),
    ...ground,
  })
  const url = await server.listen(config.host, config.port)
  opened.defer(() => server.close())
  if (config.role !== 'worker') made.push(...(await firstRun(ground, url)))
  const database = describeDatabase(config, db)
  log.info({ url, database, version: easel.version }, `Easel is running at ${url}`)
  const running = opened.move()
  return {
    url,
    version: easel.version,
    database,
    made,
    ...(listener && { bouncePort: listener.port }),
    inFlight: () => server.inFlight(),
    close: () => running.disposeAsync(),
  }
}

/** The way in while nobody has an account. */
async function firstRun({ config, db, clock }: Ground, url: string): Promise<MadeSecret[]> {
  const link = await firstRunLink(db, clock, config.port === 0 ? url : config.publicUrl)
  return link === undefined ? [] : [{ name: 'First account', text: link }]
}

/** Who may come in. */
function gateOf({ workspaces }: Ground, doors: Doors): Gate {
  return {
    findKey: (token) => workspaces.findKey(token),
    isAdmin: (token) => workspaces.isAdmin(token),
    findScimToken: (token) => workspaces.findScimToken(token),
    isAllowed,
    defaultWorkspace: () => workspaces.default().workspace_id,
    findWorkspace: (id) => (id === undefined ? workspaces.default() : workspaces.find(id))?.workspace_id,
    findSignedIn: (cookies) => doors.find(cookies),
  }
}

function routesOf(
  ground: Ground,
  intake: Intake,
  worker: Worker,
  exports: Exports,
  dispatching: Dispatching,
  engagements: Engagements,
  entries: Entries,
  doors: Doors,
): Route[] {
  const { config, db, secret, hashAddress, mention, workspaces, identities, renderer, fetcher } = ground
  const { formatServiceId, parseServiceId, newId, graphs } = ground
  return routes({
    doors,
    intake,
    renderer,
    fetcher,
    engagements,
    worker,
    mention,
    identities,
    workspaces,
    graphs,
    hashAddress,
    applyStates: statesBy(db, intake, identities),
    serviceName: config.serviceName,
    requestOrigin: config.requestOrigin,
    sizes: { batchMax: config.batchMax, batchMaxPerArray: config.batchMaxPerArray ?? null, perPersonMax: null },
    formatServiceId,
    parseServiceId,
    newId,
    lanes: new Lanes(),
    publicUrl: config.publicUrl,
    secret,
    pokeWriter: () => exports.poke(),
    pokeExpander: dispatching.pokeExpander,
    pokeDeliverer: dispatching.pokeDeliverer,
    pokeEntries: entries.poke,
    runDue: (_call, untilMs) => dispatching.runDue(untilMs),
  })
}

/** Sets states by way of the intake, in one order with what is tracked. */
function statesBy(db: Db, intake: Intake, identities: Identities): SetParts['applyStates'] {
  return (workspace_id, states) =>
    intake.submit(prepare(db, workspace_id, { ...states, events: [], purchases: [] }, identities))
}

function pagesOf(
  ground: Ground,
  table: readonly Route[],
  tasks: Tasks,
  workers: readonly { failing(): string[] }[],
  intake: Intake,
  engagements: Engagements,
  signIn: SignIn,
): Page[] {
  const { config, db, clock, metrics, secret, folder, identities } = ground
  const clockNow = () =>
    isVirtual(clock) ? `virtual, standing at ${new Date(clock.now()).toISOString()}` : 'the system clock'
  const kind = db.backend === 'postgres' ? 'PostgreSQL' : 'embedded'
  return [
    ...homePages({ version: easel.version, database: kind, clock: clockNow, origin: config.publicUrl }),
    ...healthPages({
      database: async () => void (await getInstallation(db)),
      workers: async () => {
        const failing = [tasks, ...workers].flatMap((each) => each.failing())
        return failing.length === 0 ? undefined : `${failing.join(', ')} failed`
      },
    }),
    ...metricsPages(metrics),
    ...openApiPages(table, easel.version),
    ...docsPages(),
    ...filePages({ db, clock, secret, folder }),
    ...signIn.pages,
    ...mailPages({
      ...ground,
      engagements,
      applyStates: statesBy(db, intake, identities),
    }),
  ]
}

function describeDatabase({ dataDir, databaseUrl }: Config, db: Db): string {
  if (db.backend === 'postgres') return `PostgreSQL at ${new URL(databaseUrl!).host}`
  return dataDir === 'memory' ? 'embedded, in memory: it ends with the process' : `embedded, in ${dataDir}`
}
