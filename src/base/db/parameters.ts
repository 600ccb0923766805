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

/**
 * On disk: by default the engine asks for fdatasync, which does nothing in it; fsync is the call that reaches our hook. Buffers for
 * a million people: a fifth more updates a second than with half as many, for a tenth of a second at the start.
 */
export const DISK_PARAMETERS = [...COMMON, ...set('fsync=on', 'wal_sync_method=fsync', 'shared_buffers=256MB')]

function set(...settings: readonly string[]): string[] {
  return settings.flatMap((setting) => ['-c', setting])
}
