import { systemClock } from '../src/base/clock.ts'
import type { Config } from '../src/base/config.ts'
import { migrate } from '../src/base/db/migrate.ts'
import type { AdminAccess } from './admin-access.ts'
import type { Shell } from './command.ts'
import { withDatabase } from './database.ts'
import { withDatabaseAccess } from './database-access.ts'
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
  await withDatabase(shell, config, (db) => migrate(db, systemClock()))
  const progress = openProgress('people read again', shell.stderr)
  let people = 0
  const read = async (access: AdminAccess) => {
    for (const { id } of await access.listWorkspaces()) {
      let after: string | undefined
      do {
        const { lines, next, share } = await access.readPeople(after, id)
        people += lines.filter(({ profile }) => profile !== undefined).length
        progress.update(people, share)
        after = next ?? undefined
      } while (after !== undefined)
    }
  }
  await withDatabaseAccess(shell, config, read, 'read').finally(progress.end)
  return people
}
