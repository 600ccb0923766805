import { copyTx } from '../../base/db/copy.ts'
import type { Db } from '../../base/db/db.ts'
import { MAINTENANCE_DEADLINE_MS } from '../../base/db/driver.ts'
import { type Part, upsertPart } from './move-store.ts'
import { createPartition, type Relation, readBlocks, writeRows } from './relations-store.ts'

const deadlineMs = MAINTENANCE_DEADLINE_MS
/** The commit that ends the move makes all earlier ones durable. */
const notDurableYet = ['synchronous_commit = off']

export type CopyJob = {
  readonly from: Db
  readonly to: Db
  /** How far an interrupted move came. */
  readonly part: Part | undefined
  readonly onBytes: (bytes: number) => void
  readonly stopping: AbortSignal | undefined
  /** One page is read while the one before it is written. */
  readonly pageBytes: number
}

type Page = { readonly until: number; readonly data: Buffer }

/**
 * Copies the rows of a table page by page. A page and the note of how far the table is are one transaction, so a row is neither lost nor
 * doubled when the process ends between them. Returns the number of rows of the table that are in the target.
 */
export async function copyRelation(
  relation: Relation,
  { from, to, part, onBytes, stopping, pageBytes }: CopyJob,
): Promise<number> {
  const { blocks, bytes, bounds } = relation
  let rows = part?.rows ?? 0
  const begin = part?.next_block ?? 0
  if (begin === 0 && bounds !== null && bounds !== 'DEFAULT')
    await to.transaction((tx) => createPartition(tx, relation))
  const blocksPerPage = Math.max(1, Math.floor((blocks * pageBytes) / Math.max(bytes, 1)))
  const read = async (at: number): Promise<Page | undefined> => {
    if (at >= blocks) return undefined
    const until = Math.min(at + blocksPerPage, blocks)
    const data = await from.transaction((tx) => copyTx(tx).copyOut(readBlocks(relation, at, until)), { deadlineMs })
    return { until, data }
  }
  let next = read(begin)
  for (let page = await next; page !== undefined; page = await next) {
    stopping?.throwIfAborted()
    const { until, data } = page
    next = read(until)
    // A failure is thrown when the page is awaited.
    next.catch(() => {})
    rows = await to.transaction(
      async (tx) => {
        const sum = rows + (await copyTx(tx).copyIn(writeRows(relation), data))
        await upsertPart(tx, { relation: relation.name, next_block: until, rows: sum })
        return sum
      },
      { settings: notDurableYet, deadlineMs },
    )
    onBytes((bytes * until) / blocks)
  }
  return rows
}
