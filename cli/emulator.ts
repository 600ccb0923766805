import { createServer } from 'node:net'
import { InvalidArgumentError } from 'commander'
import type { MadeSecret } from '../src/banner.ts'
import { systemClock, virtualClock } from '../src/base/clock.ts'
import { type Config, readConfig } from '../src/base/config.ts'
import { openDb } from '../src/base/db/open.ts'
import { useSeed } from '../src/base/ids.ts'
import { createLog } from '../src/base/log.ts'
import { watchParent } from '../src/base/watch-parent.ts'
import type { Shell, Verb } from './command.ts'
import { repeatedOption } from './options.ts'

type Options = {
  readonly port?: number
  readonly host?: string
  readonly seed?: readonly string[]
  readonly deterministic?: string
  readonly workspace?: readonly string[]
  readonly untilStdinEnds?: boolean
}

const portMax = 65_535
const seedCharactersMax = 200
/** When the clock of an emulator with a seed begins. */
const seededStartMs = Date.UTC(2030, 0, 7, 9)
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** Variables of the environment that an emulator does not have: where it keeps data, where messages go, what a process does. */
const unused = [
  'DATABASE_URL',
  'SMTP_URL',
  'SMS_URL',
  'WEB_PUSH_CONTACT',
  'WEB_PUSH_PRIVATE_KEY',
  'FCM_SERVICE_ACCOUNT_FILE',
  'EASEL_ROLE',
  'EASEL_WORKSPACE',
  'BOUNCE_SMTP_PORT',
  'BOUNCE_DOMAIN',
  'PUBLIC_URL',
]
/** Tries to listen at a port that was free. */
const portTries = 3

export const emulatorVerb: Verb<Options> = {
  description: `Run the server in memory, for tests: with a virtual clock, an inbox, faults, snapshots and a reset (docs/emulator.md).
Prints one line of JSON with its URL and its secrets when it can answer, and runs until it is stopped.`,
  notes: `A seed file is a workspace file (.yaml, .yml, .json) or people (.jsonl: on each line a request of users/track, or one
attributes object). Secrets come from EASEL_API_KEY, EASEL_ADMIN_TOKEN and EASEL_SCIM_TOKEN, or are made.`,
  define: (command) => {
    command
      .option('--port <port>', 'the port; by default a free one', readPort)
      .option('--host <host>', 'the address to listen on', '127.0.0.1')
      .addOption(repeatedOption('--seed <file>', 'what is there at the beginning, and after each reset'))
      .option('--deterministic <seed>', 'make ids, secrets, buckets and times from this text', readSeed)
      .addOption(repeatedOption('--workspace <id>', 'a further workspace, with a key of its own'))
      .option(
        '--until-stdin-ends',
        'stop when standard input ends, as it does when the program that started this one ends',
      )
  },
  run: async (_args, options, shell) => {
    await runEmulator(options, shell)
    return { result: {} }
  },
}

/** Runs an emulator until it is stopped. */
async function runEmulator(options: Options, shell: Shell): Promise<void> {
  if (options.deterministic !== undefined) useSeed(options.deterministic)
  for (let tries = 1; ; tries++) {
    const port = options.port ?? (await findFreePort(options.host ?? '127.0.0.1'))
    try {
      return await runAt(port, options, shell)
    } catch (error) {
      // Another process has taken the free port.
      const isTaken = (error as { code?: string }).code === 'EADDRINUSE'
      if (!isTaken || options.port !== undefined || tries === portTries) throw error
    }
  }
}

async function runAt(port: number, options: Options, shell: Shell): Promise<void> {
  const config = configOf(port, options, shell.env)
  const log = createLog(config, false, 2)
  const clock = virtualClock(options.deterministic === undefined ? undefined : seededStartMs)
  const made: MadeSecret[] = []
  // While the engine starts in its thread, this one reads the rest of the service.
  const started = Promise.withResolvers<void>()
  // The template is that of the week of this machine. The weeks of a seeded clock are made beside it.
  const opening = openDb({ dataDir: 'memory', log, clock: systemClock(), onEngineStarted: started.resolve })
  await Promise.race([started.promise, opening])
  const { startEmulator } = await import('../src/start-emulator.ts')
  const app = await startEmulator(config, { made, log, clock, open: () => opening })
  try {
    const secrets = secretsOf(config, made)
    const seeding = { url: app.url, ...secrets, workspaces: options.workspace ?? [], files: options.seed ?? [] }
    let workspaces: readonly object[] = []
    if (seeding.workspaces.length + seeding.files.length > 0) {
      const { seedEmulator } = await import('./seed-emulator.ts')
      workspaces = await seedEmulator(seeding)
      await app.saveBeginning()
    }
    const line = { url: app.url, ...secrets, workspaces, version: app.version, pid: process.pid }
    shell.stdout.write(`${JSON.stringify(line)}\n`)
    await stopped(options, shell)
  } finally {
    await app.close('the end of the emulator')
  }
}

function configOf(port: number, { host = '127.0.0.1' }: Options, env: NodeJS.ProcessEnv): Config {
  const kept = Object.entries(env).filter(([name]) => !unused.includes(name))
  return readConfig({
    EASEL_LOG: 'warn',
    ...Object.fromEntries(kept),
    HOST: host,
    PORT: String(port),
    EASEL_DATA: 'memory',
    EASEL_CLOCK: 'virtual',
  })
}

/** Returns the secrets under the names of the printed line. */
function secretsOf({ apiKey, adminToken, scimToken, requestOrigin }: Config, made: readonly MadeSecret[]) {
  const textOf = (name: string) => made.find((each) => each.name === name)?.text
  return {
    api_key: apiKey ?? textOf('API key') ?? '',
    admin_token: adminToken ?? textOf('Admin token') ?? '',
    scim_token: scimToken ?? textOf('SCIM token') ?? '',
    request_origin: requestOrigin,
    first_account: textOf('First account') ?? null,
  }
}

/** Resolves when a signal, the end of standard input or the end of npm stops the emulator. */
function stopped({ untilStdinEnds = false }: Options, { stdin, env }: Shell): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const signal of stopSignals) process.once(signal, () => resolve())
  if (untilStdinEnds) stdin.on('end', resolve).on('close', resolve).resume()
  else if (env.npm_lifecycle_event === 'emulator') watchParent(resolve)
  return promise
}

async function findFreePort(host: string): Promise<number> {
  const server = createServer()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(0, host, resolve)
  await promise
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}

function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > portMax) {
    throw new InvalidArgumentError(`It must be a number from 1 to ${portMax}.`)
  }
  return Number(text)
}

function readSeed(text: string): string {
  if (text === '' || text.length > seedCharactersMax) {
    throw new InvalidArgumentError(`It must have 1 to ${seedCharactersMax} characters.`)
  }
  return text
}
