import { join } from 'node:path'
import { type Cluster, startCluster } from './postgres.ts'

// This file has never run to its end: no machine of the project has had binaries of Citus since it was written.

/** A session of PostgreSQL that Citus opens counts as well, and each database has a worker process of Citus on every node. */
const settings = {
  shared_preload_libraries: 'citus',
  'citus.node_conninfo': 'sslmode=prefer',
  max_connections: '800',
  max_prepared_transactions: '800',
  max_worker_processes: '400',
  max_locks_per_transaction: '1024',
}

/** A coordinator and two nodes with rows, each a private cluster. */
export type CitusCluster = AsyncDisposable & { readonly coordinatorUrl: string; readonly nodeUrls: readonly string[] }

/** Starts three servers from the binaries in `bin` of a folder: a PostgreSQL with Citus. */
export async function startCitus(folder: string): Promise<CitusCluster> {
  await using stack = new AsyncDisposableStack()
  const clusters: Cluster[] = []
  for (let i = 0; i < 3; i++)
    clusters.push(stack.use(await startCluster({ durable: false, settings, bin: join(folder, 'bin') })))
  const [coordinatorUrl, ...nodeUrls] = clusters.map((cluster) => cluster.url('postgres'))
  const running = stack.move()
  return { coordinatorUrl: coordinatorUrl!, nodeUrls, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
