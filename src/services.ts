import { readFile } from 'node:fs/promises'
import { removeGivenAdminToken } from './accounts/keys/admin-token.ts'
import { bootstrap } from './accounts/keys/bootstrap.ts'
import { type Keys, openKeys } from './accounts/keys/keys.ts'
import { ScimRequests } from './accounts/keys/scim-requests.ts'
import type { SignIn } from './accounts/sign-in/open.ts'
import type { SessionAccess } from './accounts/sign-in/session-access.ts'
import { exportRule } from './audience/exports/deleted-people.ts'
import { type Exports, exportsFolder } from './audience/exports/open.ts'
import { adminTokenName, type MadeSecret } from './banner.ts'
import { systemActor } from './base/call.ts'
import { type Clock, createClock, isVirtual, type SettableClock, syncClock } from './base/clock.ts'
import type { Config } from './base/config.ts'
import { backendOf } from './base/db/backends.ts'
import type { Db } from './base/db/db.ts'
import { migrate } from './base/db/migrate.ts'
import { type OpenOptions, openDb } from './base/db/open.ts'
import { readServerTime } from './base/db/server-time.ts'
import { ensureWeeks } from './base/db/weeks.ts'
import { type Fetcher, openFetcher } from './base/fetch/fetch.ts'
import { type Metrics, openMetrics } from './base/http/metrics.ts'
import { formatServiceId, nextProfileId, parseServiceId } from './base/ids.ts'
import type { Log } from './base/log.ts'
import type { OpenTelemetry } from './base/otel/open-telemetry.ts'
import { loadRootSecrets } from './base/root-secrets.ts'
import type { DueWork } from './base/work/due-work.ts'
import type { KeyedMutex } from './base/work/keyed-mutex.ts'
import { Poller } from './base/work/poller.ts'
import { Wakeups } from './base/work/wakeups.ts'
import { configSections } from './config-sections.ts'
import { openRenderer, type Renderer } from './content/rendering/renderer.ts'
import { openSources } from './content/rendering/sources.ts'
import type { JudgeMessage } from './messaging/channels/channel.ts'
import { entryRule } from './messaging/entries/merged-entries.ts'
import type { Expansion } from './messaging/expansion/open.ts'
import type { EngagementQueue } from './messaging/feedback/engagement-queue.ts'
import { Graphs } from './messaging/flows/graphs.ts'
import type { Journeys } from './messaging/journeys/open.ts'
import type { MakeAnew } from './messaging/lookup/make-anew.ts'
import { findCredential } from './messaging/mail/secret-store.ts'
import { messageRule } from './messaging/messages/merged-messages.ts'
import { recipientRule } from './messaging/orders/merged-recipients.ts'
import type { PreviewPages } from './messaging/previews/preview-pages.ts'
import type { TestMailer } from './messaging/previews/test-mailer.ts'
import type { AskConfirmation } from './messaging/sign-up/ask-confirmation.ts'
import type { Statuses } from './messaging/statuses/open.ts'
import type { Feed } from './people/feed/open.ts'
import { Identities } from './people/identity/identities.ts'
import { addressHasher, type HashAddress } from './people/identity/person.ts'
import { findLatestStamp } from './people/identity/stamp-store.ts'
import type { NewAddress } from './people/intake/create-unsubscribed.ts'
import type { Intake } from './people/intake/intake.ts'
import type { TrackSizes } from './people/intake/track.ts'
import type { OwnedRule } from './people/merge/owned-rule.ts'
import { type HashPerson, personHasher } from './people/merge/person-hash.ts'
import type { WorkWorker } from './people/merge/worker.ts'
import { FlowOutlines } from './people/received/flow-outlines.ts'
import { Watched } from './people/signals/signals.ts'
import type { SetServices } from './people/subscription/set-status.ts'
import { attemptRule } from './people/webhooks/attempt-rule.ts'
import type { Webhooks } from './people/webhooks/open.ts'
import { type AuditObserver, openAuditObserver } from './workspace/audit/observer.ts'
import { Backups } from './workspace/backups/backups.ts'
import type { RunDue } from './workspace/clock/move-clock.ts'
import { registerProcess } from './workspace/clock/register-process.ts'
import { applyFile } from './workspace/file/apply.ts'
import type { NewSecret } from './workspace/file/config-section.ts'
import { readDeletedNames } from './workspace/requests/deleted-names.ts'
import { findLastNumber } from './workspace/requests/deleted-names-store.ts'
import { RequestLog } from './workspace/requests/request-log.ts'
import { type ConfigCache, openConfigCache } from './workspace/settings/config-cache.ts'
import { getSealingKey, updateVirtualNow } from './workspace/settings/installation-store.ts'
import { openWorkspaces, type Workspaces } from './workspace/settings/workspaces.ts'
import type { Traffic } from './workspace/traffic/traffic.ts'

