import type { Tx } from '../../base/db/db.ts'
import { deleteIdentifiers, type OwnedIdentifier } from '../identity/identifier-store.ts'
import { announceIdentityChanges } from '../identity/identity-change-store.ts'
import { deletePushTokens } from './push-token-store.ts'

/** A token that its service no longer knows, as the identifier of its owner. */
export type GoneToken = OwnedIdentifier & { readonly app_id: string; readonly token: string }

/** Removes push tokens of people. A token that another person has by now stays theirs. `atMs` is machine time. */
export async function removePushTokens(tx: Tx, gone: readonly GoneToken[], atMs: number): Promise<void> {
  const inOrder = [...gone].sort((a, b) => a.bucket - b.bucket || (a.value < b.value ? -1 : 1))
  await deleteIdentifiers(tx, inOrder)
  await deletePushTokens(
    tx,
    inOrder.map(({ owner, app_id, token }) => ({ person: owner, app_id, token })),
  )
  const owners = new Map(inOrder.map(({ owner }) => [owner.profile_id, owner]))
  await announceIdentityChanges(tx, [...owners.values()], atMs)
}
