import type { Db, Tx } from '../../base/db/db.ts'
import { decrypt, encrypt } from '../../base/encrypt.ts'
import { insertDeletedNames, listDeletedNames } from './deleted-names-store.ts'

/** People of a workspace who were deleted, with the texts that name them. `names` is undefined when it cannot be read any more. */
export type DeletedNames = {
  readonly number: string
  readonly workspace_id: number
  readonly names: readonly string[] | undefined
  /** Machine time. */
  readonly atMs: number
}

/** Names in one row. */
const namesPerRow = 1_000
/** Rows that are read together. */
export const rowsPerPage = 100

/**
 * Writes down what names deleted people, so that every process forgets the requests that name them. The texts are encrypted and kept for
 * little more than an hour. Call it in the transaction of the deletion.
 */
export async function recordDeletedNames(
  tx: Tx,
  people: readonly { readonly workspace_id: number; readonly names: readonly string[] }[],
  atMs: number,
  key: Buffer,
): Promise<void> {
  const rows = [...Map.groupBy(people, ({ workspace_id }) => workspace_id)].flatMap(([workspace_id, group]) => {
    const names = group.flatMap((one) => one.names)
    const parts = Array.from({ length: Math.ceil(names.length / namesPerRow) }, (_, i) =>
      names.slice(i * namesPerRow, (i + 1) * namesPerRow),
    )
    return parts.map((part) => ({
      workspace_id,
      names: encrypt(JSON.stringify(part), contextOf(workspace_id), key),
    }))
  })
  if (rows.length > 0) await insertDeletedNames(tx, rows, atMs)
}

/** Reads who was deleted after a row, the oldest first. */
export async function readDeletedNames(db: Db, after: string, key: Buffer): Promise<DeletedNames[]> {
  const rows = await listDeletedNames(db, after, rowsPerPage)
  return rows.map(({ number, workspace_id, names, at }) => {
    return { number, workspace_id, names: textsIn(names, workspace_id, key), atMs: at.getTime() }
  })
}

function textsIn(names: Buffer, workspace_id: number, key: Buffer): string[] | undefined {
  try {
    return JSON.parse(decrypt(names, contextOf(workspace_id), key))
  } catch {
    // It was written with the secret of another installation, whose copy this database is.
    return undefined
  }
}

function contextOf(workspace_id: number): string {
  return `deleted_names/${workspace_id}`
}
