import type { Tx } from '../../base/db/db.ts'
import { forgetAddresses } from '../addresses/forget-addresses.ts'
import { deleteAliases, insertAliases } from '../identity/alias-store.ts'
import { aliasParts } from '../identity/identifier.ts'
import { repointIdentifiers } from '../identity/identifier-store.ts'
import { located, type Person } from '../identity/person.ts'
import { updateExternalIds, updateStamps } from '../profile/column-store.ts'
import type { Act } from './decide-item.ts'
import { erase } from './delete-profiles.ts'
import { type AbsorbParts, absorb, mergeByRules, type Pair } from './merge-profiles.ts'
import type { DeletedPerson } from './owned-rule.ts'

/** An act upon people of one workspace. */
export type Deed = { readonly workspace_id: number; readonly act: Act }

type ActOf<Does extends Act['does']> = Extract<Act, { does: Does }>

/** Does everything at once, set by set. Nobody is in two acts, and everybody in them is locked. Answers who was deleted. */
export async function perform(tx: Tx, deeds: readonly Deed[], parts: AbsorbParts): Promise<DeletedPerson[]> {
  const { clock, ownedRules, hashAddress } = parts
  const pairs = actsOf(deeds, 'merge').map(({ from, into }): Pair => ({ from, into, behaviour: 'kept' }))
  const deleted = actsOf(deeds, 'delete').map(({ from }) => from)
  const named = actsOf(deeds, 'name').map(({ into, external_id }) => {
    return { person: into, external_id, stampUs: clock.stamp() }
  })
  if (pairs.length > 0) await mergeByRules(tx, pairs, parts)
  if (deleted.length > 0) {
    await forgetAddresses(tx, deleted, hashAddress)
    for (const rule of ownedRules) await rule.delete?.(tx, deleted)
  }
  if (pairs.length > 0) await absorb(tx, pairs, parts)
  const erased = deleted.length > 0 ? await erase(tx, deleted, parts) : []
  if (erased.length > 0) for (const rule of ownedRules) await rule.removeIdentifiers?.(tx, erased)
  await updateExternalIds(tx, named)
  await attach(tx, deeds, clock.stamp())
  return erased
}

/** Of whom some identifier names somebody else from now on, or nobody. */
export function unnamedBy(deeds: readonly Deed[]): Person[] {
  return deeds.flatMap(({ act }) => ('from' in act ? [act.from] : []))
}

async function attach(tx: Tx, deeds: readonly Deed[], stampUs: number): Promise<void> {
  const moves = deeds.flatMap(({ workspace_id, act }) => {
    if (act.does !== 'attach') return []
    const { from, into, alias } = act
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

function actsOf<Does extends Act['does']>(deeds: readonly Deed[], does: Does): ActOf<Does>[] {
  return deeds.map(({ act }) => act).filter((act): act is ActOf<Does> => act.does === does)
}
