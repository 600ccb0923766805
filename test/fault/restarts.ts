import pg from 'pg'
import { startCluster } from '../servers/postgres.ts'
import { newDatabase } from '../servers/template.ts'
import { long } from '../sizes.ts'
import {
  type Database,
  type Service,
  type ServiceOptions,
  type Spawned,
  type SpawnOptions,
  spawnService,
  startService,
} from '../support/harness.ts'
import { temporaryFolder } from './folders.ts'
import { pause } from './load.ts'

/** A database on which one service runs after the other. */
export type Place = AsyncDisposable & {
  /** Starts the service as a separate process, which can be killed. */
  start(env?: SpawnOptions['env']): Promise<Spawned>
  /** Starts the service in this process, for tests that only read: it costs a third of a separate one. */
  look(options?: Pick<ServiceOptions, 'opened'>): Promise<Service>
  /** Resolves when the database has ended all work of a killed process. */
  settled(): Promise<void>
}

export async function placeFor(database: Database): Promise<Place> {
  await using stack = new AsyncDisposableStack()
  const { path: dataDir } = stack.use(temporaryFolder())
  const databaseUrl = database === 'postgres' ? await onServer(stack) : undefined
  const env: NonNullable<ServiceOptions['env']> = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }
  const kept = stack.move()
  return {
    start: async (more) => kept.use(await spawnService({ dataDir, env: { ...env, ...more } })),
    look: (options) => startService({ database, env: { EASEL_DATA: dataDir, ...env }, ...options }),
    settled: async () => {
      if (databaseUrl !== undefined) await sessionsEnd(databaseUrl)
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** The server is not ended, so only the times of its writes differ. */
async function onServer(stack: AsyncDisposableStack): Promise<string> {
  if (!long) return newDatabase('killed')
  const cluster = stack.use(await startCluster({ durable: true }))
  return cluster.createDatabase('killed')
}

/** The server may still run a COMMIT of a killed process. A read before it ends would see a state that changes later. */
async function sessionsEnd(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const left = `select 1 from pg_stat_activity where application_name = 'easel' and datname = current_database()`
  while ((await client.query(left)).rows.length > 0) await pause(20)
  await client.end()
}
