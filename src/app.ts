import { readFile } from 'node:fs/promises'
import easel from '../package.json' with { type: 'json' }
import { members } from './admin/members.ts'
import { follow, isVirtual, type SetClock, systemClock, virtualClock } from './base/clock.ts'
import type { Config } from './base/config.ts'
import type { Db } from './base/db/db.ts'
import { migrate } from './base/db/migrate.ts'
import { openDb } from './base/db/open.ts'
import { readServerTime } from './base/db/server-time.ts'
import { ensureWeeks } from './base/db/weeks.ts'
import { type Fetcher, openFetcher } from './base/fetch/fetch.ts'
import { docsPages } from './base/http/docs.ts'
import { healthPages } from './base/http/health.ts'
import { homePages } from './base/http/home.ts'
import { type Metrics, metricsPages, openMetrics } from './base/http/metrics.ts'
import { openApiPages } from './base/http/openapi.ts'
import type { Page } from './base/http/page.ts'
import { openRates } from './base/http/rate-limit.ts'
import type { Route } from './base/http/route.ts'
import { defaultTimeouts, openServer, type Timeouts } from './base/http/server.ts'
import { formatServiceId, nextProfileId, parseServiceId } from './base/ids.ts'
import { createLog, type Log } from './base/log.ts'
import { Lanes } from './base/work/lanes.ts'
import { runTasks, type Task, type Tasks } from './base/work/periodic.ts'
import { openRenderer, type Renderer } from './content/render.ts'
import { sourcesOf } from './content/sources.ts'
import { filePages } from './exports/files.ts'
import { type Exports, exportsFolder, openExports } from './exports/open.ts'
import { jobs } from './jobs.ts'
import { Identities } from './profiles/identities.ts'
import { addressHasher, type HashAddress } from './profiles/ref.ts'
import { findLatestStamp } from './profiles/stamp-store.ts'
import { routes } from './routes.ts'
import { measureLeft } from './segments/measure.ts'
import { applyFlush, flushHappened } from './users/flush.ts'
import { type Intake, openIntake } from './users/intake.ts'
import { prepare } from './users/prepare.ts'
import { type Mention, mentioner } from './work/mention.ts'
import { countWaiting } from './work/store.ts'
import { openWorker, type Worker } from './work/worker.ts'
import { isAllowed } from './workspace/addresses.ts'
import { applyFile } from './workspace/apply.ts'
import { bootstrap } from './workspace/bootstrap.ts'
import { openWorkspaces, type Workspaces } from './workspace/cache.ts'
import { parseFile } from './workspace/file.ts'
import { getInstallation, updateVirtualNow } from './workspace/installation-store.ts'
import type { Secret } from './workspace/member.ts'

const minuteMs = 60_000

/** What may be brought along: by `main.ts` a listener, by a test what it watches. */
export type Parts = {
  timeouts?: Partial<Timeouts>
  log?: Log
  statementDeadlineMs?: number
  /** Gets every secret that is made, as soon as its hash is stored: kept nowhere, it would be lost when a later step fails. */
  made?: MadeSecret[]
}

/** A secret made at this start, to be shown to somebody this once. */
export type MadeSecret = { name: string; text: string }

export type App = {
  /** Where it listens, `http://host:port`. */
  url: string
  version: string
  database: string
  made: readonly MadeSecret[]
  /** Requests that have arrived and are not answered yet. */
  inFlight(): number
  /** Stops listening, finishes what was accepted, closes the database. */
  close(): Promise<void>
}

type GroundParts = Parts & { made: MadeSecret[] }

