import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { systemClock } from '../../src/base/clock.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import { openDb } from '../../src/base/db/open.ts'
import { ensureWeeks } from '../../src/base/db/weeks.ts'
import type { Databases } from './databases.ts'
import { testPostgres } from './postgres.ts'

/** Creates the database that others are copied from: all migrations, the partitions of these weeks, no people. Returns its name. */
export async function makeTemplate(server: Databases): Promise<string> {
  const name = `template_${randomUUID()}`
  const clock = systemClock()
  const databaseUrl = await server.createDatabase(name)
  const db = await openDb({ dataDir: 'memory', databaseUrl, log: pino({ level: 'silent' }), clock })
  try {
    await migrate(db, clock)
    await ensureWeeks(db, clock.now())
  } finally {
    await db.close()
  }
  return name
}

let template: Promise<string> | undefined

/** Returns the URL of a fresh, migrated database on the server of the tests. The runner creates the template once for all files. */
export async function newDatabase(word: string): Promise<string> {
  const server = await testPostgres()
  assert.ok(server, 'PostgreSQL is here')
  template ??= Promise.resolve(process.env.EASEL_TEST_TEMPLATE ?? makeTemplate(server))
  return server.createDatabase(`${word}_${randomUUID()}`, await template)
}