/** What a caller may bring along instead of what the service opens itself. */
export type GivenServices = {
  statementDeadlineMs?: number
  /** Receives every generated secret as soon as its hash is stored: it is kept nowhere else, and a later step may fail. */
  made: MadeSecret[]
  /** Used instead of a clock of its own. */
  clock?: SettableClock
  /** Opens the database instead of `openDb`. */
  open?(options: OpenOptions): Promise<Db>
  /** Called with the database when it is migrated, for rows that no request makes. */
  opened?(db: Db): void | Promise<void>
  /** Used instead of a fetcher of its own. */
  fetcher?: Fetcher
  /** Decides which messages the inbox refuses; absent: none. */
  judge?: JudgeMessage | undefined
  /** The directory of export files, instead of the one of the configuration. The caller removes it. */
  folder?: string
  /** Sends traces and metrics to a collector. */
  telemetry?: OpenTelemetry | undefined
  /** Called when another process has this database now, and this one must end. */
  onExcluded?(error: Error): void
}

/** What is open before any worker starts. */
export type CoreServices = {
  config: Config
  /** `EASEL_SERVICE_NAME`, `EASEL_REQUEST_ORIGIN` and `PUBLIC_URL`. */
  serviceName: string
  requestOrigin: string
  publicUrl: string
  log: Log
  clock: SettableClock
  db: Db
  secret: Buffer
  /** The key of encrypted secrets and of links for signing in. With EASEL_SECRET it is not readable in the database. */
  sealingKey: Buffer
  hashAddress: HashAddress
  hashPerson: HashPerson
  /** How merges and deletions of people treat the tables of messaging. */
  ownedRules: readonly OwnedRule[]
  configCache: ConfigCache
  workspaces: Workspaces
  keys: Keys
  identities: Identities
  /** The graphs of flow versions that this process has read. */
  graphs: Graphs
  /** What exported people say of flows, as far as this process has read it. */
  flowOutlines: FlowOutlines
  /** What flows listen for, as far as this process has read it. */
  watched: Watched
  metrics: Metrics
  /** Records requests that read people or are refused. */
  auditObserver: AuditObserver
  /** The latest requests that this process has answered. */
  requestLog: RequestLog
  /** The latest requests of identity providers. */
  scimRequests: ScimRequests
  /** Tells the loops of this process that there is work. */
  wakeups: Wakeups
  /** Asks for the loops of this process whether there is work. */
  poller: Poller
  fetcher: Fetcher
  judge: JudgeMessage | undefined
  renderer: Renderer
  /** The directory of export files. */
  folder: string
  /** The backups of the embedded database. */
  backups: Backups
  formatServiceId(profile_id: string): string
  parseServiceId(text: string): string | undefined
  /** A new id of a profile or a message. */
  newId(bucket: number): string
}

/** The loop that delivers messages. */
export type Delivery = {
  readonly dueWork: DueWork
  failing(): string[]
  /** Returns what is wrong with the server of a channel; undefined when the last message has reached it, and without a server. */
  trouble(channel: string, workspace_id?: number): string | undefined
  /** Messages that a server has got and has not answered yet. */
  inFlight(): number
  close(): Promise<void>
}

