import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { lockFolder } from '../../src/base/db/folder-lock.ts'
import { openDb } from '../../src/base/db/open.ts'
import { sql } from '../../src/base/db/sql.ts'
import { readOnlyDisk, smallDiskMissing, toSmallDisk } from '../fault/small-disk.ts'
import { findPostgres, testPostgres } from '../servers/postgres.ts'
import { newDatabase } from '../servers/template.ts'
import { quiet } from './databases.ts'

type Env = Readonly<Record<string, string>>

/** What a failing start may use. It is removed after the start. */
export type Place = {
  readonly folder: string
  /** Lets something be undone after the start. */
  readonly undo: AsyncDisposableStack
  /** Shows `text` as `shown` in the page, because it differs from run to run. */
  show(text: string, shown: string): void
}

export type FailingStart = {
  /** What was done, as the page says it. */
  readonly done: string
  /** Prepares the start. Returns its environment. */
  env(place: Place): Env | Promise<Env>
  /** 2 for a setting that is not acceptable by itself. */
  readonly exit: 1 | 2
  /** Returns why it cannot be done here. */
  missing?(): string | undefined
  /** Whether a user without rights starts it. */
  readonly asStranger?: true
}

/** The user that starts without rights, when the tests run as root. */
export const stranger = { uid: 65_534, gid: 65_534 }
const short = 'too-short'
const noPostgres = () => (findPostgres() === undefined && process.env.CI !== 'true' ? 'needs PostgreSQL' : undefined)
const inMemory = { EASEL_DATA: 'memory' }

/** A variable with a value that is refused by itself. */
function setting(name: string, value: string, more: Env = {}): FailingStart {
  const others = Object.entries(more).map(([other, text]) => ` with \`${other}=${text}\``)
  return { done: `\`${name}=${value}\`${others.join('')}`, exit: 2, env: () => ({ [name]: value, ...more }) }
}

const settings: readonly FailingStart[] = [
  setting('PORT', '80a'),
  setting('HOST', 'http://127.0.0.1'),
  setting('DATABASE_URL', 'mysql://user:password@db.example.com/easel'),
  setting('EASEL_API_KEY', short),
  setting('EASEL_ADMIN_TOKEN', short),
  setting('EASEL_SCIM_TOKEN', short),
  setting('EASEL_METRICS_TOKEN', short),
  setting('EASEL_SECRET', short),
  setting('EASEL_SECRET_FILE', '/run/secrets/nothing'),
  setting('EASEL_TRUSTED_PROXIES', 'proxy.example.com'),
  setting('EASEL_REQUEST_ORIGIN', 'https://idp.example.com/scim'),
  setting('EASEL_DAILY_BACKUPS', 'always'),
  setting('EASEL_AUDIT_RETENTION', '90 days'),
  setting('EASEL_WORKSPACE', 'shop.toml'),
  setting('EASEL_SERVICE_NAME', 'My Service'),
  setting('EASEL_BATCH_MAX', '0'),
  setting('EASEL_BATCH_MAX_PER_ARRAY', 'many'),
  setting('SMTP_URL', 'mail.example.com:587'),
  setting('SMTP_CONNECTIONS', '0'),
  setting('SMS_URL', 'https://provider.example.com'),
  setting('WEB_PUSH_CONTACT', 'push@example.com'),
  setting('WEB_PUSH_CONTACT', 'mailto:push@example.com'),
  setting('WEB_PUSH_PRIVATE_KEY', 'too-short'),
  setting('FCM_SERVICE_ACCOUNT_FILE', '/run/secrets/nothing.json'),
  setting('FCM_URL', 'fcm.example.com'),
  setting('PUBLIC_URL', 'engage.example.com'),
  setting('BOUNCE_SMTP_PORT', '70000'),
  setting('BOUNCE_DOMAIN', 'bounce_example'),
  setting('EASEL_MAIL_FROM', 'Easel'),
  setting('EASEL_OIDC_ISSUER', 'http://idp.example.com'),
  setting('EASEL_OIDC_CLIENT_ID', 'easel'),
  setting('EASEL_CLOCK', 'fast'),
  setting('EASEL_FETCH_ALLOW', 'http://files.example.com'),
  setting('EASEL_ROLE', 'workers'),
  setting('EASEL_ROLE', 'worker'),
  setting('EASEL_LOG', 'loud'),
  setting('EASEL_BATCHMAX', '75'),
  setting('OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'),
  setting('OTEL_EXPORTER_OTLP_HEADERS', 'key'),
  setting('OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'),
  setting('OTEL_TRACES_SAMPLER', 'ratio'),
  setting('OTEL_TRACES_SAMPLER_ARG', '10%'),
  setting('OTEL_EXPORTER_OTLP_CLIENT_KEY', 'client.pem'),
  setting('OTEL_EXPORTER_OTLP_CERTIFICATE', '/run/secrets/nothing', {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com',
  }),
]

