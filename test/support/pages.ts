import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { strToU8, zipSync } from 'fflate'
import { findPostgres, startCluster } from '../servers/postgres.ts'
import { freePort } from './free-port.ts'
import { databases } from './harness.ts'

const root = join(import.meta.dirname, '../..')
type FollowedPage = {
  /** How many outputs it prints; each is compared. */
  readonly outputs: number
  /** The files that a reader brings, by name. */
  readonly given?: Readonly<Record<string, string | Uint8Array>>
  /** The reader has a PostgreSQL server: what the page calls db.example.com is an empty database of it. */
  readonly usesPostgres?: true
  /** Followed in a file of its own, in a third of the runs and in each long run. */
  readonly isSlow?: true
}

/**
 * The blocks that are not run, by the beginning of their first line, with the reason. A new block is run, or it is named here; one that is
 * not there any more fails the test.
 */
export const notRun: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': { 'npm test': 'it would run this test' },
  'client/README.md': { 'npx tsc': 'my-program is a program of the reader, beside the checkout' },
  'docs/deploying.md': {
    'docker compose': 'no Docker daemon, and no registry of images',
    'cd /opt/easel': 'it installs a service of the machine, which must run systemd',
    'systemd-run': 'the machine must run systemd',
    'helm install': 'no cluster, and Debian and npm do not have helm',
    'docker buildx': 'no registry of images',
  },
}

/** Returns why a block of a page is not run; undefined for the others. */
export function whyNotRun(page: string, text: string): string | undefined {
  return Object.entries(notRun[page] ?? {}).find(([beginning]) => text.startsWith(beginning))?.[1]
}

/** Returns why a page cannot be followed here; false when it can. In CI what it needs is there. */
export function whyNotFollowed({ usesPostgres }: FollowedPage): string | false {
  return usesPostgres && !databases.includes('postgres') ? 'PostgreSQL is not here' : false
}

/** Every page with commands. */
export const pages: Readonly<Record<string, FollowedPage>> = {
  'README.md': { outputs: 18 },
  'client/README.md': { outputs: 0 },
  'docs/canvases.md': { outputs: 10 },
  'docs/cli.md': { outputs: 2 },
  'docs/deploying.md': { outputs: 0 },
  'docs/emulator.md': { outputs: 3 },
  'docs/moving.md': { outputs: 3, usesPostgres: true, isSlow: true },
  'docs/operations.md': {
    outputs: 1,
    usesPostgres: true,
    given: {
      'answers.json':
        '{"users": [{"external_id": "ada", "first_name": "Ada", "email": "ada@example.com"}], "message": "success"}\n',
      'people.csv': 'Email,Plan,Shop\nbob@example.com,gold,b-1\ncleo@example.com,free,c-2\n',
      'people.refused.csv': 'Email,Plan,Shop\ndora@example.com,free,d-4\n',
      'export.zip': zipSync({ 'part-1.txt': strToU8('{"external_id":"zoe","first_name":"Zoe"}\n') }),
      'items.csv': 'Key,Name,Price,Note\ne1,Easel,99.5,heavy\nb7,Brush,7,\n',
    },
    isSlow: true,
  },
  'docs/push.md': { outputs: 2 },
  'docs/sign-up-forms.md': { outputs: 4 },
  'docs/sql.md': { outputs: 0, usesPostgres: true },
  'docs/webhooks.md': { outputs: 1 },
  'examples/README.md': { outputs: 3 },
}

/** The address on the pages. Tests take a free port in its place, and change nothing else of a command. */
const printedAddress = '127.0.0.1:8080'
/** The database on the pages, and the folder of their backups. */
const printedDatabase = 'postgres://easel:secret@db.example.com/easel'
const printedBackups = '/backups/'
/** What the pages print in place of a secret, with its name in the lines of a start. */
const printedSecrets = {
  'the-key-that-was-printed': 'API key',
  'the-admin-token-that-was-printed': 'Admin token',
  'the-scim-token-that-was-printed': 'SCIM token',
} as const
/** In a printed output these stand for what differs from run to run. */
const placeholders = {
  '<id>': '(?:[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{24})',
  '<time>': '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z',
  '<version>': '\\d+\\.\\d+\\.\\d+',
} as const
const runMsMax = 120_000
/** A block that begins with a pause waits for work; on a busy machine it is run again. */
const triesMax = 30

/** A fenced block of a page, with the text above it up to the previous block. */
export type Block = { readonly kind: string; readonly text: string; readonly above: string }

export function blocksOf(page: string): Block[] {
  let end = 0
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ 0: all, 1: kind = '', 2: text = '', index }) => {
    const above = page.slice(end, index)
    end = index + all.length
    return { kind, text, above }
  })
}

/**
 * Follows a page as a reader would, in a folder that has nothing but the project. Runs each `sh` block as it is printed, in one shell. The
 * `json` or `text` block right below it is its output; a block without one must not be refused. A block with `npm start` ends the server
 * before it, and so does the sentence "Stop the server with Ctrl-C". A `yaml` block is written to the file that the line above it names:
 * "into `trial.yaml`". Returns the number of outputs.
 */
export async function followPage(path: string, { given = {}, usesPostgres }: FollowedPage): Promise<number> {
  const blocks = blocksOf(readFileSync(join(root, path), 'utf8'))
  await using cluster = usesPostgres && (await startCluster({ durable: false }))
  await using reader = await openReader(given, await cluster?.createDatabase('easel'))
  let outputs = 0
  for (const [i, { kind, text, above }] of blocks.entries()) {
    const file = /into `([\w.-]+)`/.exec(above.trimEnd().split('\n').at(-1)!)?.[1]
    if (file !== undefined && kind !== 'sh') reader.write(file, text)
    if (kind !== 'sh' || whyNotRun(path, text) !== undefined) continue
    if (above.includes('Stop the server with Ctrl-C')) await reader.stopServer()
    const next = blocks[i + 1]
    const isOutput = next && next.above.trim() === '' && (next.kind === 'json' || next.kind === 'text')
    await followBlock(reader, `${path}: ${text}`, text, isOutput ? next.text : undefined)
    if (isOutput) outputs++
  }
  return outputs
}

