import pg from 'pg'
import { startCluster as startPostgres } from '../test/servers/postgres.ts'
import { registerCleanup } from './cleanup.ts'
import { profiledSettings, profileStatements } from './profile.ts'

/** A PostgreSQL server for the run, with the pid of its postmaster, so that its CPU time can be measured. */
export type Cluster = AsyncDisposable & { postmaster: number; createDatabase(name: string): Promise<string> }

/** As in the measurements of the design; fsync and synchronous_commit are on. */
const settings = { shared_buffers: '2GB', max_wal_size: '8GB', wal_compression: 'lz4' }

export async function startCluster(): Promise<Cluster> {
  const cluster = await startPostgres({ durable: true, settings: { ...settings, ...profiledSettings() } })
  await profileStatements(cluster.url('postgres'))
  const cleanUp = registerCleanup(async () => cluster[Symbol.asyncDispose]())
  return {
    postmaster: await findPostmaster(cluster.url('postgres')),
    createDatabase: (name) => cluster.createDatabase(name),
    [Symbol.asyncDispose]: cleanUp,
  }
}

async function findPostmaster(superuserUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  const { rows } = await client.query<{ file: string }>("select pg_read_file('postmaster.pid') as file")
  await client.end()
  return Number.parseInt(rows[0]!.file, 10)
}
