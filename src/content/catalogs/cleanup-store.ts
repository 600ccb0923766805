import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'

/**
 * Values of a deleted field, the rows of a deleted selection, or all items of a deleted catalog, that are still to be deleted. They are no
 * longer visible.
 */
export type CatalogCleanup = {
  readonly catalog_id: number
  /** The token of the field; `selectionToken` for a selection; `allItems` for a deleted catalog. */
  readonly token: string
  readonly workspace_id: number
  readonly name: string
}

export const allItems = ''

const selectionWord = 'selection-'

export function selectionToken(selection_id: number): string {
  return `${selectionWord}${selection_id}`
}

/** Returns the id of the deleted selection that a token is about. */
export function readSelectionToken(token: string): number | undefined {
  return token.startsWith(selectionWord) ? Number(token.slice(selectionWord.length)) : undefined
}

export async function insertCleanup(tx: Tx, { catalog_id, token, workspace_id, name }: CatalogCleanup): Promise<void> {
  await tx.query(sql`
    insert into catalog_cleanup (catalog_id, token, workspace_id, name)
    values (${catalog_id}, ${token}, ${workspace_id}, ${name})`)
}

export function listCleanups(tx: Tx): Promise<CatalogCleanup[]> {
  return tx.query<CatalogCleanup>(
    sql`select catalog_id, token, workspace_id, name from catalog_cleanup order by catalog_id`,
  )
}

/** Returns false when another process has done so. */
export async function deleteCleanup(
  tx: Tx,
  { catalog_id, token }: Pick<CatalogCleanup, 'catalog_id' | 'token'>,
): Promise<boolean> {
  const deleted = await tx.query(sql`
    delete from catalog_cleanup where catalog_id = ${catalog_id} and token = ${token} returning catalog_id`)
  return deleted.length > 0
}

/** Deletes all cleanups of a catalog. */
export async function deleteCleanups(tx: Tx, catalog_id: number): Promise<void> {
  await tx.query(sql`delete from catalog_cleanup where catalog_id = ${catalog_id}`)
}
