import { readFile } from 'node:fs/promises'
import { bootstrap } from './accounts/keys/bootstrap.ts'
import { exportsFolder } from './audience/exports/open.ts'
import { itself } from './base/call.ts'
import { clockOf, follow, isVirtual, type SetClock } from './base/clock.ts'
import type { Config } from './base/config.ts'
import type { Db } from './base/db/db.ts'
import { migrate } from './base/db/migrate.ts'
import { type OpenOptions, openDb } from './base/db/open.ts'
import { readServerTime } from './base/db/server-time.ts'
import { ensureWeeks } from './base/db/weeks.ts'
import { type Fetcher, openFetcher } from './base/fetch/fetch.ts'
import { type Metrics, openMetrics } from './base/http/metrics.ts'
import { formatServiceId, nextProfileId, parseServiceId } from './base/ids.ts'
import type { Log } from './base/log.ts'
import { Wakeups } from './base/work/wakeups.ts'
import { configSections } from './config-sections.ts'
import { openRenderer, type Renderer } from './content/rendering/render.ts'
import { sourcesOf } from './content/rendering/sources.ts'
import { Graphs } from './messaging/flows/graphs.ts'
import { findCredential } from './messaging/mail/secret-store.ts'
import { Identities } from './people/identity/identities.ts'
import { addressHasher, type HashAddress } from './people/identity/person.ts'
import { findLatestStamp } from './people/identity/stamp-store.ts'
import { type Mention, mentioner } from './people/merge/mention.ts'
import { Watched } from './people/signals/signals.ts'
import { applyFile } from './workspace/file/apply.ts'
import type { NewSecret } from './workspace/file/config-section.ts'
import { openWorkspaces, type Workspaces } from './workspace/settings/cache.ts'
import { updateVirtualNow } from './workspace/settings/installation-store.ts'

/** A secret made at this start, to be shown to somebody this once. */
export type MadeSecret = { name: string; text: string }

/** What may be brought along to the ground. */
export type GroundParts = {
  statementDeadlineMs?: number
  /** Gets every secret that is made, as soon as its hash is stored: kept nowhere, it would be lost when a later step fails. */
  made: MadeSecret[]
  /** Tells the time in place of a clock of its own. */
  clock?: SetClock
  /** Opens the database in place of `openDb`. */
  open?(options: OpenOptions): Promise<Db>
  /** Gets the database when it is ready, for rows that no request makes. */
  opened?(db: Db): void
  /** Fetches in place of the service's own way out. */
  fetcher?: Fetcher
}

/** What is open by the time the first route is made. */
export type Ground = {
  config: Config
  log: Log
  clock: SetClock
  db: Db
  secret: Buffer
  hashAddress: HashAddress
  mention: Mention
  workspaces: Workspaces
  identities: Identities
  /** What canvases and campaigns do, as far as this process has read it. */
  graphs: Graphs
  /** What flows listen to, as far as this process has read it. */
  watched: Watched
  metrics: Metrics
  /** Tells the loops of this process that there is work. */
  wakeups: Wakeups
  fetcher: Fetcher
  renderer: Renderer
  /** Where exports lie. */
  folder: string
  formatServiceId(profile_id: string): string
  parseServiceId(text: string): string | undefined
  /** A new id of a profile or a message. */
  newId(bucket: number): string
}

/** Opens what everything else stands on, from the bottom up; each is closed with `opened`. */
export async function openGround(
  config: Config,
  log: Log,
  opened: AsyncDisposableStack,
  parts: GroundParts,
): Promise<Ground> {
  const { dataDir, databaseUrl } = config
  const metrics = openMetrics()
  opened.defer(() => metrics.close())
  const clock = parts.clock ?? clockOf(config.clock)
  const db = await (parts.open ?? openDb)({
    dataDir,
    ...(databaseUrl && { databaseUrl }),
    log,
    clock,
    ...(parts.statementDeadlineMs && { statementDeadlineMs: parts.statementDeadlineMs }),
  })
  opened.defer(() => db.close())
  if (db.backend === 'postgres') await follow(clock, () => readServerTime(db))
  await migrate(db, clock)
  parts.opened?.(db)
  const { secret, virtualNowMs, generated } = await bootstrap(db, clock, config)
  if (generated.apiKey) parts.made.push({ name: 'API key', text: generated.apiKey })
  if (generated.adminToken) parts.made.push({ name: 'Admin token', text: generated.adminToken })
  if (generated.scimToken) parts.made.push({ name: 'SCIM token', text: generated.scimToken })
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
  const fetcher = parts.fetcher ?? openFetcher({ allow: config.fetchAllow })
  opened.defer(() => fetcher.close())
  const sources = sourcesOf({ db, fetcher, clock, findCredential: (id, name) => findCredential(db, id, name) })
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
    graphs: new Graphs(),
    watched: new Watched(),
    metrics,
    wakeups: new Wakeups(),
    fetcher,
    renderer,
    folder,
    formatServiceId: (profile_id) => formatServiceId(profile_id, secret),
    parseServiceId: (text) => parseServiceId(text, secret),
    newId: (bucket) => nextProfileId(bucket, clock.elapsed()),
  }
}

async function applyWorkspaceFile(path: string, db: Db, clock: SetClock): Promise<readonly NewSecret[]> {
  const { parseFile } = await import('./workspace/file/parse.ts')
  const file = parseFile(await readFile(path, 'utf8'), path, configSections)
  const { secrets } = await applyFile({ db, clock, actor: itself }, configSections, file)
  return secrets
}
