import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { fastFolder } from '../../scripts/folders.ts'
import { freePort } from '../support/free-port.ts'
import { citusDatabasesOf } from './citus-databases.ts'
import type { Databases } from './databases.ts'

/** A private cluster with its own directory, port and processes. All of it ends with the process that started it. */
export type Cluster = Databases & {
  start(): Promise<void>
  /** Stops the server with an orderly shutdown. */
  stop(): Promise<void>
  /** Ends every process at once, like a crash. */
  stopNow(): Promise<void>
  restart(): Promise<void>
  /** Stops the server and removes the directory. */
  [Symbol.asyncDispose](): Promise<void>
}

export type ClusterOptions = {
  /** Makes writes survive a crash of the machine, as in production. Without it tests are several times faster. */
  durable: boolean
  settings?: Readonly<Record<string, string>>
  /** A data directory to begin with, which is copied; absent: an empty one is made. */
  from?: string
  /** The folder of the binaries; absent: the newest ones of this machine. */
  bin?: string
}

const DEBIAN_FOLDER = '/usr/lib/postgresql'
/** The users that run the server when this process is root, because PostgreSQL refuses to run as root. */
const OTHER_USERS = ['postgres', 'nobody']
const QUICK = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
/** Many tests run at once. There are hundreds of databases, and none exists long enough to need a vacuum. */
const CROWDED = { max_connections: '400', autovacuum_naptime: '1h' }
const MISSING = `no PostgreSQL binaries under ${DEBIAN_FOLDER}: apt-get install postgresql, or set EASEL_TEST_POSTGRES`

/** Returns the folder with the newest PostgreSQL binaries of this machine. */
export function findPostgres(): string | undefined {
  if (!existsSync(DEBIAN_FOLDER)) return undefined
  const versions = readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a))
  return versions.map((version) => join(DEBIAN_FOLDER, version, 'bin')).find((bin) => existsSync(join(bin, 'postgres')))
}

/**
 * The shell that owns the cluster. It reads commands from its standard input. When that closes, for whatever reason the parent ended,
 * it stops the server and removes the directory, or empties it when the directory above belongs to another user. So even a test that is
 * killed with SIGKILL leaves no server behind.
 */
const OWNER = `
trap '' INT TERM HUP PIPE
cd "$1" || exit 1
if [ -n "$4" ]; then cp -a "$4" "$1/data"
else "$2/initdb" --no-sync -A trust -U postgres -E UTF8 --locale=C.UTF-8 -D "$1/data" >"$1/initdb.log" 2>&1
fi
echo $? 2>/dev/null
while read -r word; do
  case $word in
    start) "$2/pg_ctl" start -w -t 240 -D "$1/data" -l "$1/server.log" -o "$3" ;;
    *) "$2/pg_ctl" stop -w -t 240 -m "$word" -D "$1/data" ;;
  esac </dev/null >"$1/pg_ctl.log" 2>&1
  echo $? 2>/dev/null
done
"$2/pg_ctl" stop -w -m immediate -D "$1/data" >/dev/null 2>&1
cd / && rm -rf "$1" 2>/dev/null
`

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const bin = options.bin ?? findPostgres()
  if (!bin) throw new Error(MISSING)
  const port = await freePort()
  const folder = mkdtempSync(join(options.durable ? tmpdir() : fastFolder(), 'easel-postgres-'))
  const user = otherUser()
  if (user) chownSync(folder, user.uid, user.gid)
  const settings = {
    ...CROWDED,
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    ...options.settings,
  }
  const flags = Object.entries({ ...settings, ...(options.durable ? {} : QUICK) }).map(
    ([name, value]) => `-c ${name}='${value}'`,
  )
  const owner = spawn('/bin/sh', ['-c', OWNER, 'sh', folder, bin, flags.join(' '), options.from ?? ''], {
    ...user,
    stdio: ['pipe', 'pipe', 'inherit'],
    // Ctrl-C in a terminal goes to the whole process group. In a group of their own, initdb and the server are shut down in order.
    detached: true,
  })
  const answers = answersOf(owner)
  const say = async (word: string) => {
    owner.stdin!.write(`${word}\n`)
    if ((await answers()) !== '0') throw new Error(`PostgreSQL: ${word} failed\n${logOf(folder)}`)
  }
  if ((await answers()) !== '0') throw new Error(`PostgreSQL: initdb failed\n${logOf(folder)}`)
  await say('start')
  return {
    ...databasesOf(`postgres://postgres@127.0.0.1:${port}/postgres`),
    start: () => say('start'),
    stop: () => say('fast'),
    stopNow: () => say('immediate'),
    async restart() {
      await say('fast')
      await say('start')
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => owner.once('close', resolve))
      owner.ref()
      owner.stdin!.end()
      await ended
    },
  }
}

