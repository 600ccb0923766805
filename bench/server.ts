import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { engineFlagsOf } from '../test/support/engine-flags.ts'
import { freePort } from '../test/support/free-port.ts'
import { groupId } from './bodies.ts'
import { registerCleanup, startWatchdog } from './cleanup.ts'
import { appId } from './mail-template.ts'
import { isGroupAlive } from './processes.ts'
import { inspectorFlags, registerInspector } from './profile.ts'

export const root = join(import.meta.dirname, '..')
export const apiKey = 'bench-key-000000000000000000000000'
const adminToken = 'bench-admin-token-0000000000000000'

/** The V8 flags of `npm start`: requests that wait for their flush do not fit in a young generation of the default size. */
const engineFlags = engineFlagsOf('start')

const startMs = 300_000
const stopMs = 30_000
const pollMs = 10
const logCharsShown = 3000

// The contract limits exports to 250 a minute, which would limit the measurement.
const workspaceFile = `settings:
  rate_limits:
    export_ids: unlimited
apps:
  - {id: ${appId}, name: Shop, platform: web}
subscription_groups:
  - {id: ${groupId}, name: News, channel: email}
`

export type ServerOptions = {
  /** The directory for data, log and workspace file. */
  directory: string
  databaseUrl?: string
  /** The mail server; mails go to the inbox when absent. */
  smtpUrl?: string
  /** Further subscription groups of the workspace file, as lines of YAML. */
  groups?: string
  /** Another checkout, whose service is started. */
  checkout?: string
  /** Further variables. */
  env?: Readonly<Record<string, string>>
  /** The command to run in the root of the project, by default the server itself, and its PATH. */
  command?: readonly [string, ...string[]]
  path?: string
}

type Answer = Record<string, unknown>

/** A server of this checkout in a process group of its own. */
export class Server implements AsyncDisposable {
  readonly port: number
  /** Milliseconds from the start of the process to its first answer of 200 on `/health`. */
  readonly readyMs: number
  readonly #child: ChildProcess
  readonly #cleanUp: () => Promise<void>

  constructor(child: ChildProcess, cleanUp: () => Promise<void>, port: number, readyMs: number) {
    this.#child = child
    this.#cleanUp = cleanUp
    this.port = port
    this.readyMs = readyMs
  }

  get pid(): number {
    return this.#child.pid!
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.#request(path, apiKey, { method: 'POST', body: JSON.stringify(body) })
  }

  /** Sends a GET with the API key. */
  get(path: string): Promise<Answer> {
    return this.#request(path, apiKey, {})
  }

  /** Sends a GET with the admin token. */
  read(path: string): Promise<Answer> {
    return this.#request(path, adminToken, {})
  }

  /** Returns the id of the person with an e-mail address. */
  async findPerson(email: string): Promise<string> {
    const { people } = (await this.read(`/admin/people/search?q=${email}`)) as { people: { id: string }[] }
    return people[0]!.id
  }

  /** Sends a POST with the admin token. */
  add(path: string, body: unknown): Promise<Answer> {
    return this.#request(path, adminToken, { method: 'POST', body: JSON.stringify(body) })
  }

  /** Sends a PATCH with the admin token. */
  change(path: string, body: unknown): Promise<Answer> {
    return this.#request(path, adminToken, { method: 'PATCH', body: JSON.stringify(body) })
  }

  async #request(path: string, token: string, init: { method?: string; body?: string }): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, { ...init, headers })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
    return JSON.parse(text) as Answer
  }

  /** Stops the server cleanly. */
  async stop(): Promise<void> {
    await this.#cleanUp()
  }

  /** Kills the server. */
  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit')
    signalGroup(this.#child, 'SIGKILL')
    await exited
    await this.#cleanUp()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanUp()
  }
}

export async function startServer(options: ServerOptions): Promise<Server> {
  const port = await freePort()
  const workspace = join(options.directory, 'workspace.yaml')
  const log = join(options.directory, 'service.log')
  writeFileSync(workspace, workspaceFile + (options.groups ?? ''))
  const inspector = await inspectorFlags()
  const [command, ...parts] = options.command ?? [process.execPath, ...engineFlags, ...inspector.flags, 'src/main.ts']
  const output = openSync(log, 'a')
  const startedMs = performance.now()
  const child = spawn(command, parts, {
    cwd: options.checkout ?? root,
    env: environment(options, port, workspace),
    stdio: ['ignore', output, output],
    // A group of its own, because Ctrl-C in a terminal must not reach it directly and `npm start` is three processes.
    detached: true,
  })
  closeSync(output)
  const stopWatchdog = startWatchdog('kill -s KILL -- -"$1"', String(child.pid))
  const cleanUp = registerCleanup(() => end(child).finally(stopWatchdog))
  await untilHealthy(child, port, log)
  if (!options.command) registerInspector(child.pid!, inspector.port)
  return new Server(child, cleanUp, port, performance.now() - startedMs)
}

function environment(options: ServerOptions, port: number, workspace: string): NodeJS.ProcessEnv {
  return {
    PATH: options.path ?? process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: 'production',
    PORT: String(port),
    EASEL_DATA: join(options.directory, 'data'),
    EASEL_API_KEY: apiKey,
    EASEL_ADMIN_TOKEN: adminToken,
    EASEL_SCIM_TOKEN: 'bench-scim-token-00000000000000000',
    EASEL_WORKSPACE: workspace,
    ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
    ...(options.smtpUrl === undefined ? {} : { SMTP_URL: options.smtpUrl }),
    ...options.env,
  }
}

async function untilHealthy(child: ChildProcess, port: number, log: string): Promise<void> {
  const giveUpMs = performance.now() + startMs
  while (!(await isHealthy(port))) {
    const ended = child.exitCode !== null || child.signalCode !== null
    if (ended || performance.now() > giveUpMs) {
      const lastLines = readFileSync(log, 'utf8').slice(-logCharsShown)
      throw new Error(`the service ${ended ? 'ended' : 'did not answer /health'}; its log ends in\n${lastLines}`)
    }
    await sleep(pollMs)
  }
}

async function isHealthy(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined)
  await response?.arrayBuffer()
  return response?.status === 200
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  signalGroup(child, 'SIGTERM')
  const deadline = setTimeout(() => signalGroup(child, 'SIGKILL'), stopMs)
  await exited
  // `npm start` may end before the server that it started.
  while (isGroupAlive(child.pid!)) await sleep(pollMs)
  clearTimeout(deadline)
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  process.kill(-child.pid!, signal)
}
