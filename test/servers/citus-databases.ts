import pg from 'pg'
import { pino } from 'pino'
import { systemClock } from '../../src/base/clock.ts'
import { planDistribution } from '../../src/base/db/distribution-plan.ts'
import { readDistribution, runDistributionCommand } from '../../src/base/db/distribution-store.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import { openDb } from '../../src/base/db/open.ts'
import { ensureWeeks } from '../../src/base/db/weeks.ts'
import type { Databases } from './databases.ts'

// This file has never run: no machine of the project has had binaries of Citus since it was written.

/** The template that stands for a database with all migrations whose tables are distributed. */
export const distributedTemplate = 'distributed'

/**
 * Returns the databases of a cluster, by those of its coordinator and of its nodes with rows. One from `distributedTemplate` is on all
 * nodes: it has all migrations, the partitions of these weeks, and is distributed by the code of `easel distribute`. One without a template
 * is empty, on the coordinator alone and without Citus, as tests want it that migrate or fill it. Citus copies no database.
 */
export function citusDatabasesOf(coordinator: Databases, nodes: readonly Databases[]): Databases {
  return {
    ...coordinator,
    async createDatabase(name, template) {
      if (template === undefined) return coordinator.createDatabase(name)
      if (template !== distributedTemplate) throw new Error(`Citus cannot copy the database ${template}`)
      const urls: string[] = []
      for (const server of [coordinator, ...nodes]) urls.push(await server.createDatabase(name))
      for (const databaseUrl of urls) await send(databaseUrl, 'create extension citus')
      const [own, ...others] = urls.map((each) => new URL(each))
      await send(own!.href, `select citus_set_coordinator_host('${own!.hostname}', ${own!.port})`)
      for (const { hostname, port } of others) await send(own!.href, `select citus_add_node('${hostname}', ${port})`)
      await fill(own!.href)
      return own!.href
    },
  }
}

async function send(databaseUrl: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

/** Makes the tables and distributes them. */
async function fill(databaseUrl: string): Promise<void> {
  const clock = systemClock()
  const db = await openDb({ dataDir: 'memory', databaseUrl, log: pino({ level: 'silent' }), clock })
  try {
    await migrate(db, clock)
    await ensureWeeks(db, clock.now())
    const { refusals, steps } = planDistribution((await readDistribution(db))!)
    if (refusals.length > 0) throw new Error(refusals.join('\n'))
    for (const { command } of steps) await runDistributionCommand(db, command)
  } finally {
    await db.close()
  }
}