/** Everything that is open while the process serves: what routes, pages and jobs are made with. */
export type Services = CoreServices & {
  intake: Intake
  worker: WorkWorker
  exports: Exports
  statuses: Statuses
  /** The feeds of events. */
  feed: Feed
  webhooks: Webhooks
  engagements: EngagementQueue
  /** Counts the requests that this process answers. */
  traffic: Traffic
  journeys: Journeys
  /** Undefined in a process that does not work, and so is `expansion`. */
  delivery: Delivery | undefined
  expansion: Expansion | undefined
  /** Does what falls due while a virtual clock is moved. */
  runDue: RunDue
  /** The work of this process that becomes due by business time. */
  dueWorks: readonly DueWork[]
  signIn: SignIn
  /** Finds who is signed in. */
  sessionAccess: SessionAccess
  keyedMutex: KeyedMutex
  /** Makes a mail that was not kept again, to look at it. */
  makeAnew: MakeAnew
  /** The previews of mails that this process shows. */
  previewPages: PreviewPages
  /** Sends mail to oneself as a test. */
  testMailer: TestMailer
  /** How much one track request may hold. */
  sizes: TrackSizes
  /** Sets group states by way of the intake, in one order with what is tracked. */
  applyStates: SetServices['applyStates']
  /** Creates a person for an address that nobody has, who gets no marketing before a confirmation. */
  createPerson(workspace_id: number, address: NewAddress): Promise<void>
  /** Asks a person to confirm that they want to be in a group. */
  askConfirmation: AskConfirmation
}

/** In the order in which a worker locks these rows: entries, then messages. Exports are locked last. */
export const ownedRules: readonly OwnedRule[] = [entryRule, messageRule, recipientRule, exportRule, attemptRule]

/** Opens the core services from the bottom up. Each is closed with `opened`. */
export async function openServices(
  config: Config,
  log: Log,
  opened: AsyncDisposableStack,
  given: GivenServices,
): Promise<CoreServices> {
  const metrics = openMetrics()
  opened.defer(() => metrics.close())
  if (given.telemetry) opened.defer(given.telemetry.readMetrics(metrics))
  const { db, clock, registered } = await openDatabase(config, log, opened, given)
  const secret = await prepareInstallation(db, clock, config, given.made, log)
  const poller = new Poller({ db, clock, log, isAlone: () => registered.isAlone() })
  registered.onOthers(() => poller.wake())
  opened.defer(() => poller.close())
  const configCache = await openConfigCache(db, log, poller)
  opened.defer(() => configCache.close())
  const workspaces = await openWorkspaces(configCache)
  const keys = await openKeys(configCache, db, clock, log, config.adminToken)
  opened.defer(() => keys.close())
  const auditObserver = openAuditObserver({ db, clock, log })
  opened.defer(() => auditObserver.close())
  const fetcher = given.fetcher ?? openFetcher({ allow: config.fetchAllow })
  opened.defer(() => fetcher.close())
  const sources = openSources({ db, fetcher, clock, findCredential: (id, name) => findCredential(db, id, name) })
  const renderer = openRenderer({ sources, serviceName: config.serviceName })
  opened.defer(() => renderer.close())
  const { folder, remove } = given.folder === undefined ? exportsFolder(config.dataDir) : { folder: given.folder }
  if (remove) opened.defer(remove)
  const { dataDir, dailyBackups: dailyKept } = config
  const backups = new Backups({ db, dataDir, clock, log, dailyKept })
  opened.defer(() => backups.close())
  const hashAddress = addressHasher(secret)
  const { serviceName, requestOrigin, publicUrl } = config
  const sealingKey = await getSealingKey(db)
  return {
    config,
    ...{ serviceName, requestOrigin, publicUrl },
    log,
    clock,
    db,
    secret,
    sealingKey,
    hashAddress,
    hashPerson: personHasher(secret),
    ownedRules,
    configCache,
    workspaces,
    keys,
    identities: new Identities(),
    graphs: new Graphs(),
    flowOutlines: new FlowOutlines(),
    watched: new Watched(),
    metrics,
    auditObserver,
    requestLog: await openRequestLog(db, clock, workspaces, sealingKey),
    scimRequests: new ScimRequests({ clock, findTokenId: (text) => keys.findScimToken(text)?.id }),
    wakeups: new Wakeups(),
    poller,
    fetcher,
    judge: given.judge,
    renderer,
    folder,
    backups,
    formatServiceId: (profile_id) => formatServiceId(profile_id, secret),
    parseServiceId: (text) => parseServiceId(text, secret),
    newId: (bucket) => nextProfileId(bucket, clock.elapsed()),
  }
}

