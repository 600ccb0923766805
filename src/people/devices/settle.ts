import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { inheritEmailStates } from '../addresses/apply-states.ts'
import { insertAliases } from '../identity/alias-store.ts'
import { type ContactRow, deleteContacts, insertContacts } from '../identity/contact-store.ts'
import { addressOf, aliasParts, type Identifier } from '../identity/identifier.ts'
import { updateOwners } from '../identity/identifier-store.ts'
import { bucketsOf, type HashAddress, located, type Person, person } from '../identity/person.ts'
import { type MergePair, mergeByRules, mergeProfiles } from '../merge/merge-profiles.ts'
import type { OwnedRule } from '../merge/owned-rule.ts'
import { updateIdentifierColumn } from '../profile/column-store.ts'
import { blankState, type ProfileState } from '../profile/fold.ts'
import { insertProfiles } from '../profile/state-store.ts'
import type { Belonging } from './belong.ts'
import { type Taken, takeDevice } from './device-store.ts'

export type SettleParts = {
  newId(bucket: number): string
  hashAddress: HashAddress
  ownedRules: readonly OwnedRule[]
}

/** The person a call is about, who has the device by now, and what came with it from somebody else. */
export type Settled = { person: Person; taken: Taken | null }

/** Makes true what `belong` decided. `before` is the person's state, if there is one yet. */
export async function settle(
  tx: Tx,
  call: Call,
  device: Identifier,
  belonging: Belonging,
  before: ProfileState | null,
  parts: SettleParts,
): Promise<Settled> {
  const { workspace_id, clock } = call
  const { by, attached, absorbed, claims, loser } = belonging
  const owned = belonging.person ?? (await makePerson(tx, call, by, parts))
  const { hashAddress, ownedRules } = parts
  if (absorbed) {
    const pairs: MergePair[] = [{ from: absorbed, into: owned, sdkActivity: 'lost' }]
    await mergeByRules(tx, pairs, { clock, ownedRules })
    await mergeProfiles(tx, pairs, { clock, hashAddress, ownedRules })
  }
  if (attached || before === null) await nameBy(tx, workspace_id, owned, by, before, parts)
  if (claims) await own(tx, workspace_id, owned, device)
  return { person: owned, taken: loser ? await takeDevice(tx, loser, device.value) : null }
}

async function makePerson(tx: Tx, { workspace_id, clock }: Call, by: Identifier, parts: SettleParts): Promise<Person> {
  const { bucket, random_bucket } = bucketsOf(workspace_id, by.kind, by.value)
  const made = person(bucket, parts.newId(bucket))
  await insertProfiles(tx, [
    { person: made, workspace_id, random_bucket, state: blankState(by), stampUs: clock.stamp() },
  ])
  return made
}

/** From now on `by` names the person. Who comes to an e-mail address takes over what was said of it before. */
async function nameBy(
  tx: Tx,
  workspace_id: number,
  owned: Person,
  by: Identifier,
  before: ProfileState | null,
  parts: SettleParts,
): Promise<void> {
  const { kind, value } = by
  if (kind === 'external_id' || kind === 'alias') await own(tx, workspace_id, owned, by)
  if (kind === 'alias') await insertAliases(tx, [{ person: owned, ...aliasParts(value) }])
  if (before && (kind === 'external_id' || kind === 'email' || kind === 'phone'))
    await updateIdentifierColumn(tx, owned, kind, value)
  if (kind !== 'email' && kind !== 'phone') return
  const contact = (address: string): ContactRow => {
    return { ...located(workspace_id, { kind, value: address }), owner: owned }
  }
  const left = before && addressOf(before, kind)
  if (left !== null) await deleteContacts(tx, [contact(left)])
  await insertContacts(tx, [contact(value)])
  if (kind === 'phone') return
  const hidden = parts.hashAddress(workspace_id, kind, value)
  await inheritEmailStates(tx, [{ ...contact(value), hidden }], parts)
}

function own(tx: Tx, workspace_id: number, owner: Person, who: Identifier): Promise<void> {
  return updateOwners(tx, [{ ...located(workspace_id, who), owner }])
}