/** What is open by the time the first route is made. */
type Ground = {
  config: Config
  log: Log
  clock: SetClock
  db: Db
  secret: Buffer
  hashAddress: HashAddress
  mention: Mention
  workspaces: Workspaces
  identities: Identities
  metrics: Metrics
  fetcher: Fetcher
  renderer: Renderer
  /** Where exports lie. */
  folder: string
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
  const intake = startIntake(ground)
  opened.defer(() => intake.close())
  const worker = startWorker(ground)
  opened.defer(() => worker.close())
  const exports = startExports(ground)
  opened.defer(() => exports.close())
  const stop = new AbortController()
  opened.defer(() => stop.abort())
  const table = config.role === 'worker' ? [] : routesOf(ground, intake, worker, exports)
  const server = openServer({
    routes: table,
    pages: pagesOf(ground, table, tasks, [worker, exports]),
    timeouts: { ...defaultTimeouts, ...parts.timeouts },
    signal: stop.signal,
    rates: openRates({ db, clock, limitsOf: (workspace_id) => workspaces.get(workspace_id).settings.rate_limits }),
    gate: {
      findKey: (token) => workspaces.findKey(token),
      isAdmin: (token) => workspaces.isAdmin(token),
      isAllowed,
      defaultWorkspace: () => workspaces.default().workspace_id,
    },
    ...ground,
  })
  const url = await server.listen(config.host, config.port)
  opened.defer(() => server.close())
  const database = describeDatabase(config, db)
  log.info({ url, database, version: easel.version }, `Easel is running at ${url}`)
  const running = opened.move()
  return {
    url,
    version: easel.version,
    database,
    made,
    inFlight: () => server.inFlight(),
    close: () => running.disposeAsync(),
  }
}

async function openGround(config: Config, log: Log, opened: AsyncDisposableStack, parts: GroundParts): Promise<Ground> {
  const { dataDir, databaseUrl, apiKey, adminToken } = config
  const metrics = openMetrics()
  opened.defer(() => metrics.close())
  const clock = config.clock === 'virtual' ? virtualClock() : systemClock()
  const db = await openDb({
    dataDir,
    ...(databaseUrl && { databaseUrl }),
    log,
    clock,
    ...(parts.statementDeadlineMs && { statementDeadlineMs: parts.statementDeadlineMs }),
  })
  opened.defer(() => db.close())
  if (db.backend === 'postgres') await follow(clock, () => readServerTime(db))
  await migrate(db, clock)
  const { secret, virtualNowMs, generated } = await bootstrap(db, clock, { apiKey, adminToken })
  if (generated.apiKey) parts.made.push({ name: 'API key', text: generated.apiKey })
  if (generated.adminToken) parts.made.push({ name: 'Admin token', text: generated.adminToken })
  if (isVirtual(clock)) {
    if (virtualNowMs === undefined) await updateVirtualNow(db, new Date(clock.now()))
    else clock.resumeAt(virtualNowMs)
    clock.continueAfter(await findLatestStamp(db))
  }
  await ensureWeeks(db, clock.now())
  if (config.workspaceFile) {
    for (const { name, key } of await applyWorkspaceFile(config.workspaceFile, db, clock)) {
      parts.made.push({ name: `Key "${name}"`, text: key })
    }
  }
  const workspaces = await openWorkspaces(db, clock, log)
  opened.defer(() => workspaces.close())
  const fetcher = openFetcher({ allow: config.fetchAllow })
  opened.defer(() => fetcher.close())
  // Credentials are not kept yet.
  const sources = sourcesOf({ db, fetcher, clock, findCredential: async () => undefined })
  const renderer = openRenderer({ sources, serviceName: config.serviceName })
  opened.defer(() => renderer.close())
  const { folder, remove } = exportsFolder(dataDir)
  opened.defer(remove)
  const hashAddress = addressHasher(secret)
  const mention = mentioner(secret)
  const identities = new Identities()
  return {
    config,
    log,
    clock,
    db,
    secret,
    hashAddress,
    mention,
    workspaces,
    identities,
    metrics,
    fetcher,
    renderer,
    folder,
  }
}

async function applyWorkspaceFile(path: string, db: Db, clock: SetClock): Promise<readonly Secret[]> {
  const file = parseFile(await readFile(path, 'utf8'), path, members)
  const { secrets } = await applyFile(db, clock, members, file)
  return secrets
}

function startIntake({ db, clock, log, secret, hashAddress, workspaces, identities, metrics }: Ground): Intake {
  const bisects = metrics.counter({
    name: 'easel_intake_bisects_total',
    help: 'Flushes that the database refused although every item had been accepted: our mistakes.',
  })
  const parts = {
    db,
    clock,
    identities,
    hashAddress,
    newId: (bucket: number) => nextProfileId(bucket, clock.elapsed()),
    parseServiceId: (text: string) => parseServiceId(text, secret),
    noticed: (version: number) => workspaces.noticed(version),
  }
  const intake = openIntake({
    clock,
    log,
    apply: (flush, sent) => applyFlush(flush, parts, sent),
    happened: (flush_id) => flushHappened(db, flush_id),
    onBisect: () => bisects.inc(),
  })
  metrics.gauge({
    name: 'easel_intake_waiting_updates',
    help: 'Accepted updates that wait for a flush.',
    collect() {
      this.set(intake.waiting())
    },
  })
  return intake
}

