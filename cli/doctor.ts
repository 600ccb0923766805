import { existsSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import easel from '../package.json' with { type: 'json' }
import { systemClock } from '../src/base/clock.ts'
import { type Config, readConfig } from '../src/base/config.ts'
import { backendOf } from '../src/base/db/backends.ts'
import { FolderInUse } from '../src/base/db/folder-lock.ts'
import { readMigrations } from '../src/base/db/migrate.ts'
import { redactUrl } from '../src/base/log.ts'
import { withDatabase } from './ground.ts'
import { getEngine, listMigrations } from './store.ts'
import { type Shell, say, type Verb } from './verb.ts'

const freeBytesMin = 1024 ** 3
const fsyncMsMax = 50
const postgresMajors = [15, 16, 17, 18]

/** What was looked at: all is well, or what is wrong and what to do about it. */
type Finding = { subject: string; ok: boolean; text: string; remedy?: string }

export const doctorVerb: Verb = {
  usage: `Usage: npm run easel -- doctor

Looks at Node, the installed packages, the data directory and its disk, and the database. Each line says ok, or wrong
and what to do. Nothing is changed. Exit code 1 when something is wrong.`,
  async run(args, shell) {
    parseArgs({ args: [...args], options: {} })
    const config = readConfig(shell.env)
    const findings = [nodeVersion(), packages(), ...(await storage(config, shell))]
    for (const finding of findings) say(shell, lineOf(finding))
    return findings.every(({ ok }) => ok) ? 0 : 1
  },
}

function lineOf({ subject, ok, text, remedy }: Finding): string {
  const line = `${ok ? 'ok   ' : 'wrong'}  ${subject.padEnd(12)}  ${text}`
  return remedy === undefined ? line : `${line}\n${' '.repeat(21)}${remedy}`
}

function judged(subject: string, ok: boolean, text: string, remedy: string): Finding {
  return { subject, ok, text, ...(!ok && { remedy }) }
}

function nodeVersion(): Finding {
  const wanted = Object.values(easel.optionalDependencies)[0]!
  const ok = Number(process.versions.node.split('.')[0]) >= Number(wanted.split('.')[0])
  return judged('Node', ok, process.version, `Easel runs on Node ${wanted}: start it with npm, which brings its own`)
}

function packages(): Finding {
  const ok = existsSync(new URL('../node_modules/.prepared', import.meta.url))
  const text = ok ? 'installed as package-lock.json lists' : 'not installed completely'
  return judged('Packages', ok, text, 'npm start installs what is missing')
}

async function storage(config: Config, shell: Shell): Promise<Finding[]> {
  if (config.databaseUrl !== undefined) return database(config, shell, `PostgreSQL at ${redactUrl(config.databaseUrl)}`)
  if (config.dataDir === 'memory') return [{ subject: 'Data', ok: true, text: 'in memory: it ends with the process' }]
  const folder = resolve(config.dataDir)
  const disk = await directory(folder)
  if (!disk.every(({ ok }) => ok)) return disk
  if (!existsSync(join(folder, 'database')))
    return [...disk, { subject: 'Database', ok: true, text: 'none yet: the first start makes it' }]
  return [...disk, ...(await database(config, shell, `embedded, in ${folder}`))]
}

/** The data directory, or the closest one above it that exists: may it be written, how long does a sync take, is there room. */
async function directory(folder: string): Promise<Finding[]> {
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  const [sync] = await Promise.allSettled([syncMs(existing)])
  if (sync.status === 'rejected') {
    const remedy = `give this user the right to write to ${existing}, or set EASEL_DATA to another directory`
    return [judged('Data', false, `${folder}: ${(sync.reason as Error).message}`, remedy)]
  }
  const { bavail, bsize } = await statfs(existing)
  const freeBytes = bavail * bsize
  const gigabytes = `${(freeBytes / 1024 ** 3).toFixed(1)} GB free`
  const ms = `${sync.value.toFixed(2)} ms for a write to reach the disk`
  return [
    { subject: 'Data', ok: true, text: `${folder} can be written` },
    judged('Sync', sync.value <= fsyncMsMax, ms, 'every answer waits for this: use a faster disk'),
    judged('Disk', freeBytes >= freeBytesMin, gigabytes, 'make room: a full disk refuses every update'),
  ]
}

/** The median of five; a network disk or a busy one is told by it. */
async function syncMs(folder: string): Promise<number> {
  const clock = systemClock()
  const path = join(folder, `.doctor-${process.pid}`)
  const times: number[] = []
  await using file = await open(path, 'w')
  await rm(path)
  for (let i = 0; i < 5; i++) {
    const startMs = clock.elapsed()
    await file.write(Buffer.alloc(8192))
    await file.sync()
    times.push(clock.elapsed() - startMs)
  }
  return times.sort((a, b) => a - b)[2]!
}

async function database(config: Config, shell: Shell, text: string): Promise<Finding[]> {
  const [outcome] = await Promise.allSettled([
    withDatabase(shell, config, async (db) => ({
      engine: await getEngine(db),
      applied: await listMigrations(db),
      isOperated: backendOf(db).isOperated,
    })),
  ])
  if (outcome.status === 'rejected') return [unreachable(text, outcome.reason)]
  const { engine, applied, isOperated } = outcome.value
  const findings = [judged('Database', true, `${text}, version ${engine.version}`, ''), migrations(applied)]
  if (!isOperated) return findings
  const major = Number.parseInt(engine.version, 10)
  const loose = (['fsync', 'full_page_writes', 'synchronous_commit'] as const).filter((name) => engine[name] === 'off')
  return [
    ...findings,
    judged('Version', postgresMajors.includes(major), `PostgreSQL ${major}`, `tested are ${postgresMajors.join(', ')}`),
    judged(
      'Durability',
      loose.length === 0,
      loose.length === 0 ? 'commits reach the disk' : `${loose.join(', ')} off`,
      'switch it on in postgresql.conf: accepted updates can be lost without',
    ),
  ]
}

function unreachable(text: string, reason: unknown): Finding {
  if (reason instanceof FolderInUse)
    return { subject: 'Database', ok: true, text: `${text}: a running server holds it; ask that one at /ready` }
  const { message, cause } = reason as Error
  const why = cause instanceof Error ? `${message} (${cause.message})` : message
  return judged('Database', false, `${text}: ${why}`, 'see that it runs and that DATABASE_URL or EASEL_DATA names it')
}

function migrations(applied: readonly string[]): Finding {
  const known = readMigrations().map(({ name }) => name)
  const missing = known.slice(applied.length)
  const newer = applied.slice(known.length)
  if (newer.length > 0)
    return judged(
      'Migrations',
      false,
      `${newer.join(', ')} came from a newer release`,
      'run that release or a newer one',
    )
  const text = missing.length === 0 ? `all ${known.length} applied` : `${missing.join(', ')} not applied yet`
  return judged('Migrations', missing.length === 0, text, 'npm run easel -- migrate, or the next start, applies them')
}
