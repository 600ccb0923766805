import { createHmac } from 'node:crypto'
import type { Db, Tx } from '../../base/db/db.ts'
import { getInstallation } from '../settings/installation-store.ts'
import { eraseTexts } from './erase-texts.ts'
import {
  type AuditValues,
  deleteMarked,
  listMarkedRows,
  lockValues,
  type MarkedRow,
  updateValues,
} from './text-store.ts'

/** The rows that are changed in one transaction, and their bytes as they are stored. The first row is changed in any case. */
export const erasedRowsMax = 50
export const erasedBytesMax = 1_048_576
/** 128 bits, in hexadecimal digits. */
const digits = 32

/**
 * Replaces the marked texts (`markTexts`) in `before` and `after` of the audit by a keyed hash, page by page. So a row still shows that two
 * values were the same, and no longer whose they were.
 */
export async function eraseMarked(db: Db): Promise<void> {
  while (await db.transaction(erasePage));
}

async function erasePage(tx: Tx): Promise<boolean> {
  const rows = within(await listMarkedRows(tx, erasedRowsMax))
  if (rows.length === 0) return false
  const { secret } = await getInstallation(tx)
  const replace = (text: string) =>
    `deleted:${createHmac('sha256', secret).update(`audit\u001f${text}`).digest('hex').slice(0, digits)}`
  const textsByRow = new Map(rows.map(({ audit_id, texts }) => [audit_id, new Set(texts)]))
  const values = await lockValues(tx, [...textsByRow.keys()])
  const erased = values.map(({ audit_id, before, after }) => {
    const erase = (value: object | null) => eraseTexts(value, textsByRow.get(audit_id)!, replace)
    return { audit_id, before: erase(before), after: erase(after) } as AuditValues
  })
  await updateValues(tx, erased)
  await deleteMarked(tx, rows)
  return true
}

function within(rows: readonly MarkedRow[]): MarkedRow[] {
  let bytes = 0
  return rows.filter((row, i) => {
    bytes += row.bytes
    return i === 0 || bytes <= erasedBytesMax
  })
}