/** Waiting items are counted so far; more are as bad. */
const waitingItemsMax = 100_000

function startWorker({ config, db, clock, log, secret, hashAddress, mention, metrics }: Ground): Worker {
  const bisects = metrics.counter({
    name: 'easel_work_bisects_total',
    help: 'Batches of accepted work that the database refused: our mistakes.',
  })
  const items = metrics.counter({
    name: 'easel_work_items_total',
    help: 'Accepted merges, deletions and identifications that were carried out, by what became of them.',
    labelNames: ['kind', 'outcome'],
  })
  metrics.gauge({
    name: 'easel_work_waiting_items',
    help: 'Accepted merges, deletions and identifications that wait.',
    async collect() {
      // While the database is away the last figure stands.
      const [waiting] = await Promise.allSettled([countWaiting(db, waitingItemsMax)])
      if (waiting.status === 'fulfilled') this.set(waiting.value)
    },
  })
  return openWorker({
    db,
    clock,
    log,
    hashAddress,
    mention,
    parseServiceId: (text) => parseServiceId(text, secret),
    onlyAsked: config.role === 'http',
    onFinished: (kind, outcome) => items.inc({ kind, outcome }),
    onBisect: () => bisects.inc(),
  })
}

function startExports(ground: Ground): Exports {
  const { config, secret, metrics } = ground
  const ended = metrics.counter({
    name: 'easel_exports_total',
    help: 'Exports of segments that are over, by what became of them.',
    labelNames: ['state'],
  })
  return openExports({
    ...ground,
    serviceName: config.serviceName,
    publicUrl: config.publicUrl,
    formatServiceId: (profile_id) => formatServiceId(profile_id, secret),
    writes: config.role !== 'http',
    onEnded: (state) => ended.inc({ state }),
  })
}

function tasksOf({ config, db, clock, workspaces, folder }: Ground): Task[] {
  const own = config.role === 'http' ? [] : jobs(db, clock, workspaces, folder)
  if (db.backend !== 'postgres') return own
  return [...own, { name: 'clock.follow', everyMs: minuteMs, run: () => follow(clock, () => readServerTime(db)) }]
}

function routesOf(
  { config, db, clock, secret, hashAddress, mention, workspaces, identities, renderer }: Ground,
  intake: Intake,
  worker: Worker,
  exports: Exports,
): Route[] {
  return routes({
    intake,
    renderer,
    worker,
    mention,
    identities,
    workspaces,
    hashAddress,
    applyStates: (workspace_id, states) =>
      intake.submit(prepare(db, workspace_id, { ...states, events: [], purchases: [] }, identities)),
    serviceName: config.serviceName,
    sizes: { batchMax: config.batchMax, batchMaxPerArray: config.batchMaxPerArray ?? null, perPersonMax: null },
    formatServiceId: (profile_id) => formatServiceId(profile_id, secret),
    parseServiceId: (text) => parseServiceId(text, secret),
    newId: (bucket) => nextProfileId(bucket, clock.elapsed()),
    lanes: new Lanes(),
    publicUrl: config.publicUrl,
    secret,
    pokeWriter: () => exports.poke(),
    // Nothing falls due by itself yet; what a day has come to is kept before it is left.
    runDue: async (_call, untilMs) => {
      await measureLeft(db, clock, workspaces.all(), untilMs)
      return untilMs
    },
  })
}

function pagesOf(
  { config, db, clock, metrics, secret, folder }: Ground,
  table: readonly Route[],
  tasks: Tasks,
  workers: readonly { failing(): string[] }[],
): Page[] {
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
  ]
}

function describeDatabase({ dataDir, databaseUrl }: Config, db: Db): string {
  if (db.backend === 'postgres') return `PostgreSQL at ${new URL(databaseUrl!).host}`
  return dataDir === 'memory' ? 'embedded, in memory: it ends with the process' : `embedded, in ${dataDir}`
}
