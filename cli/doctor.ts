import { existsSync } from 'node:fs'
import { open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import easel from '../package.json' with { type: 'json' }
import { systemClock } from '../src/base/clock.ts'
import { type Config, readConfig } from '../src/base/config.ts'
import { backendOf } from '../src/base/db/backends.ts'
import { FolderInUse } from '../src/base/db/folder-lock.ts'
import { readMigrations } from '../src/base/db/migrate.ts'
import { readServerTime } from '../src/base/db/server-time.ts'
import { redactUrl } from '../src/base/log.ts'
import { loadRootSecrets } from '../src/base/root-secrets.ts'
import { explainStart } from '../src/explain-start.ts'
import { getRootKeyId } from '../src/workspace/settings/installation-store.ts'
import type { Shell, Verb } from './command.ts'
import { withDatabase } from './database.ts'
import { driftOf, findClock, findServer, judgeDrift } from './doctor-clock.ts'
import { findInstallation } from './doctor-installation.ts'
import { findMail } from './doctor-mail.ts'
import { findSecrets } from './doctor-secrets.ts'
import { judgeShards, readShards } from './doctor-shards.ts'
import { findTexts } from './doctor-texts.ts'
import { type Finding, finding } from './finding.ts'
import { type Engine, getEngine, listMigrations } from './store.ts'

const freeBytesMin = 1024 ** 3
const fsyncMsMax = 50
const postgresMajors = [15, 16, 17, 18]
/** The migration since which a root secret may encrypt what is stored. */
const sealingMigration = '0013_sealing_key.sql'

/**
 * What was found of the database, and who can read more of it: this command, the server that uses it, or nobody, because there is none yet
 * or something is wrong with it.
 */
type Storage = { readonly findings: readonly Finding[]; readonly reader: 'command' | 'server' | 'nobody' }

export const doctorVerb: Verb = {
  description: `Check whether this machine can run the server: Node, the installed packages, the data directory and its disk, the
database, secrets, the clock, API keys, the mail server and the provider of text messages,
which get nothing, and what DNS says of each mail domain. Each line says ok,
or wrong with a remedy. Nothing is changed. The exit code is 1 when something is wrong.`,
  notes: `It works beside a running server. With EASEL_ADMIN_TOKEN it asks that server for what only the server can read.`,
  async run(_, __, shell) {
    const config = readConfig(shell.env)
    const server = await findServer(config)
    const stored = await storage(config, shell, server !== undefined)
    const findings = [
      ...[nodeVersion(), packages(), ...stored.findings, ...findClock(config), ...(server?.findings ?? [])],
      ...[adminToken(config), await findMail(config), await findTexts(config)],
      ...(stored.reader === 'nobody' ? [] : await findInstallation(config, shell, stored.reader === 'server')),
    ]
    const failed = !findings.every(({ ok }) => ok)
    return { result: { findings }, text: findings.map(lineOf).join('\n'), failed }
  },
}

function adminToken({ adminToken: given }: Config): Finding {
  const text =
    given === undefined
      ? 'the one of the installation; keys reset-admin replaces a lost one'
      : 'from EASEL_ADMIN_TOKEN, valid while the environment of the server has it'
  return { subject: 'Admin token', ok: true, text }
}

function lineOf({ subject, ok, text, remedy }: Finding): string {
  const line = `${ok ? 'ok   ' : 'wrong'}  ${subject.padEnd(12)}  ${text}`
  return remedy === undefined ? line : `${line}\n${' '.repeat(21)}${remedy}`
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

async function storage(config: Config, shell: Shell, isServerHere: boolean): Promise<Storage> {
  if (config.databaseUrl !== undefined) return database(config, shell, `PostgreSQL at ${redactUrl(config.databaseUrl)}`)
  if (config.dataDir === 'memory') {
    const findings = [{ subject: 'Data', ok: true, text: 'in memory: lost when the process ends' }]
    return { findings, reader: isServerHere ? 'server' : 'nobody' }
  }
  const folder = resolve(config.dataDir)
  const disk = await directory(folder, config)
  if (disk.some(({ ok, subject }) => !ok && subject === 'Data')) return { findings: disk, reader: 'nobody' }
  if (!existsSync(join(folder, 'database'))) {
    const none = { subject: 'Database', ok: true, text: 'none yet: the first start creates it' }
    return { findings: [...disk, none], reader: 'nobody' }
  }
  const { findings, reader } = await database(config, shell, `embedded, in ${folder}`)
  return { findings: [...disk, ...findings], reader }
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
    ...(await backupSpace(join(folder, 'database'), freeBytes)),
  ]
}

/** Checks that there is room for a backup: in the worst case a file as large as the database, and a copy to read it again. */
async function backupSpace(database: string, freeBytes: number): Promise<Finding[]> {
  if (!existsSync(database)) return []
  let bytes = 0
  for (const entry of await readdir(database, { recursive: true, withFileTypes: true })) {
    // A running server removes files meanwhile.
    if (entry.isFile())
      bytes += await stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      )
  }
  const text = `the database has ${(bytes / 1024 ** 3).toFixed(2)} GB, a backup needs up to twice that`
  return [
    finding('Backup', freeBytes >= 2 * bytes, text, 'free some space, or run easel backup --no-check to another disk'),
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

async function database(config: Config, shell: Shell, text: string): Promise<Storage> {
  let state: Awaited<ReturnType<typeof readDatabase>>
  try {
    state = await readDatabase(config, shell)
  } catch (error) {
    // A database that cannot be opened is a finding.
    const found = unreachable(config, text, error)
    return { findings: [found], reader: found.ok ? 'server' : 'nobody' }
  }
  const { engine, applied, isOperated, rootKeyId, driftMs, shards } = state
  const readable = [
    migrations(applied),
    ...(rootKeyId === undefined ? [] : [findSecrets(rootKeyId, loadRootSecrets(config))]),
  ]
  const findings = [
    ...[finding('Database', true, `${text}, version ${engine.version}`, ''), ...readable],
    ...(isOperated ? operatedDatabase(engine, driftMs) : []),
    ...(shards ? judgeShards(shards) : []),
  ]
  return { findings, reader: readable.every(({ ok }) => ok) ? 'command' : 'nobody' }
}

/** Judges a server that others operate. */
function operatedDatabase(engine: Engine, driftMs: number): Finding[] {
  const major = Number.parseInt(engine.version, 10)
  const unsafe = (['fsync', 'full_page_writes', 'synchronous_commit'] as const).filter((name) => engine[name] === 'off')
  return [
    judgeDrift('the database server', driftMs),
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
  return withDatabase(shell, config, async (db) => {
    const applied = await listMigrations(db)
    return {
      engine: await getEngine(db),
      applied,
      isOperated: backendOf(db).isOperated,
      rootKeyId: applied.includes(sealingMigration) ? await getRootKeyId(db) : undefined,
      driftMs: await driftOf(() => readServerTime(db)),
      shards: await readShards(db),
    }
  })
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