let shared: Promise<Databases | undefined> | undefined

/** The URLs of the nodes with rows when the server of the tests is a coordinator of Citus; otherwise none. The runner starts them. */
const citusNodes = (process.env.EASEL_TEST_CITUS_NODES ?? '').split(' ').filter((url) => url !== '')

/** Whether the server of the tests is a coordinator of Citus. */
export const onCitus = citusNodes.length > 0

/**
 * Returns the server that all tests of this process share: EASEL_TEST_POSTGRES (the URL of a superuser), else a private cluster. Without
 * one the test is skipped, except in CI, where a missing server is a failure: `const postgres = await testPostgres(t)`.
 */
export async function testPostgres(t?: TestContext): Promise<Databases | undefined> {
  shared ??= sharedServer()
  const server = await shared
  if (server) return server
  if (process.env.CI === 'true') throw new Error(MISSING)
  t?.skip(MISSING)
  return undefined
}

async function sharedServer(): Promise<Databases | undefined> {
  const url = process.env.EASEL_TEST_POSTGRES
  if (url && onCitus) return citusDatabasesOf(databasesOf(url), citusNodes.map(databasesOf))
  if (url) return databasesOf(url)
  return findPostgres() ? startCluster({ durable: false }) : undefined
}

/** Returns the databases of a running server, by the URL of a superuser. */
export function databasesOf(superuserUrl: string): Databases {
  const url = (name: string) => {
    const own = new URL(superuserUrl)
    own.pathname = `/${name}`
    return own.href
  }
  return {
    url,
    async createDatabase(name, template = 'template1') {
      const client = new pg.Client({ connectionString: superuserUrl })
      await client.connect()
      await client.query(`create database "${name}" template "${template}"`).finally(() => client.end())
      return url(name)
    },
  }
}

/** Returns the answers of the owner, one per command, in order. The child does not keep a finished test from ending. */
function answersOf(owner: ChildProcess): () => Promise<string> {
  const lines = createInterface({ input: owner.stdout! })[Symbol.asyncIterator]()
  const streams = [owner.stdin, owner.stdout] as unknown as { ref(): void; unref(): void }[]
  const each = (act: 'ref' | 'unref') => {
    for (const thing of [owner, ...streams]) thing[act]()
  }
  each('unref')
  return async () => {
    each('ref')
    const { value } = await lines.next()
    each('unref')
    return String(value)
  }
}

/** Returns the user that runs the server when this process is root. */
export function otherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const entry = OTHER_USERS.map((name) => entries.find(([user]) => user === name)).find((found) => found)
  if (!entry) throw new Error(`PostgreSQL does not run as root, and there is no user ${OTHER_USERS.join(' or ')}`)
  return { uid: Number(entry[2]), gid: Number(entry[3]) }
}

function logOf(folder: string): string {
  const names = ['initdb.log', 'pg_ctl.log', 'server.log'].filter((name) => existsSync(join(folder, name)))
  return names.map((name) => readFileSync(join(folder, name), 'utf8').slice(-2_000)).join('\n')
}
