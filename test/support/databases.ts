import test, { type TestContext } from 'node:test'
import { pino } from 'pino'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import { openDb } from '../../src/base/db/open.ts'
import { onCitus, testPostgres } from '../servers/postgres.ts'
import { lendDatabase } from '../servers/spare.ts'
import { newDatabase } from '../servers/template.ts'
import { withPlacement } from './shards.ts'

export const quiet = pino({ level: 'silent' })

export type Open = {
  /** Opens a fresh, migrated database, which is closed when the test ends. */
  (): Promise<Db>
  /** Opens one fresh database several times, as several processes would. Returns only one where the database cannot be shared. */
  processes(count: number): Promise<Db[]>
}

/**
 * Registers a test for each database: the embedded one, and a PostgreSQL server where there is one. `citus` is the reason why it cannot run
 * when this server is a coordinator of Citus.
 */
export function onBothDatabases(
  title: string,
  body: (open: Open, t: TestContext) => Promise<void>,
  { citus }: { readonly citus?: string } = {},
): void {
  test(`${title} (embedded)`, (t) => body(opening(t, 'pglite'), t))
  test(`${title} (PostgreSQL)`, async (t) => {
    if (onCitus && citus !== undefined) t.skip(citus)
    else if (await testPostgres(t)) await body(opening(t, 'postgres'), t)
  })
}

/** Why a test of the plan of a statement does not run on Citus. */
export const plansDiffer = 'Citus: its explain shows the tasks of shards, not the plan of one server'

/** Registers a test for each database, and for the embedded one with shards: `withPlacement`. */
export function onAllDatabases(title: string, body: (open: Open, t: TestContext) => Promise<void>): void {
  onBothDatabases(title, body)
  test(`${title} (by shard)`, (t) => {
    const open = opening(t, 'pglite')
    const one = async () => withPlacement(await open())
    return body(
      Object.assign(one, {
        processes: async (count: number) => (await open.processes(count)).map((db) => withPlacement(db)),
      }),
      t,
    )
  })
}

function opening(t: TestContext, backend: Db['backend']): Open {
  const clock = systemClock()
  async function one(): Promise<Db> {
    const { db } = await lendDatabase(backend)
    t.after(() => db.close())
    return db
  }
  async function processes(count: number): Promise<Db[]> {
    if (backend === 'pglite') return [await one()]
    const databaseUrl = await newDatabase('test')
    const opened: Db[] = []
    for (let i = 0; i < count; i++) {
      const db = await openDb({ dataDir: 'memory', databaseUrl, log: quiet, clock })
      t.after(() => db.close())
      opened.push(db)
    }
    await migrate(opened[0]!, clock)
    return opened
  }
  return Object.assign(one, { processes })
}