const files: readonly FailingStart[] = [
  {
    done: '`EASEL_DATA` is a file',
    exit: 1,
    env: ({ folder }) => ({ EASEL_DATA: written(folder, 'data', '') }),
  },
  {
    done: '`EASEL_DATA` is below a file',
    exit: 1,
    env: ({ folder }) => ({ EASEL_DATA: join(written(folder, 'file', ''), 'data') }),
  },
  {
    done: 'this user may not write to `EASEL_DATA`',
    exit: 1,
    asStranger: true,
    env({ folder }) {
      const path = made(folder, 'data')
      chmodSync(path, 0)
      return { EASEL_DATA: path }
    },
  },
  {
    done: '`EASEL_DATA` is on a read-only disk',
    exit: 1,
    missing: smallDiskMissing,
    env({ folder, undo }) {
      undo.use(readOnlyDisk(made(folder, 'data')))
      return { EASEL_DATA: join(folder, 'data') }
    },
  },
  {
    done: '`EASEL_DATA` is on a full disk',
    exit: 1,
    missing: smallDiskMissing,
    env({ folder, undo }) {
      undo.use(toSmallDisk(made(folder, 'data'), 1_048_576)).fill()
      return { EASEL_DATA: join(folder, 'data') }
    },
  },
  {
    done: '`EASEL_DATA` has a damaged database',
    exit: 1,
    env({ folder }) {
      written(made(folder, 'data/database'), 'PG_VERSION', 'nonsense\n')
      return { EASEL_DATA: join(folder, 'data') }
    },
  },
  {
    done: 'another process uses `EASEL_DATA`',
    exit: 1,
    async env({ folder, undo }) {
      const path = made(folder, 'data')
      const lock = await lockFolder(path)
      undo.defer(() => lock.release())
      return { EASEL_DATA: path }
    },
  },
  {
    done: 'there is no file `EASEL_WORKSPACE`',
    exit: 1,
    env: ({ folder }) => ({ ...inMemory, EASEL_WORKSPACE: join(folder, 'shop.yaml') }),
  },
  {
    done: '`EASEL_WORKSPACE` is a folder',
    exit: 1,
    env: ({ folder }) => ({ ...inMemory, EASEL_WORKSPACE: made(folder, 'shop.yaml') }),
  },
  {
    done: 'this user may not read `EASEL_WORKSPACE`',
    exit: 1,
    asStranger: true,
    env({ folder }) {
      const path = written(folder, 'shop.yaml', 'apps: []\n')
      chmodSync(path, 0)
      return { ...inMemory, EASEL_WORKSPACE: path }
    },
  },
  {
    done: '`EASEL_WORKSPACE` is not YAML',
    exit: 1,
    env: ({ folder }) => ({ ...inMemory, EASEL_WORKSPACE: written(folder, 'shop.yaml', 'apps: [\n') }),
  },
  {
    done: '`EASEL_WORKSPACE` has an app on a platform that does not exist',
    exit: 1,
    env({ folder }) {
      const text = 'apps:\n  - {name: Shop, platform: fridge}\n'
      return { ...inMemory, EASEL_WORKSPACE: written(folder, 'shop.yaml', text) }
    },
  },
]

const network: readonly FailingStart[] = [
  {
    done: 'another process listens on `PORT`',
    exit: 1,
    async env(place) {
      const port = await listening(place, () => undefined)
      place.show(port, '8080')
      return { ...inMemory, PORT: port }
    },
  },
  {
    done: '`PORT=80`, and this user may not listen on it',
    exit: 1,
    asStranger: true,
    missing: () => (unprivilegedPortMin() > 80 ? undefined : 'every user may listen on port 80 here'),
    env: () => ({ ...inMemory, PORT: '80' }),
  },
  {
    done: 'another process listens on `BOUNCE_SMTP_PORT`',
    exit: 2,
    async env(place) {
      const port = await listening(place, () => undefined)
      place.show(port, '2525')
      return { ...inMemory, BOUNCE_SMTP_PORT: port }
    },
  },
  { done: '`HOST` is an address of another machine', exit: 1, env: () => ({ ...inMemory, HOST: '192.0.2.1' }) },
  { done: '`HOST` is a name without address', exit: 1, env: () => ({ ...inMemory, HOST: 'easel.invalid' }) },
]

