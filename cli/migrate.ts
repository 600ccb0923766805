import { parseArgs } from 'node:util'
import { systemClock } from '../src/base/clock.ts'
import { readConfig } from '../src/base/config.ts'
import { migrate } from '../src/base/db/migrate.ts'
import { type Command, say } from './command.ts'
import { withDatabase } from './database.ts'
import { listMigrations } from './store.ts'

export const migrateCommand: Command = {
  usage: `Usage: npm run easel -- migrate

Applies the files of migrations/ that were not applied to the database of the environment yet, each in a transaction.
A start of the server does the same. Several processes may do it at once.`,
  async run(args, shell) {
    parseArgs({ args: [...args], options: {} })
    return withDatabase(shell, readConfig(shell.env), async (db) => {
      const before = await listMigrations(db)
      await migrate(db, systemClock())
      const added = (await listMigrations(db)).slice(before.length)
      say(
        shell,
        added.length === 0
          ? `Up to date: ${before.length} migrations, nothing to do.`
          : `Applied: ${added.join(', ')}.`,
      )
      return 0
    })
  },
}
