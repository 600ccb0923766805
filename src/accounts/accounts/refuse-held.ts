import type { Tx } from '../../base/db/db.ts'
import { conflict } from '../../base/errors.ts'
import { countHolders } from './account-store.ts'

/** Throws 409 while accounts hold a team, role or permission set: deleting it would silently take permissions from them. */
export async function refuseWhileHeld(tx: Tx, kind: string, holding: object): Promise<void> {
  const holders = await countHolders(tx, holding)
  if (holders === 0) return
  throw conflict(
    `${holders === 1 ? 'An account has' : `${holders} accounts have`} this ${kind}: take it from them first`,
  )
}
