/** Start parameters of the engine. A change makes a new template (`template.ts`). */
const COMMON = [
  '--single',
  '-O',
  '-j',
  ...set('search_path=public', 'exit_on_error=false'),
  ...set(
    'max_worker_processes=0',
    'max_parallel_workers=0',
    'max_parallel_workers_per_gather=0',
    'max_parallel_maintenance_workers=0',
  ),
  ...set('io_method=sync', 'log_checkpoints=off'),
  // No other statement runs during `analyze`: sampling 100,000 pages of people takes half a second, a third of them a sixth of that.
  ...set('default_statistics_target=30'),
  // The sender of a failed statement gets its error. All other messages go to the log of Easel, line by line.
  ...set('log_line_prefix=', 'log_min_messages=log', 'log_min_error_statement=panic'),
]

/**
 * In memory: without fsync, with a short write-ahead log that is not filled with zeros, because nothing replays it, and with few
 * buffers, because the files are in memory too. Clearing the usual 128 MB takes a third of a start.
 */
export const MEMORY_PARAMETERS = [
  ...COMMON,
  '-F',
  ...set('max_wal_size=64MB', 'min_wal_size=32MB', 'shared_buffers=16MB', 'wal_init_zero=off'),
]

/** On disk: by default the engine calls fdatasync, which does nothing there. fsync is the call that reaches `DiskFiles`. */
export const DISK_PARAMETERS = [...COMMON, ...set('fsync=on', 'wal_sync_method=fsync')]

const MIB = 2 ** 20
/**
 * Buffers are cleared at the start and are memory from then on, so small databases get few of them. The engine can address twice the
 * largest size.
 */
const BUFFERS_MIB = [1024, 512, 256, 128]
const BUFFERS_MIB_MIN = 64
/** At most one part in this many of the machine's memory is used for buffers. */
const MEMORY_SHARE = 8

/**
 * Returns the parameters for the buffers of a database with this many bytes on disk: up to twice as many. With a million people
 * (1.3 GB), 1 GB of buffers allows 52,000 updates a second, 512 MB 44,000 and 256 MB 31,000, because fewer pages are read and written.
 */
export function buffersFor(dataBytes: number, memoryBytes: number): string[] {
  const most = Math.min(2 * dataBytes, memoryBytes / MEMORY_SHARE)
  const buffers = BUFFERS_MIB.find((mib) => mib * MIB <= most) ?? BUFFERS_MIB_MIN
  return set(`shared_buffers=${buffers}MB`)
}

function set(...settings: readonly string[]): string[] {
  return settings.flatMap((setting) => ['-c', setting])
}
