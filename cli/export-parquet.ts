import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { readConfig } from '../src/base/config.ts'
import { readOnlySnapshot } from '../src/base/db/transaction-settings.ts'
import { Failure } from '../src/base/errors.ts'
import { withAnalystDatabase } from './analyst-database.ts'
import { readingViews } from './analyst-query.ts'
import { note, type Outcome, type Shell } from './command.ts'
import { writeParquet } from './parquet-file.ts'
import { formatCount, openProgress } from './progress.ts'
import { listAnalystViews, listColumns } from './store.ts'

export type ParquetOptions = {
  /** The only view to write, and then the path is that of a file. */
  readonly view: string | undefined
  readonly fresh: boolean
}

/** One statement reads a view of any size. */
const deadlineMs = 24 * 3_600_000

/** Writes the views for analysts as Parquet files: all into a folder as of one moment, or one to a file. */
export async function exportParquet(path: string, { view, fresh }: ParquetOptions, shell: Shell): Promise<Outcome> {
  const target = resolve(path)
  return withAnalystDatabase(shell, readConfig(shell.env), { fresh }, async (db) => {
    const views = await listAnalystViews(db)
    if (view !== undefined && !views.includes(view))
      throw new Failure('notFound', `there is no view ${view}: there are ${views.join(', ')}`)
    await mkdir(view === undefined ? target : dirname(target), { recursive: true })
    const progress = openProgress('rows', shell.stderr)
    let done = 0
    const onRows = (count: number) => {
      done += count
      progress.update(done)
    }
    const settings = [...readOnlySnapshot, ...readingViews]
    const written: Record<string, number> = {}
    try {
      await db.transaction(
        async (tx) => {
          for (const each of view === undefined ? views : [view]) {
            const file = view === undefined ? join(target, `${each}.parquet`) : target
            const columns = await listColumns(tx, each)
            written[each] = await writeParquet(tx, file, { view: each, columns, onRows })
          }
        },
        { settings, deadlineMs },
      )
    } finally {
      progress.end()
    }
    const [rows, count] = [countOf(done, 'row'), countOf(Object.keys(written).length, 'view')]
    note(shell, `${rows} of ${count} written to ${path}.`)
    return { result: { rows: written } }
  })
}

function countOf(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`
}
