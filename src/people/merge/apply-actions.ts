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

export type WorkspaceAction = { readonly workspace_id: number; readonly action: ItemAction }

type ActionOf<Type extends ItemAction['type']> = Extract<ItemAction, { type: Type }>

/**
 * Applies actions, with one set of statements for each type. Each person must be locked and may be in only one action. Returns the deleted
 * people.
 */
export async function applyActions(
  tx: Tx,
  actions: readonly WorkspaceAction[],
  services: MergeServices,
): Promise<DeletedPerson[]> {
  const { clock, ownedRules, hashAddress } = services
  const pairs = actionsOf(actions, 'merge').map(({ from, into }): MergePair => ({ from, into, sdkActivity: 'kept' }))
  const deleted = actionsOf(actions, 'delete').map(({ from }) => from)
  const assignments = actionsOf(actions, 'assign_external_id').map(({ into, external_id }) => {
    return { person: into, external_id, stampUs: clock.stamp() }
  })
  if (pairs.length > 0) await mergeByRules(tx, pairs, services)
  if (deleted.length > 0) {
    await forgetAddresses(tx, deleted, hashAddress)
    for (const rule of ownedRules) await rule.delete?.(tx, deleted)
  }
  if (pairs.length > 0) await mergeProfiles(tx, pairs, services)
  const deletedPeople = deleted.length > 0 ? await deleteProfiles(tx, deleted, services) : []
  if (deletedPeople.length > 0) for (const rule of ownedRules) await rule.removeIdentifiers?.(tx, deletedPeople)
  await updateExternalIds(tx, assignments)
  await moveAliases(tx, actions, clock.stamp())
  return deletedPeople
}

/** Returns the people who lose identifiers by these actions. */
export function peopleLosingIdentifiers(actions: readonly WorkspaceAction[]): Person[] {
  return actions.flatMap(({ action }) => ('from' in action ? [action.from] : []))
}

async function moveAliases(tx: Tx, actions: readonly WorkspaceAction[], stampUs: number): Promise<void> {
  const moves = actions.flatMap(({ workspace_id, action }) => {
    if (action.type !== 'move_alias') return []
    const { from, into, alias } = action
    return [
      { from, into, ...aliasParts(alias.value), identifier: { ...located(workspace_id, alias), owner: from, into } },
    ]
  })
  if (moves.length === 0) return
  await repointIdentifiers(
    tx,
    moves.map(({ identifier }) => identifier),
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

function actionsOf<Type extends ItemAction['type']>(actions: readonly WorkspaceAction[], type: Type): ActionOf<Type>[] {
  return actions.map(({ action }) => action).filter((action): action is ActionOf<Type> => action.type === type)
}
