import pg from 'pg'
import { startCluster as startPostgres } from '../test/servers/postgres.ts'
import { leaveLater } from './leftovers.ts'

/** A PostgreSQL server of the run's own, its first process known by pid so that CPU can be counted. */
export type Cluster = AsyncDisposable & { postmaster: number; createDatabase(name: string): Promise<string> }

/** As the design's measurements were taken; fsync and synchronous_commit stay on. */
const settings = { shared_buffers: '2GB', max_wal_size: '8GB', wal_compression: 'lz4' }

export async function startCluster(): Promise<Cluster> {
  const cluster = await startPostgres({ durable: true, settings })
  const leave = leaveLater(async () => cluster[Symbol.asyncDispose]())
  return {
    postmaster: await findPostmaster(cluster.url('postgres')),
    createDatabase: (name) => cluster.createDatabase(name),
    [Symbol.asyncDispose]: leave,
  }
}

async function findPostmaster(superuserUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  const { rows } = await client.query<{ file: string }>("select pg_read_file('postmaster.pid') as file")
  await client.end()
  return Number.parseInt(rows[0]!.file, 10)
}
