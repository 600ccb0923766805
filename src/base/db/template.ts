import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { type ArchiveEntry, readArchive, writeArchive } from './archive.ts'
import { createDb } from './driver.ts'
import { startEngine } from './engine.ts'
import { type Migration, migrate, readMigrations } from './migrate.ts'
import { DISK_PARAMETERS, MEMORY_PARAMETERS } from './parameters.ts'
import { Session } from './session.ts'
import { ensureWeeks, weekStart } from './weeks.ts'

/** The folder of cached templates. */
export const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/easel/', import.meta.url))
const ENGINE_PACKAGE = new URL('../package.json', import.meta.resolve('@electric-sql/pglite'))
const BUILD_MS = 120_000

/**
 * Leaves only our database, vacuumed. The engine connects to no other database, so the rows of others would never be frozen, and after
 * two billion transactions the engine would stop because of them.
 */
const FINISH = [
  `update pg_database set datistemplate = false, datallowconn = false where datname in ('template0', 'template1')`,
  'drop database template0',
  'drop database template1',
  'vacuum (freeze, analyze)',
]

/**
 * Returns the files of a new embedded database: all migrations are applied, the tables of these weeks exist, and all are empty. The
 * first start of a week makes them, which takes seconds, and caches them beside the packages. A cached template that cannot be read or
 * belongs to other versions is made again.
 */
export async function loadTemplate(clock: Clock, log: Log, cache = CACHE): Promise<ArchiveEntry[]> {
  const migrations = readMigrations()
  const file = join(cache, `${versionOf(migrations, weekStart(clock.now()))}.template`)
  const cached = existsSync(file) && readCached(file, log)
  if (cached) return cached
  log.info('making the template of new databases')
  const made = await build(clock, log, migrations)
  writeCached(file, made, log)
  return made
}

function versionOf(migrations: readonly Migration[], week: number): string {
  const { version } = JSON.parse(readFileSync(ENGINE_PACKAGE, 'utf8'))
  const checksums = migrations.map(({ checksum }) => checksum)
  const parts = [version, MEMORY_PARAMETERS, DISK_PARAMETERS, FINISH, checksums, week]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}

async function build(clock: Clock, log: Log, migrations: readonly Migration[]): Promise<ArchiveEntry[]> {
  const engine = await startEngine({ returnsFiles: true }, BUILD_MS, { onLogLine: (line) => log.debug(line) })
  const session = new Session(engine.client, {
    deadlineMs: BUILD_MS,
    headStartMs: 0,
    abandon: () => void engine.kill(),
  })
  const driver = { backend: 'pglite', acquire: async () => session, release() {}, close: async () => {} } as const
  const db = createDb(driver, log)
  await migrate(db, clock, migrations)
  await ensureWeeks(db, clock.now())
  for (const command of FINISH) await db.execute(command)
  return engine.close()
}

function readCached(file: string, log: Log): ArchiveEntry[] | undefined {
  try {
    return readArchive(file)
  } catch (error) {
    // The template is a cache: without it a new database only takes longer.
    log.warn({ err: error, file }, 'the template of new databases cannot be read and is made again')
    return undefined
  }
}

function writeCached(file: string, entries: readonly ArchiveEntry[], log: Log): void {
  try {
    writeArchive(file, entries)
    const folder = join(file, '..')
    const older = readdirSync(folder).filter((name) => name.endsWith('.template') && join(folder, name) !== file)
    for (const name of older) rmSync(join(folder, name), { force: true })
  } catch (error) {
    // The template is a cache: without it a new database only takes longer.
    log.warn(
      { err: error, file },
      'the template of new databases cannot be cached: opening a new database takes seconds',
    )
  }
}
