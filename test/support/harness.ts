import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pino } from 'pino'
import { type App, startApp } from '../../src/app.ts'
import type { SettableClock } from '../../src/base/clock.ts'
import { type Config, readConfig } from '../../src/base/config.ts'
import type { Db } from '../../src/base/db/db.ts'
import type { Fetcher } from '../../src/base/fetch/fetch.ts'
import type { Timeouts } from '../../src/base/http/server.ts'
import type { Log } from '../../src/base/log.ts'
import { findPostgres, onCitus } from '../servers/postgres.ts'
import { type Lent, lendDatabase } from '../servers/spare.ts'
import { newDatabase } from '../servers/template.ts'
import { complete, drawn, long } from '../sizes.ts'
import { type Client, type Credentials, clientOf } from './client.ts'
import { eventually } from './eventually.ts'
import type { Answer } from './http-requests.ts'

export type { Answer, RequestOptions } from './http-requests.ts'

export type Database = 'pglite' | 'postgres'

const postgresIsHere = process.env.EASEL_TEST_POSTGRES !== undefined || findPostgres() !== undefined

/**
 * The databases that there are. In CI a missing server fails its tests. With EASEL_TEST_CITUS the PostgreSQL server is a coordinator of
 * Citus, and every subject runs there.
 */
export const databases: readonly Database[] = onCitus
  ? ['postgres']
  : postgresIsHere || process.env.CI === 'true'
    ? ['pglite', 'postgres']
    : ['pglite']

/** The default for tests where the database makes no difference: an engine in the process takes ten times as long as a running server. */
const anyDatabase: Database = databases.at(-1)!

/**
 * The databases for a subject that is tested over HTTP: one, which the seed draws for each subject. So every run has subjects on each
 * database, and many runs have all. A complete run has both. The SQL of each room is tested on both in every run (`test/storage`).
 */
export function drawDatabases(subject: string): readonly Database[] {
  const number = [...subject].reduce((sum, character) => sum + character.codePointAt(0)!, drawn)
  return complete ? databases : [databases[number % databases.length]!]
}

const adminToken = 'easel_admin_token_of_all_the_tests'
/** The origin that identity providers send in tests. */
export const scimToken = 'easel_scim_token_of_all_the_tests'
export const requestOrigin = 'https://easel.example.com'
const fullKey = 'easel_api_key_of_all_of_the_tests'
const startMsMax = 240_000
const leaveMsMax = 120_000
/** The last lines of a service that ended unasked. */
const reportedLines = 20

/** The environment that a started server or command gets from this process: paths of programs and compiled code, flags of the engine. */
export const ownEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
}
/**
 * V8 flags for started processes: most end before optimizing the embedded database pays, which takes two seconds of a core. The process of
 * the tests lives long enough, and so do those of the long run.
 */
export const ownFlags: readonly string[] = long ? [] : ['--liftoff-only', '--no-wasm-inlining']

/** Returns the file of a program to start: the one that the runner has built (`scripts/programs.ts`), or its source. */
export function programFile(source: string): string {
  const built = process.env.EASEL_TEST_PROGRAMS
  return built === undefined ? source : join(built, source.replace(/\.ts$/, '.mjs').replaceAll('/', '-'))
}

type Environment = { readonly [name: string]: string }

export type ServiceOptions = {
  /** The database; the default one when absent, unless `env` names one. */
  database?: Database
  /** A database that is kept after the service ends, instead of a new one. */
  on?: Lent
  env?: Environment
  timeouts?: Partial<Timeouts>
  /** The deadline of a statement in milliseconds; as in production when absent. */
  statementDeadlineMs?: number
  /** A log of the test; no log when absent. */
  log?: Log
  /** A workspace file for the default workspace, applied before the first request. */
  workspace?: object
  /** Called with the database when it is ready, to write rows that no request writes. */
  opened?(db: Db): void
  /** Used instead of the service's own fetcher. */
  fetcher?: Fetcher
  /** Used instead of the service's own clock. */
  clock?: SettableClock
  /** The folder of the built dashboard, instead of the one of this checkout. */
  dashboardFolder?: string
}

