import test, { type TestContext } from 'node:test'
import { pino } from 'pino'
import { systemClock } from '../src/base/clock.ts'
import type { Db } from '../src/base/db/db.ts'
import { migrate } from '../src/base/db/migrate.ts'
import { openDb } from '../src/base/db/open.ts'
import { testPostgres } from './servers/postgres.ts'
import { newDatabase } from './servers/template.ts'

export const quiet = pino({ level: 'silent' })

export type Open = {
  /** A fresh, migrated database, closed when the test ends. */
  (): Promise<Db>
  /** Several processes' views of one fresh database; only one where the database cannot be shared. */
  processes(count: number): Promise<Db[]>
}

/** One test on each database: embedded, and on a PostgreSQL server where there is one. */
export function onBothDatabases(title: string, body: (open: Open, t: TestContext) => Promise<void>): void {
  test(`${title} (embedded)`, (t) =>
    body(
      opening(t, () => Promise.resolve(undefined)),
      t,
    ))
  test(`${title} (PostgreSQL)`, async (t) => {
    const postgres = await testPostgres(t)
    if (postgres)
      await body(
        opening(t, () => newDatabase('test')),
        t,
      )
  })
}

function opening(t: TestContext, create: () => Promise<string | undefined>): Open {
  const clock = systemClock()
  async function processes(count: number): Promise<Db[]> {
    const databaseUrl = await create()
    const shared = databaseUrl === undefined ? 1 : count
    const opened: Db[] = []
    for (let i = 0; i < shared; i++) {
      const db = await openDb({ dataDir: 'memory', ...(databaseUrl && { databaseUrl }), log: quiet, clock })
      t.after(() => db.close())
      opened.push(db)
    }
    await migrate(opened[0]!, clock)
    return opened
  }
  return Object.assign(async () => (await processes(1))[0]!, { processes })
}
