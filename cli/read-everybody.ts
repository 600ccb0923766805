import { systemClock } from '../src/base/clock.ts'
import type { Config } from '../src/base/config.ts'
import type { Db } from '../src/base/db/db.ts'
import { migrate } from '../src/base/db/migrate.ts'
import { readBackup } from '../src/people/backup/read-backup.ts'
import { listWorkspaces } from '../src/workspace/settings/store.ts'
import type { Shell } from './command.ts'
import { callOf, withDatabase } from './database.ts'
import { peoplePages } from './people-pages.ts'
import { formatCount, openProgress } from './progress.ts'

/** Says how many people were read. Empty when nobody was to be read. */
export function wordsOfRead(people: number | undefined): string {
  if (people === undefined) return ''
  return people === 1 ? ' 1 person was read again.' : ` ${formatCount(people)} people were read again.`
}

/** Returns the configuration for a data directory. */
export function onFolder(config: Config, dataDir: string): Config {
  return { ...config, dataDir, databaseUrl: undefined }
}

/**
 * Reads every person of every workspace of a data directory with everything they have, as a proof that it can be read. The database is
 * brought up to date first. Returns how many people there are.
 */
export async function readEverybody(shell: Shell, config: Config): Promise<number> {
  const clock = systemClock()
  const progress = openProgress('people read again', shell.stderr)
  const read = async (db: Db) => {
    await migrate(db, clock)
    let found = 0
    for (const { id } of await listWorkspaces(db)) {
      const call = await callOf(db, clock)
      for await (const { people, share } of peoplePages((after) => readBackup(call, after, id))) {
        found += people
        progress.update(found, share)
      }
    }
    return found
  }
  return withDatabase(shell, config, read).finally(progress.end)
}
