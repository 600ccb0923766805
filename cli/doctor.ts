import { existsSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import easel from '../package.json' with { type: 'json' }
import { systemClock } from '../src/base/clock.ts'
import { type Config, readConfig } from '../src/base/config.ts'
import { backendOf } from '../src/base/db/backends.ts'
import { FolderInUse } from '../src/base/db/folder-lock.ts'
import { readMigrations } from '../src/base/db/migrate.ts'
import { redactUrl } from '../src/base/log.ts'
import { explainStart } from '../src/explain-start.ts'
import type { Shell, Verb } from './command.ts'
import { withDatabase } from './database.ts'
import { findMail } from './doctor-mail.ts'
import type { Finding } from './finding.ts'
import { getEngine, listMigrations } from './store.ts'

const freeBytesMin = 1024 ** 3
const fsyncMsMax = 50
const postgresMajors = [15, 16, 17, 18]

export const doctorVerb: Verb = {
  description: `Check whether this machine can run the server: Node, the installed packages, the data directory and its disk, the
database, and the mail server, which gets no mail. Each line says ok, or wrong with a remedy. Nothing is changed. The exit code
is 1 when something is wrong.`,
  async run(_, __, shell) {
    const config = readConfig(shell.env)
    const findings = [nodeVersion(), packages(), ...(await storage(config, shell)), await findMail(config)]
    const failed = !findings.every(({ ok }) => ok)
    return { result: { findings }, text: findings.map(lineOf).join('\n'), failed }
  },
}

function lineOf({ subject, ok, text, remedy }: Finding): string {
  const line = `${ok ? 'ok   ' : 'wrong'}  ${subject.padEnd(12)}  ${text}`
  return remedy === undefined ? line : `${line}\n${' '.repeat(21)}${remedy}`
}

function finding(subject: string, ok: boolean, text: string, remedy: string): Finding {
  return { subject, ok, text, ...(!ok && { remedy }) }
}

function nodeVersion(): Finding {
  const wanted = Object.values(easel.optionalDependencies)[0]!
  const ok = Number(process.versions.node.split('.')[0]) >= Number(wanted.split('.')[0])
  return finding('Node', ok, process.version, `Easel runs on Node ${wanted}: start it with npm, which brings its own`)
}

function packages(): Finding {
  // npm writes it when it has ended.
  const ok = existsSync(new URL('../node_modules/.package-lock.json', import.meta.url))
  const text = ok ? 'installed as in package-lock.json' : 'not installed completely'
  return finding('Packages', ok, text, 'npm start installs what is missing')
}

async function storage(config: Config, shell: Shell): Promise<Finding[]> {
  if (config.databaseUrl !== undefined) return database(config, shell, `PostgreSQL at ${redactUrl(config.databaseUrl)}`)
  if (config.dataDir === 'memory') return [{ subject: 'Data', ok: true, text: 'in memory: lost when the process ends' }]
  const folder = resolve(config.dataDir)
  const disk = await directory(folder, config)
  if (!disk.every(({ ok }) => ok)) return disk
  if (!existsSync(join(folder, 'database')))
    return [...disk, { subject: 'Database', ok: true, text: 'none yet: the first start creates it' }]
  return [...disk, ...(await database(config, shell, `embedded, in ${folder}`))]
}

/** Checks the data directory, or the closest existing one above it: permission to write, duration of a sync, free space. */
async function directory(folder: string, config: Config): Promise<Finding[]> {
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  let durationMs: number
  try {
    durationMs = await syncMs(existing)
  } catch (error) {
    // The usual reason is a missing permission, which is a finding.
    return [finding('Data', false, `${folder}: ${(error as Error).message}`, explainStart(error, config))]
  }
  const { bavail, bsize } = await statfs(existing)
  const freeBytes = bavail * bsize
  const gigabytes = `${(freeBytes / 1024 ** 3).toFixed(1)} GB free`
  const duration = `${durationMs.toFixed(2)} ms until a write is on the disk`
  return [
    { subject: 'Data', ok: true, text: `${folder} can be written` },
    finding('Sync', durationMs <= fsyncMsMax, duration, 'every answer waits for this: use a faster disk'),
    finding('Disk', freeBytes >= freeBytesMin, gigabytes, 'free some space: with a full disk every update is refused'),
  ]
}

/** Returns the median of five syncs, in milliseconds. It shows a network disk or a busy one. */
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
  let state: Awaited<ReturnType<typeof readDatabase>>
  try {
    state = await readDatabase(config, shell)
  } catch (error) {
    // A database that cannot be opened is a finding.
    return [unreachable(config, text, error)]
  }
  const { engine, applied, isOperated } = state
  const findings = [finding('Database', true, `${text}, version ${engine.version}`, ''), migrations(applied)]
  if (!isOperated) return findings
  const major = Number.parseInt(engine.version, 10)
  const unsafe = (['fsync', 'full_page_writes', 'synchronous_commit'] as const).filter((name) => engine[name] === 'off')
  return [
    ...findings,
    finding(
      'Version',
      postgresMajors.includes(major),
      `PostgreSQL ${major}`,
      `tested are ${postgresMajors.join(', ')}`,
    ),
    finding(
      'Durability',
      unsafe.length === 0,
      unsafe.length === 0 ? 'commits reach the disk' : `${unsafe.join(', ')} off`,
      'switch it on in postgresql.conf: otherwise accepted updates can be lost',
    ),
  ]
}

function readDatabase(config: Config, shell: Shell) {
  return withDatabase(shell, config, async (db) => ({
    engine: await getEngine(db),
    applied: await listMigrations(db),
    isOperated: backendOf(db).isOperated,
  }))
}

function unreachable(config: Config, text: string, reason: unknown): Finding {
  if (reason instanceof FolderInUse)
    return { subject: 'Database', ok: true, text: `${text}: a running server uses it; see its /ready` }
  return finding('Database', false, text, explainStart(reason, config))
}

function migrations(applied: readonly string[]): Finding {
  const known = readMigrations().map(({ name }) => name)
  const missing = known.slice(applied.length)
  const newer = applied.slice(known.length)
  if (newer.length > 0)
    return finding(
      'Migrations',
      false,
      `${newer.join(', ')} applied by a newer release`,
      'run that release or a newer one',
    )
  const text = missing.length === 0 ? `all ${known.length} applied` : `${missing.join(', ')} not applied yet`
  return finding('Migrations', missing.length === 0, text, 'npm run easel -- migrate, or the next start, applies them')
}
