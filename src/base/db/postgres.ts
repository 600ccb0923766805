import pg from 'pg'
import type { Clock } from '../clock.ts'
import { unavailable } from '../errors.ts'
import type { Log } from '../log.ts'
import { applicationName, backendOf } from './backends.ts'
import { columnTypes } from './column-types.ts'
import type { Driver } from './driver.ts'
import { processNotice } from './held-lock.ts'
import { isUnavailableCode, Session } from './session.ts'
import { ShardCatalog } from './shard-catalog.ts'
import { reportServerSettings, setShardSettings } from './shard-settings.ts'

/** The oldest server the statements are tested on. */
const SERVER_VERSION_MIN = 150_000
const CONNECT_WAIT_MS = 5_000
const KEEP_ALIVE_AFTER_MS = 10_000
const IDLE_MS = 60_000
/** How long the server has to cancel a statement at its deadline before the connection is closed. */
const HEAD_START_MS = 1_000

/**
 * Opens a pool of sessions of a PostgreSQL server. A broken connection is dropped at its release and the next caller opens a new one, so
 * work continues when the server is available again. Throws the server's error when it refuses the connection: wrong password, no such
 * database, or a version that is too old.
 */
export async function openPostgres(
  databaseUrl: string,
  deadlineMs: number,
  { log, clock }: { log: Log; clock: Clock },
): Promise<Driver> {
  const pool = new pg.Pool(poolConfig(databaseUrl, deadlineMs))
  const sessions = new WeakMap<pg.ClientBase, Session>()
  // When one connection has hung, others that have not answered since then may hang too, so they are replaced.
  const answeredAfter = new WeakMap<Session, number>()
  let hangs = 0

  pool.on('connect', (client) => {
    const { stream } = (client as pg.Client).connection
    const abandon = () => {
      hangs++
      stream.destroy()
    }
    const session = new Session(client as pg.Client, { deadlineMs, headStartMs: HEAD_START_MS, abandon })
    sessions.set(client, session)
    answeredAfter.set(session, hangs)
  })
  pool.on('error', (error) => log.warn({ reason: error.message }, 'an idle connection to the database was lost'))

  const driver: Driver = {
    backend: 'postgres',
    async acquire() {
      for (;;) {
        const client = await pool.connect().catch((error: unknown) => {
          throw isRefusal(error) ? error : unavailable('The database is not available', error)
        })
        const session = sessions.get(client)!
        if (answeredAfter.get(session) === hangs) return session
        client.release(true)
      }
    },
    release(session) {
      answeredAfter.set(session, hangs)
      ;(session.client as unknown as pg.PoolClient).release(session.lost)
    },
    close: () => pool.end(),
  }
  const { version, hasShards } = await describeServer(driver)
  if (version < SERVER_VERSION_MIN) {
    await driver.close()
    throw new Error(`DATABASE_URL: PostgreSQL 15 or newer is needed, this server is ${Math.floor(version / 10_000)}`)
  }
  return hasShards ? withShards(driver, new ShardCatalog(clock), log) : driver
}

/** Returns a driver whose sessions have the settings of a distributed database. Each session gets them once. */
async function withShards(driver: Driver, shards: ShardCatalog, log: Log): Promise<Driver> {
  const prepared = new WeakSet<Session>()
  const said = new Set<string>()
  const own: Driver = {
    ...driver,
    shards,
    async acquire() {
      const session = await driver.acquire()
      if (prepared.has(session)) return session
      try {
        for (const remark of await setShardSettings(session)) {
          if (!said.has(remark)) log.warn(remark)
          said.add(remark)
        }
      } catch (error) {
        driver.release(session)
        throw error
      }
      prepared.add(session)
      return session
    },
  }
  const session = await own.acquire()
  try {
    const placement = await shards.refresh((statement) => session.query(statement))
    if (placement !== undefined) await reportServerSettings(session, log)
  } finally {
    own.release(session)
  }
  return own
}

function poolConfig(databaseUrl: string, deadlineMs: number): pg.PoolConfig {
  const settings = [
    // Replaces a name in DATABASE_URL.
    `application_name = '${applicationName}'`,
    "timezone = 'UTC'",
    'datestyle = ISO',
    'bytea_output = hex',
    // Statements are short, and their plans have a part for each week: to compile one takes longer than to run it.
    'jit = off',
    `statement_timeout = ${deadlineMs}`,
    // Releases the locks of a process whose machine was lost. With TCP alone, they would be held for hours.
    `idle_in_transaction_session_timeout = ${deadlineMs}`,
  ]
  return {
    connectionString: databaseUrl,
    application_name: applicationName,
    max: backendOf({ backend: 'postgres' }).sessions,
    connectionTimeoutMillis: CONNECT_WAIT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    types: columnTypes,
    pipeline: true,
    // Not start-up parameters, because connection poolers refuse those.
    onConnect: async (client: pg.ClientBase) => {
      const text = settings.map((setting) => `set ${setting}`).join('; ')
      await client.query({ text, query_timeout: CONNECT_WAIT_MS } as pg.QueryConfig)
    },
  } as pg.PoolConfig
}

/** Whether the server answered, and refused the connection. */
function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isUnavailableCode(error.code)
}

/** Reads the version, and whether it has the catalog of Citus. */
async function describeServer(driver: Driver): Promise<{ version: number; hasShards: boolean }> {
  const session = await driver.acquire()
  const { rows } = await session.send(
    "select current_setting('server_version_num')::int4 as version, to_regclass('pg_dist_shard') is not null as has_shards",
  )
  await session.send(processNotice)
  driver.release(session)
  return { version: rows[0].version, hasShards: rows[0].has_shards }
}