export type Service = Client & { readonly app: App; [Symbol.asyncDispose](): Promise<void> }

/** Starts the real service in this process, on a free port, with its own database. Fails a test that leaves requests unfinished. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { on, database = on?.db.backend ?? databaseIn(options.env) } = options
  const lent = on ? outliving(on) : isUsual(options) ? await lendDatabase(database) : undefined
  const { app, config } = await startOn(database, lent, options).catch(async (error: unknown) => {
    // An open database keeps the process of the tests running.
    await lent?.db.close()
    throw error
  })
  const service = serviceAt(app, { apiKey: config.apiKey!, adminToken: config.adminToken! })
  if (!options.workspace) return service
  try {
    await applyTo(service, options.workspace)
    return service
  } catch (error) {
    // A service that nobody closes keeps the process of the tests alive.
    await service[Symbol.asyncDispose]()
    throw error
  }
}

/** Starts the service on the lent database; on one that it opens itself when none was lent. */
async function startOn(
  database: Database,
  lent: Lent | undefined,
  options: ServiceOptions,
): Promise<{ app: App; config: Config }> {
  const { timeouts, statementDeadlineMs, log = pino({ level: 'silent' }), opened, fetcher, clock } = options
  const { dashboardFolder } = options
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    EASEL_DATA: 'memory',
    EASEL_API_KEY: fullKey,
    EASEL_ADMIN_TOKEN: adminToken,
    EASEL_SCIM_TOKEN: scimToken,
    EASEL_REQUEST_ORIGIN: requestOrigin,
    ...(database === 'postgres' && { DATABASE_URL: lent?.databaseUrl ?? (await newDatabase('service')) }),
    ...options.env,
  })
  const app = await startApp(config, {
    log,
    ...(lent && { open: async () => lent.db }),
    ...(opened && { opened }),
    ...(fetcher && { fetcher }),
    ...(clock && { clock }),
    ...(dashboardFolder && { dashboardFolder }),
    ...(timeouts && { timeouts }),
    ...(statementDeadlineMs && { statementDeadlineMs }),
  })
  return { app, config }
}

/** Applies a workspace file. A busy machine may be slower than the deadline of statements that a test wants, so a 503 is repeated. */
async function applyTo(service: Service, workspace: object): Promise<void> {
  let answer: Answer | undefined
  await eventually('the workspace is applied', async () => {
    answer = await service.send('POST', '/admin/apply', workspace, { key: service.adminToken })
    return answer.status !== 503
  })
  assert.ok(answer!.status < 300, `POST /admin/apply: ${answer!.text}`)
}

/** Returns whether the database is opened with the usual options, and no test watches it being opened. */
function isUsual({ env = {}, statementDeadlineMs, log }: ServiceOptions): boolean {
  return !('DATABASE_URL' in env || 'EASEL_DATA' in env) && statementDeadlineMs === undefined && log === undefined
}

function outliving({ db, databaseUrl }: Lent): Lent {
  return { db: { ...db, close: async () => {} }, databaseUrl }
}

/** Returns the database that an environment names; the default one when it names none. */
function databaseIn(env: Environment = {}): Database {
  return 'DATABASE_URL' in env || 'EASEL_DATA' in env ? 'pglite' : anyDatabase
}

function serviceAt(app: App, credentials: Credentials): Service {
  const agent = new Agent({ keepAlive: true })
  return {
    ...clientOf(app.url, credentials, agent),
    app,
    async [Symbol.asyncDispose]() {
      agent.destroy()
      const left = app.inFlight()
      await app.close()
      assert.equal(left, 0, 'every request of the test was answered before its end')
    },
  }
}

export type SpawnOptions = {
  /** The data folder; when absent, a new one that is removed at the end. */
  dataDir?: string
  /** `postgres` gives it its own PostgreSQL database. The default is used when neither this nor a folder is given. */
  database?: Database
  env?: Environment
  /** A program of the tests and its argument, instead of the product's own. It takes messages. */
  program?: readonly [path: string, argument: string]
}