/** A start with DATABASE_URL at a server that does something else than to serve. */
function atServer(done: string, answer: (socket: Socket) => void, query = ''): FailingStart {
  return {
    done,
    exit: 1,
    async env(place) {
      const port = await listening(place, (socket) => socket.once('data', () => answer(socket)))
      place.show(port, '5432')
      return { DATABASE_URL: `postgres://easel:password@127.0.0.1:${port}/easel${query}` }
    },
  }
}

const database: readonly FailingStart[] = [
  {
    done: 'no server is at `DATABASE_URL`',
    exit: 1,
    async env(place) {
      const undo = new AsyncDisposableStack()
      const port = await listening({ ...place, undo }, () => undefined)
      await undo.disposeAsync()
      place.show(port, '5432')
      return { DATABASE_URL: `postgres://easel:password@127.0.0.1:${port}/easel` }
    },
  },
  {
    done: '`DATABASE_URL` has a host that is not known',
    exit: 1,
    env: () => ({ DATABASE_URL: 'postgres://easel:password@db.invalid/easel' }),
  },
  atServer('`DATABASE_URL` has a wrong password', (socket) =>
    refuse(socket, '28P01', 'password authentication failed'),
  ),
  atServer('the server of `DATABASE_URL` does not let this machine in', (socket) =>
    refuse(socket, '28000', 'no pg_hba.conf entry for host'),
  ),
  atServer('the server of `DATABASE_URL` has no connection left', (socket) =>
    refuse(socket, '53300', 'sorry, too many clients already'),
  ),
  atServer('the server of `DATABASE_URL` is starting', (socket) =>
    refuse(socket, '57P03', 'the database system is starting up'),
  ),
  atServer(
    '`DATABASE_URL` asks for TLS, which the server does not have',
    (socket) => socket.end('N'),
    '?sslmode=verify-full',
  ),
  atServer('`DATABASE_URL` leads to something that is not PostgreSQL', (socket) => socket.end()),
  {
    done: 'the database of `DATABASE_URL` does not exist',
    exit: 1,
    missing: noPostgres,
    env: async (place) => ({ DATABASE_URL: shown(place, (await testPostgres())!.url('nowhere'), 'nowhere') }),
  },
  {
    done: 'the database of `DATABASE_URL` was changed by a newer release of Easel',
    exit: 1,
    missing: noPostgres,
    async env() {
      const databaseUrl = await newDatabase('service')
      const db = await openDb({ dataDir: 'memory', databaseUrl, log: quiet, clock: systemClock() })
      await db.query(sql`
        insert into migration (number, name, checksum, breaking, applied_at)
        select 9999, '9999_next.sql', '', true, max(applied_at) from migration`)
      await db.close()
      return { DATABASE_URL: databaseUrl }
    },
  },
]

/** Starts that fail, in the order of the page. */
export const failingStarts: readonly FailingStart[] = [...settings, ...files, ...network, ...database]

function written(folder: string, name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

function made(folder: string, name: string): string {
  mkdirSync(join(folder, name), { recursive: true })
  return join(folder, name)
}

/** Listens on a free port until the start has failed. Returns the port. */
async function listening({ undo }: Pick<Place, 'undo'>, onSocket: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => onSocket(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo.defer(() => new Promise((resolve) => server.close(() => resolve())))
  return String((server.address() as { port: number }).port)
}

/** Answers a client of PostgreSQL with an error, and ends the connection. */
function refuse(socket: Socket, code: string, message: string): void {
  const fields = `SFATAL\0VFATAL\0C${code}\0M${message}\0\0`
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(4 + Buffer.byteLength(fields), 1)
  socket.end(Buffer.concat([head, Buffer.from(fields)]))
}

function shown(place: Place, databaseUrl: string, name: string): string {
  const { host, username } = new URL(databaseUrl)
  place.show(host, '127.0.0.1:5432')
  place.show(`"${username}"`, '"easel"')
  place.show(`"${name}"`, '"easel"')
  return databaseUrl
}

function unprivilegedPortMin(): number {
  const path = '/proc/sys/net/ipv4/ip_unprivileged_port_start'
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 1024
}
