import pg from 'pg'
import { unavailable } from '../errors.ts'
import { startInterval } from '../interval.ts'
import { isUnavailableCode } from './session.ts'

export type LockKind = 'shared' | 'exclusive'

export type LockRequest = {
  readonly databaseUrl: string
  /** The number of the lock, in the database of the URL. */
  readonly lock: number
  readonly kind: LockKind
  /** The `application_name` of the session, by which other processes recognise the holder. The server keeps 63 characters. */
  readonly name: string
  /** How long to wait for other holders. */
  readonly waitMs: number
  /** Whether a session of this name may be left from a connection that was lost. It is ended first. */
  readonly isRepeated?: boolean
  /** Called when another process of Easel may have begun or ended to use the database (`processNotice`). */
  readonly onOtherProcess?: (() => void) | undefined
  /** Ends the attempt. */
  readonly stopping?: AbortSignal
}

/** A session that holds a lock, as other sessions see it. Its name is empty when it belongs to another role of the server. */
export type LockHolder = { readonly name: string; readonly kind: LockKind }

/** A lock that this process holds. */
export type HeldLock = {
  /** Resolves when its session has ended, and with it the lock. */
  readonly lost: Promise<void>
  /** Returns whether other sessions hold the lock too. */
  isShared(): Promise<boolean>
  /** Gives the lock back. Never throws. */
  release(): Promise<void>
}

/** Other sessions hold the lock in a way that excludes the requested one. */
export class LockTaken extends Error {
  readonly holders: readonly LockHolder[]

  constructor(holders: readonly LockHolder[]) {
    super('the lock is held by another session')
    this.holders = holders
  }
}

/** The first number of every lock of a session of Easel: other programs may use advisory locks of the same database. */
export const lockClass = 0x4561736c
const noticeChannel = 'easel_process'
/** Tells the processes that hold a lock of the database that this one begins or ends to use it. */
export const processNotice = `select pg_notify('${noticeChannel}', '')`
const connectMs = 5_000
/** How often a session that holds a lock is asked whether it is still there, and how long it has for the answer. */
const checkEveryMs = 3_000
const answerMs = 5_000
const lockNotAvailable = '55P03'

// The server notices within 25 seconds that the machine of the holder is gone. Otherwise it could hold the lock for hours.
const settings = [
  'statement_timeout = 0',
  'idle_session_timeout = 0',
  'tcp_keepalives_idle = 10',
  'tcp_keepalives_interval = 5',
  'tcp_keepalives_count = 3',
].map((setting) => `set ${setting}`)

/**
 * Takes an advisory lock of a PostgreSQL server in a session of its own, and holds it until `release`. The server releases it when this
 * process ends, however it ends. Throws LockTaken when others hold the lock.
 */
export async function holdLock(request: LockRequest): Promise<HeldLock> {
  const { databaseUrl, lock, waitMs, stopping } = request
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs + waitMs,
    keepAlive: true,
  })
  const end = Promise.withResolvers<void>()
  client.once('end', end.resolve)
  // A connection that breaks ends too.
  client.on('error', () => {})
  // A process also gets its own notice.
  client.on('notification', ({ processId }) => {
    if (processId !== processIdOf(client)) request.onOtherProcess?.()
  })
  const abandon = () => streamOf(client).destroy()
  stopping?.addEventListener('abort', abandon)
  try {
    await client.connect()
    await take(client, request)
  } catch (error) {
    const isTaken = error instanceof pg.DatabaseError && error.code === lockNotAvailable
    const failure = isTaken ? new LockTaken(await listHolders(client, lock)) : toFailure(error)
    abandon()
    throw failure
  } finally {
    stopping?.removeEventListener('abort', abandon)
  }
  return kept(client, lock, end.promise)
}

async function take(client: pg.Client, request: LockRequest): Promise<void> {
  const { lock, kind, name, waitMs, isRepeated, onOtherProcess } = request
  const own = [`set lock_timeout = ${waitMs}`, `set application_name = ${client.escapeLiteral(name)}`]
  await client.query([...settings, ...own].join('; '))
  if (isRepeated) await client.query(endNamesakes, [lockClass, lock, name])
  await client.query(`select pg_advisory_lock${kind === 'shared' ? '_shared' : ''}($1, $2)`, [lockClass, lock])
  // A session that has the lock already gets the notice, and one that gets it later sees this session.
  if (onOtherProcess) await client.query(`listen ${noticeChannel}; ${processNotice}`)
}

/** Asks the session from time to time whether it is still there. The connection may be dead without an end that reaches this process. */
function kept(client: pg.Client, lock: number, lost: Promise<void>): HeldLock {
  const abandon = () => streamOf(client).destroy()
  const stopChecks = startInterval(async () => {
    await client.query('select').catch(abandon)
  }, checkEveryMs)
  void lost.then(stopChecks)
  return {
    lost,
    isShared: async () => (await listHolders(client, lock)).length > 0,
    async release() {
      stopChecks()
      const deadline = setTimeout(abandon, answerMs)
      await Promise.race([client.end().catch(() => {}), lost])
      clearTimeout(deadline)
    },
  }
}

function processIdOf(client: pg.Client): number | null {
  return (client as unknown as { readonly processID: number | null }).processID
}

function streamOf(client: pg.Client): { destroy(): void } {
  return (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream
}

/** Returns the refusal of the server as it is, and 503 for a server that cannot be reached. */
function toFailure(error: unknown): unknown {
  const isRefusal = error instanceof pg.DatabaseError && !isUnavailableCode(error.code)
  return isRefusal ? error : unavailable('The database is not available', error)
}

const holders = `pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.classid = $1 and l.objid = $2 and l.objsubid = 2
    and l.database = (select oid from pg_database where datname = current_database()) and l.pid <> pg_backend_pid()`

const endNamesakes = `select pg_terminate_backend(l.pid) from ${holders} and a.application_name = $3`

async function listHolders(client: pg.Client, lock: number): Promise<LockHolder[]> {
  const { rows } = await client.query<{ name: string | null; mode: string }>(
    `select a.application_name as name, l.mode from ${holders} order by a.backend_start`,
    [lockClass, lock],
  )
  return rows.map(({ name, mode }) => ({ name: name ?? '', kind: mode === 'ExclusiveLock' ? 'exclusive' : 'shared' }))
}
