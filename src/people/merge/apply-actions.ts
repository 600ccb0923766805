import type { Tx } from '../../base/db/db.ts'
import { forgetAddresses } from '../addresses/forget-addresses.ts'
import { deleteAliases, insertAliases } from '../identity/alias-store.ts'
import { aliasParts } from '../identity/identifier.ts'
import { repointIdentifiers } from '../identity/identifier-store.ts'
import { located, type Person } from '../identity/person.ts'
import { updateExternalIds, updateStamps } from '../profile/column-store.ts'
import type { ItemAction } from './decide-item.ts'
import { deleteProfiles } from './delete-profiles.ts'
import { type MergePair, type MergeServices, mergeByRules, mergeProfiles } from './merge-profiles.ts'
import type { DeletedPerson } from './owned-rule.ts'

/** An act upon people of one workspace. */
export type WorkspaceAction = { readonly workspace_id: number; readonly action: ItemAction }

type ActionOf<Type extends ItemAction['type']> = Extract<ItemAction, { type: Type }>

/** Does everything at once, set by set. Nobody is in two acts, and everybody in them is locked. Answers who was deleted. */
export async function applyActions(
  tx: Tx,
  deeds: readonly WorkspaceAction[],
  parts: MergeServices,
): Promise<DeletedPerson[]> {
  const { clock, ownedRules, hashAddress } = parts
  const pairs = actionsOf(deeds, 'merge').map(({ from, into }): MergePair => ({ from, into, sdkActivity: 'kept' }))
  const deleted = actionsOf(deeds, 'delete').map(({ from }) => from)
  const named = actionsOf(deeds, 'name').map(({ into, external_id }) => {
    return { person: into, external_id, stampUs: clock.stamp() }
  })
  if (pairs.length > 0) await mergeByRules(tx, pairs, parts)
  if (deleted.length > 0) {
    await forgetAddresses(tx, deleted, hashAddress)
    for (const rule of ownedRules) await rule.delete?.(tx, deleted)
  }
  if (pairs.length > 0) await mergeProfiles(tx, pairs, parts)
  const erased = deleted.length > 0 ? await deleteProfiles(tx, deleted, parts) : []
  if (erased.length > 0) for (const rule of ownedRules) await rule.removeIdentifiers?.(tx, erased)
  await updateExternalIds(tx, named)
  await moveAliases(tx, deeds, clock.stamp())
  return erased
}

/** Of whom some identifier names somebody else from now on, or nobody. */
export function peopleLosingIdentifiers(deeds: readonly WorkspaceAction[]): Person[] {
  return deeds.flatMap(({ action }) => ('from' in action ? [action.from] : []))
}

async function moveAliases(tx: Tx, deeds: readonly WorkspaceAction[], stampUs: number): Promise<void> {
  const moves = deeds.flatMap(({ workspace_id, action }) => {
    if (action.type !== 'attach') return []
    const { from, into, alias } = action
    return [{ from, into, ...aliasParts(alias.value), named: { ...located(workspace_id, alias), owner: from, into } }]
  })
  if (moves.length === 0) return
  await repointIdentifiers(
    tx,
    moves.map(({ named }) => named),
  )
  await deleteAliases(
    tx,
    moves.map(({ from, alias_label }) => ({ person: from, alias_label })),
  )
  await insertAliases(
    tx,
    moves.map(({ into, alias_label, alias_name }) => ({ person: into, alias_label, alias_name })),
  )
  await updateStamps(
    tx,
    moves.flatMap(({ from, into }) => [from, into]),
    stampUs,
  )
}

function actionsOf<Type extends ItemAction['type']>(deeds: readonly WorkspaceAction[], type: Type): ActionOf<Type>[] {
  return deeds.map(({ action }) => action).filter((act): act is ActionOf<Type> => act.type === type)
}
