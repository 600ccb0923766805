import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { bootstrap } from '../src/accounts/keys/bootstrap.ts'
import { type Call, noRequest } from '../src/base/call.ts'
import { createClock, isVirtual, type SettableClock, syncClock, systemClock } from '../src/base/clock.ts'
import type { Config } from '../src/base/config.ts'
import { backendOf } from '../src/base/db/backends.ts'
import type { Db } from '../src/base/db/db.ts'
import { FolderInUse } from '../src/base/db/folder-lock.ts'
import { processNotice } from '../src/base/db/held-lock.ts'
import { migrate, readMigrations } from '../src/base/db/migrate.ts'
import { openDb } from '../src/base/db/open.ts'
import { readServerTime } from '../src/base/db/server-time.ts'
import { Failure } from '../src/base/errors.ts'
import { startInterval } from '../src/base/interval.ts'
import { loadRootSecrets } from '../src/base/root-secrets.ts'
import { explainStart } from '../src/explain-start.ts'
import { getInstallation } from '../src/workspace/settings/installation-store.ts'
import { getWorkspace } from '../src/workspace/settings/selected.ts'
import { listWorkspaces } from '../src/workspace/settings/store.ts'
import { note, type Shell } from './command.ts'
import { listMigrations } from './store.ts'

/** How often a command tells the processes that use the database that it may have written. They assume so for longer. */
const noticeEveryMs = 5_000

/** Throws 404 when the data directory has no embedded database. */
export function requireEmbedded({ dataDir }: Pick<Config, 'dataDir'>): void {
  if (!existsSync(join(dataDir, 'database')))
    throw new Failure('notFound', `there is no database in ${dataDir} yet: npm start creates it`)
}

/** Runs `work` on the database of the environment without migrations, and closes it afterwards. */
export async function withDatabase<T>({ stderr }: Shell, config: Config, work: (db: Db) => Promise<T>): Promise<T> {
  const { dataDir, databaseUrl } = config
  const log = pino({ level: 'error', base: null }, stderr)
  const explained = (error: unknown) => new Failure('unavailable', explainStart(error, config), {}, error)
  const opening = openDb({ dataDir, ...(databaseUrl && { databaseUrl }), log, clock: systemClock() })
  const db = await opening.catch((error) => {
    throw error instanceof FolderInUse ? error : explained(error)
  })
  const { isShared } = backendOf(db)
  const giveNotice = () => (isShared ? db.execute(processNotice).catch(() => {}) : Promise.resolve())
  const stopNotices = startInterval(giveNotice, noticeEveryMs)
  try {
    return await work(db).finally(async () => {
      stopNotices()
      await giveNotice()
      await db.close()
    })
  } catch (error) {
    throw error instanceof Failure && error.kind === 'unavailable' ? explained(error) : error
  }
}

/**
 * Runs `work` with a call for work that only reads: nothing is created or migrated. Without a database, a plan gets an empty one in memory,
 * and other work fails. Throws when a migration is missing.
 */
export async function withReadingCall<T>(
  shell: Shell,
  config: Config,
  isPlan: boolean,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const withoutDatabase = () => {
    if (!isPlan) throw new Failure('notFound', 'there is no database yet: npm start creates it')
    const empty = { ...config, dataDir: 'memory', databaseUrl: undefined, apiKey: undefined }
    return withCall({ ...shell, stderr: new PassThrough() }, empty, work)
  }
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'database'))) return withoutDatabase()
  const clock = createClock(config.clock)
  // Some lists have secrets, which only a root secret opens.
  loadRootSecrets(config)
  const found = await withDatabase(shell, config, async (db) => {
    if (!(await isMigrated(db))) return undefined
    if ((await listWorkspaces(db)).length === 0) return undefined
    if (backendOf(db).hasClock) await syncClock(clock, () => readServerTime(db))
    const { virtual_now } = await getInstallation(db)
    if (isVirtual(clock) && virtual_now !== null) clock.resumeAt(virtual_now.getTime())
    return { answer: await work(await callOf(db, clock)) }
  })
  return found === undefined ? withoutDatabase() : found.answer
}

/** Throws 404 for a database without tables, and 409 when a migration is missing. */
export async function requireMigrated(db: Db): Promise<void> {
  if (!(await isMigrated(db))) throw new Failure('notFound', 'there is no database yet: npm start creates it')
}

/** Returns false for a database without tables. Throws 409 when a migration is missing. */
async function isMigrated(db: Db): Promise<boolean> {
  const applied = await listMigrations(db)
  if (applied.length === 0) return false
  const missing = readMigrations().slice(applied.length)
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ')
    throw new Failure(
      'conflict',
      `the database lacks ${names}: npm run easel -- migrate, or the next start, applies them`,
    )
  }
  // Checks that no newer release has changed the database.
  await migrate(db, systemClock())
  return true
}

/** Migrates the database and runs `work` with a call, as for a verb of the service. Prints the secrets that this creates. */
export async function withCall<T>(shell: Shell, config: Config, work: (call: Call) => Promise<T>): Promise<T> {
  const clock = createClock(config.clock)
  return withDatabase(shell, config, async (db) => {
    if (backendOf(db).hasClock) await syncClock(clock, () => readServerTime(db))
    await migrate(db, clock)
    const { virtualNowMs, generated } = await bootstrap(db, clock, { ...config, rootSecrets: loadRootSecrets(config) })
    if (isVirtual(clock) && virtualNowMs !== undefined) clock.resumeAt(virtualNowMs)
    if (generated.apiKey) note(shell, `API key with every permission, shown this once: ${generated.apiKey}`)
    if (generated.adminToken) note(shell, `Admin token, shown this once: ${generated.adminToken}`)
    if (generated.scimToken) note(shell, `SCIM token, shown this once: ${generated.scimToken}`)
    return work(await callOf(db, clock))
  })
}

/** Returns a call of the command line, in the default workspace. */
export async function callOf(db: Db, clock: SettableClock): Promise<Call> {
  const actor = { kind: 'admin', id: 'cli', name: 'command line', from: noRequest } as const
  const log = pino({ level: 'silent' })
  const { workspace_id } = await getWorkspace(db)
  return { db, workspace_id, actor, strict: false, clock, log, signal: new AbortController().signal }
}