/** Finds the workspace that a request names, or the default one. */
export function workspaceFinder(workspaces: Workspaces): (id: string | undefined) => number | undefined {
  return (id) => (id === undefined ? workspaces.default() : workspaces.find(id))?.workspace_id
}

async function openRequestLog(db: Db, clock: Clock, workspaces: Workspaces, sealingKey: Buffer): Promise<RequestLog> {
  return new RequestLog({
    clock,
    findWorkspace: workspaceFinder(workspaces),
    isRecording: (workspace_id) => workspaces.get(workspace_id).settings.api_log,
    readDeletedNames: (after) => readDeletedNames(db, after, sealingKey),
    lastDeletedNames: await findLastNumber(db),
  })
}

/** Opens and migrates the database, and registers this process with it. */
async function openDatabase(config: Config, log: Log, opened: AsyncDisposableStack, given: GivenServices) {
  const { dataDir, databaseUrl } = config
  const { statementDeadlineMs, onExcluded = () => {} } = given
  const clock = given.clock ?? createClock(config.clock)
  const db = await (given.open ?? openDb)({
    dataDir,
    ...(databaseUrl && { databaseUrl }),
    log,
    clock,
    ...(statementDeadlineMs && { statementDeadlineMs }),
  })
  opened.defer(() => db.close())
  if (backendOf(db).hasClock) await syncClock(clock, () => readServerTime(db))
  await migrate(db, clock)
  const registered = await registerProcess({ databaseUrl, clock, log, onExcluded })
  opened.defer(() => registered.close())
  await given.opened?.(db)
  return { db, clock, registered }
}

/** Makes what an installation must have and applies the environment and the workspace file. Returns the installation's secret. */
async function prepareInstallation(
  db: Db,
  clock: SettableClock,
  config: Config,
  made: MadeSecret[],
  log: Log,
): Promise<Buffer> {
  const rootSecrets = loadRootSecrets(config)
  const { secret, virtualNowMs, generated, isSealed } = await bootstrap(db, clock, { ...config, rootSecrets })
  if (rootSecrets.length > 0 && !isSealed) {
    log.warn(
      'EASEL_SECRET protects nothing yet: the key of stored secrets is in the database until `easel secrets rotate`',
    )
  }
  if (config.adminToken !== undefined) await removeGivenAdminToken(db, clock, config.adminToken)
  if (generated.apiKey) made.push({ name: 'API key', text: generated.apiKey })
  if (generated.adminToken) made.push({ name: adminTokenName, text: generated.adminToken })
  if (generated.scimToken) made.push({ name: 'SCIM token', text: generated.scimToken })
  if (isVirtual(clock)) {
    if (virtualNowMs === undefined) await updateVirtualNow(db, new Date(clock.now()))
    else clock.resumeAt(virtualNowMs)
    clock.continueAfter(await findLatestStamp(db))
  }
  await ensureWeeks(db, clock.now())
  if (config.workspaceFile) {
    for (const { name, key } of await applyWorkspaceFile(config.workspaceFile, db, clock)) {
      made.push({ name: `Key "${name}"`, text: key })
    }
  }
  return secret
}

async function applyWorkspaceFile(path: string, db: Db, clock: SettableClock): Promise<readonly NewSecret[]> {
  const { parseFile } = await import('./workspace/file/parse.ts')
  const file = parseFile(await readFile(path, 'utf8'), path, configSections)
  const { secrets } = await applyFile({ db, clock, actor: systemActor }, configSections, file)
  return secrets
}