export type Spawned = Client & {
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly pid: number
  /** Lines of standard output and error so far. */
  readonly lines: readonly string[]
  /** Sends a signal and waits until the process has ended. */
  kill(signal: NodeJS.Signals): Promise<Ending>
  /** Sends a signal without waiting. */
  signal(signal: NodeJS.Signals): void
  /** The status or signal with which the process ended; undefined while it runs. */
  readonly ended: Promise<Ending>
  /** Sends a message to a program of the tests. Returns its answer. */
  tell(message: object | string): Promise<unknown>
  /** Sends SIGTERM. Fails when the process does not exit with status 0. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type Ending = { code: number | null; signal: NodeJS.Signals | null }

/** Starts the service as a separate process, for tests that kill it. Resolves when `/health` answers. */
export async function spawnService(options: SpawnOptions = {}): Promise<Spawned> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'easel-data-'))
  const { database = options.dataDir === undefined ? databaseIn(options.env) : 'pglite' } = options
  const databaseUrl = options.env?.DATABASE_URL ?? (database === 'postgres' ? await newDatabase('service') : undefined)
  const env = {
    ...ownEnvironment,
    HOST: '127.0.0.1',
    PORT: '0',
    EASEL_DATA: dataDir,
    EASEL_API_KEY: fullKey,
    EASEL_ADMIN_TOKEN: adminToken,
    EASEL_SCIM_TOKEN: scimToken,
    EASEL_REQUEST_ORIGIN: requestOrigin,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    ...options.env,
  }
  const { program: [source, ...args] = ['src/main.ts'] } = options
  const child = spawn(process.execPath, [...ownFlags, programFile(source), ...args], {
    cwd: join(import.meta.dirname, '../..'),
    env,
    stdio: ['ignore', 'pipe', 'pipe', ...(options.program ? ['ipc' as const] : [])],
  })
  const lines: string[] = []
  let isLive = false
  const ended = once(child, 'close').then(([code, signal]): Ending => {
    if (isLive) reportEnd({ code, signal }, lines)
    return { code, signal }
  })
  const forget = () => {
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
  const started = within(startMsMax, addressOf(child, lines, ended), 'the service starts').catch((error: unknown) => {
    child.kill('SIGKILL')
    forget()
    throw error
  })
  const client = clientOf(await started, { apiKey: env.EASEL_API_KEY, adminToken: env.EASEL_ADMIN_TOKEN })
  assert.equal((await client.get('/health')).status, 200)
  isLive = true
  const kill = (signal: NodeJS.Signals) => {
    isLive = false
    child.kill(signal)
    return within(leaveMsMax, ended, `the service leaves after ${signal}`)
  }
  return {
    ...client,
    dataDir,
    databaseUrl,
    pid: child.pid!,
    lines,
    ended,
    kill,
    signal(signal) {
      isLive = false
      child.kill(signal)
    },
    async tell(message) {
      const answered = once(child, 'message')
      child.send(message)
      return (await Promise.race([answered, ended.then(() => assert.fail('the service has ended'))]))[0]
    },
    async stop() {
      assert.deepEqual(await kill('SIGTERM'), { code: 0, signal: null }, lines.join('\n'))
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await kill('SIGKILL')
      forget()
    },
  }
}

/** Prints how a service ended that no test ended: the test itself would only say that a connection was reset. */
function reportEnd({ code, signal }: Ending, lines: readonly string[]): void {
  process.stderr.write(`The service ended with ${code ?? signal}:\n${lines.slice(-reportedLines).join('\n')}\n`)
}

/** Returns the origin on which the process says that it listens. Appends every line that the process writes to `lines`. */
function addressOf({ stdout, stderr }: ChildProcess, lines: string[], ended: Promise<Ending>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  for (const input of [stdout!, stderr!]) {
    createInterface({ input }).on('line', (line) => {
      lines.push(line)
      const url = /"url":"(http:[^"]+)"/.exec(line)?.[1]
      if (url) resolve(url)
    })
  }
  void ended.then(({ code, signal }) =>
    reject(new Error(`the service ended (${signal ?? code}):\n${lines.join('\n')}`)),
  )
  return promise
}

function within<T>(ms: number, promise: Promise<T>, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`${what} within ${ms} ms`)), ms)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
