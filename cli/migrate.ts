import { systemClock } from '../src/base/clock.ts'
import { readConfig } from '../src/base/config.ts'
import { migrate } from '../src/base/db/migrate.ts'
import type { Verb } from './command.ts'
import { withDatabase } from './database.ts'
import { listMigrations } from './store.ts'

export const migrateVerb: Verb = {
  description: `Bring the database up to date. Applies the files of migrations/ that were not applied to the database of the environment
yet, each in a transaction. A start of the server does the same. Several processes may do it at once.`,
  run: (_, __, shell) =>
    withDatabase(shell, readConfig(shell.env), async (db) => {
      const before = await listMigrations(db)
      await migrate(db, systemClock())
      const applied = (await listMigrations(db)).slice(before.length)
      const text =
        applied.length === 0
          ? `Up to date: ${before.length} migrations, nothing to do.`
          : `Applied: ${applied.join(', ')}.`
      return { result: { applied, earlier: before.length }, text }
    }),
}
