import { join } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import type { Db } from '../src/base/db/db.ts'
import { restoreBackup } from '../src/workspace/backups/restore-backup.ts'
import { writeBackup } from '../src/workspace/backups/write-backup.ts'
import { moveDatabase } from '../src/workspace/moving/move-database.ts'
import { makeTemporaryFolder } from './cleanup.ts'
import type { Cluster } from './cluster.ts'
import { measureCost } from './cost.ts'
import type { Effort } from './measure.ts'
import { type Figure, print } from './report.ts'
import { openDatabase, seedPeople } from './setup.ts'

/** The share of people who have a history of 105 rows each: five for each person. */
const historyShare = 0.05

/** Measures a backup of the embedded database and its restore, and moves to PostgreSQL and back. */
export async function benchMove(people: number, nowMs: number, cluster: Cluster, effort: Effort): Promise<Figure[]> {
  await using directory = makeTemporaryFolder('move')
  await using back = makeTemporaryFolder('moved-back')
  const figures: Figure[] = []
  const measure = async (what: string, database: Figure['database'], work: () => Promise<unknown>) => {
    const { ms, nodeUs, databaseUs } = await measureCost(cluster.postmaster, work)
    const each = { nodeUs: nodeUs / people, databaseUs: databaseUs / people }
    figures.push({ what, database, people, value: ms / 1000, unit: 's', ...each })
  }
  const clock = systemClock()
  const databaseUrl = await cluster.createDatabase(`moved_${people}`)
  const { db: here } = await seedPeople(
    directory.path,
    undefined,
    { people, nowMs, bounds: [] },
    {
      ...effort,
      withHistory: Math.ceil(people * historyShare),
    },
  )
  const file = join(directory.path, 'backup.tar.zst')
  await measure('backup', 'pglite', () => writeBackup(here, file, { clock }))
  await measure('restore of a backup', 'pglite', () => restoreBackup(file, join(directory.path, 'restored')))
  const there = await openDatabase(directory.path, databaseUrl)
  const again = await openDatabase(back.path, undefined)
  const move = async (from: Db, to: Db, names: readonly [string, string]) => {
    const [source, target] = names
    const { rows, compared } = await moveDatabase({ db: from, name: source }, { db: to, name: target }, { clock })
    print(`${rows.toLocaleString('en')} rows moved, ${compared.toLocaleString('en')} compared`)
  }
  await measure('move of everything', 'postgres', () => move(here, there, ['here', 'there']))
  await here.close()
  await measure('move of everything', 'pglite', () => move(there, again, ['there', 'again']))
  await there.close()
  await again.close()
  return figures
}
