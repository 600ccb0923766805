/** What the engine is started with. A change makes a new template (`template.ts`). */
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
  // Nobody is served meanwhile: to look at a hundred thousand pages of people takes half a second, at a third of them a sixth.
  ...set('default_statistics_target=30'),
  // Failed statements are told to whoever sent them; the rest is for our log, a line at a time.
  ...set('log_line_prefix=', 'log_min_messages=log', 'log_min_error_statement=panic'),
]

/**
 * In memory: without fsync, without keeping room for a log that nobody will read or filling it with zeros, and with few buffers, because
 * the files are as near; to clear the usual 128 MB is a third of a start.
 */
export const MEMORY_PARAMETERS = [
  ...COMMON,
  '-F',
  ...set('max_wal_size=64MB', 'min_wal_size=32MB', 'shared_buffers=16MB', 'wal_init_zero=off'),
]

/** On disk: by default the engine asks for fdatasync, which does nothing in it; fsync is the call that reaches our hook. */
export const DISK_PARAMETERS = [...COMMON, ...set('fsync=on', 'wal_sync_method=fsync')]

const MIB = 2 ** 20
/** Buffers are cleared at the start, so only who has data waits for them; the engine can address twice the largest size. */
const BUFFERS_MIB = [1024, 512]
const BUFFERS_MIB_MIN = 256
/** Of the machine's memory, one part in so many may be buffers. */
const MEMORY_SHARE = 8

/**
 * The buffers of a database that has so many bytes on disk: up to twice as many. With a million people (1.3 GB) 1 GB takes 52,000
 * updates a second where 512 MB take 44,000 and 256 MB 31,000, because fewer pages go in and out.
 */
export function buffersFor(dataBytes: number, memoryBytes: number): string[] {
  const most = Math.min(2 * dataBytes, memoryBytes / MEMORY_SHARE)
  const buffers = BUFFERS_MIB.find((mib) => mib * MIB <= most) ?? BUFFERS_MIB_MIN
  return set(`shared_buffers=${buffers}MB`)
}

function set(...settings: readonly string[]): string[] {
  return settings.flatMap((setting) => ['-c', setting])
}
