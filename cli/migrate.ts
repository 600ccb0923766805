import { parseArgs } from 'node:util'
import { systemClock } from '../src/base/clock.ts'
import { readConfig } from '../src/base/config.ts'
import { migrate } from '../src/base/db/migrate.ts'
import { withDatabase } from './ground.ts'
import { listMigrations } from './store.ts'
import { say, type Verb } from './verb.ts'

export const migrateVerb: Verb = {
  usage: `Usage: npm run easel -- migrate

Applies the files of migrations/ that the database of the environment does not have yet, each in a transaction. A start
of the server does the same; several processes may do it at once.`,
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