async function followBlock(reader: Reader, name: string, text: string, output: string | undefined): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { printed, status } = await reader.type(text)
    const isRight = output === undefined ? status === 0 && !isRefusal(printed) : patternOf(output).test(printed)
    if (isRight) return
    if (text.startsWith('sleep ') && tries < triesMax) continue
    if (output === undefined) assert.fail(`${name}\nended with status ${status}: ${printed}`)
    assert.equal(printed.trim(), output.trim(), name)
  }
}

function isRefusal(printed: string): boolean {
  return /"message":"(?!success")/.test(printed)
}

function patternOf(output: string): RegExp {
  const escaped = output.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const pattern = Object.entries(placeholders).reduce((text, [name, each]) => text.replaceAll(name, each), escaped)
  return new RegExp(`^\\s*${pattern}\\s*$`)
}

type Reader = AsyncDisposable & {
  write(file: string, text: string): void
  /** Types commands, and returns what they print and the status of the last one. */
  type(text: string): Promise<{ printed: string; status: number }>
  stopServer(): Promise<void>
}

async function openReader(given: NonNullable<FollowedPage['given']>, databaseUrl = printedDatabase): Promise<Reader> {
  const folder = mkdtempSync(join(tmpdir(), 'easel-page-'))
  const own = readdirSync(root).filter((name) => !/^(?:data|trial|\.env)$/.test(name))
  for (const name of own) symlinkSync(join(root, name), join(folder, name))
  for (const [name, text] of Object.entries(given)) writeFileSync(join(folder, name), text)
  const port = await freePort()
  const { HOME, NODE_COMPILE_CACHE } = process.env
  const PATH = [process.env.PATH, findPostgres() ?? []].flat().join(delimiter)
  // npm then runs a command without the one before it, which would install what is missing.
  const env = { PATH, HOME, NODE_COMPILE_CACHE, PORT: String(port), npm_config_ignore_scripts: 'true' }
  const shell = openShell(folder, env)
  let server: Server | undefined
  const secrets: Record<string, string> = {}
  const stopServer = async () => server?.[Symbol.asyncDispose]()

  return {
    stopServer,
    write: (file, text) => writeFileSync(join(folder, file), text),
    async type(text) {
      const here = text
        .replaceAll(printedAddress, `127.0.0.1:${port}`)
        .replaceAll(printedDatabase, databaseUrl)
        .replaceAll(printedBackups, `${folder}/backups/`)
        .replaceAll(/^npx --silent node (?=examples)/gm, `EASEL_URL=http://127.0.0.1:${port} npx --silent node `)
      const start = /^(?:.* )?npm start\n/m.exec(here)
      const typed = start ? here.slice(start.index + start[0].length) : here
      if (start) {
        await stopServer()
        const before = here.slice(0, start.index)
        server = await startServer(before + start[0], folder, env)
        Object.assign(secrets, server.secrets)
        // A reader does this in both terminals.
        await shell.run(before)
      }
      const known = Object.entries(secrets).reduce((all, [printed, secret]) => all.replaceAll(printed, secret), typed)
      return shell.run(known)
    },
    async [Symbol.asyncDispose]() {
      shell.close()
      await stopServer()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Server = AsyncDisposable & { readonly secrets: Readonly<Record<string, string>> }

async function startServer(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Server> {
  const child = spawn('bash', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const ended = once(child, 'close')
  const printed = collect(child)
  await waitFor(
    () => {
      assert.ok(child.exitCode === null, `${command}\nended: ${printed.text}`)
      return /Easel is running at|is running at http/.test(printed.text)
    },
    () => printed.text,
  )
  const secrets = Object.entries(printedSecrets).flatMap(([words, name]) => {
    const secret = new RegExp(`^ +${name} +(\\S+)$`, 'im').exec(printed.text)?.[1]
    return secret === undefined ? [] : [[words, secret] as const]
  })
  return {
    secrets: Object.fromEntries(secrets),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) process.kill(-child.pid!, 'SIGTERM')
      await ended
    },
  }
}

function openShell(cwd: string, env: NodeJS.ProcessEnv) {
  const shell = spawn('bash', ['--norc'], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  const printed = collect(shell)
  return {
    async run(text: string) {
      printed.text = ''
      shell.stdin!.write(`{ :\n${text}\n} 2>&1 < /dev/null\nprintf '\\n\\1%s\\n' $?\n`)
      const ended = /\n\u0001(\d+)\n$/
      await waitFor(
        () => ended.test(printed.text),
        () => `${text}\nprinted: ${printed.text}`,
      )
      return { printed: printed.text.replace(ended, ''), status: Number(ended.exec(printed.text)![1]) }
    },
    close() {
      if (shell.exitCode === null) process.kill(-shell.pid!, 'SIGKILL')
    },
  }
}

function collect(child: ChildProcess): { text: string } {
  const printed = { text: '' }
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed.text += text
    })
  }
  return printed
}

async function waitFor(isThere: () => boolean, seen: () => string): Promise<void> {
  const deadline = performance.now() + runMsMax
  while (!isThere()) {
    assert.ok(performance.now() < deadline, seen())
    await sleep(10)
  }
}
