import type { Tx } from '../../base/db/db.ts'
import { aliasParts, type Identifier } from '../../people/identity/identifier.ts'
import { type Located, located, type Move } from '../../people/identity/person.ts'
import type { DeletedPerson, OwnedRule } from '../../people/merge/owned-rule.ts'
import { deleteUnknownDecisions } from '../ledger/decision-store.ts'
import { addDeletedCounts } from '../messages/deleted-messages-store.ts'
import { type DroppedIdentifier, listDroppedIdentifiers, listUsedAddresses } from './merged-recipients-store.ts'
import { type RenamedRecipient, renameRecipients } from './order-store.ts'

/** What merges and deletions of people do to the orders that name them, and to decisions about unknown identifiers. */
export const recipientRule: OwnedRule = { tables: [], replaceIdentifiers, removeIdentifiers }

/** An identifier, and how orders name it. */
type NamedIdentifier = Located & { readonly asked: object }

/** Replaces identifiers of merged people that will name no person by an identifier of the kept person. */
async function replaceIdentifiers(tx: Tx, moves: readonly Move[]): Promise<void> {
  const renamed = (await listDroppedIdentifiers(tx, moves)).flatMap(renameToKept)
  if (renamed.length > 0) await Promise.all([removeDecisions(tx, renamed), renameRecipients(tx, renamed)])
}

function renameToKept(dropped: DroppedIdentifier): (NamedIdentifier & RenamedRecipient)[] {
  const { workspace_id, kind, value, into_id } = dropped
  const kept = identifierOfKept(dropped)
  const becomes = kept ? recipientName(kept) : { profile_id: into_id }
  return nameInOrders(workspace_id, { kind, value }).map((each) => ({ ...each, becomes }))
}

function identifierOfKept({ kept_id, kept_alias }: DroppedIdentifier): Identifier | undefined {
  if (kept_id !== null) return { kind: 'external_id', value: kept_id }
  return kept_alias ? { kind: 'alias', value: kept_alias } : undefined
}

/** Removes the identifiers of deleted people from orders, and the decisions that these identifiers were unknown. */
async function removeIdentifiers(tx: Tx, deleted: readonly DeletedPerson[]): Promise<void> {
  const named = deleted.flatMap(({ workspace_id, identifiers }) =>
    identifiers.flatMap((identifier) => nameInOrders(workspace_id, identifier)),
  )
  const addresses = named.filter(({ kind }) => kind === 'email')
  const used = addresses.length === 0 ? new Set<number>() : await listUsedAddresses(tx, addresses)
  // The address now names another person who has it.
  const kept = new Set(addresses.filter((_, i) => used.has(i)))
  const removed = named.filter((each) => !kept.has(each))
  const byProfileId = deleted.flatMap(({ workspace_id, person, mergedProfiles }) => {
    return [person, ...mergedProfiles].map(({ profile_id }) => ({ workspace_id, asked: { profile_id } }))
  })
  await Promise.all([removeDecisions(tx, removed), renameRecipients(tx, [...removed, ...byProfileId])])
}

/** Deletes the decisions that these identifiers are unknown. They are still counted for their orders. */
async function removeDecisions(tx: Tx, named: readonly NamedIdentifier[]): Promise<void> {
  await addDeletedCounts(tx, await deleteUnknownDecisions(tx, named))
}

function nameInOrders(workspace_id: number, identifier: Identifier): NamedIdentifier[] {
  const asked = recipientName(identifier)
  return asked ? [{ ...located(workspace_id, identifier), asked }] : []
}

/** Returns how a `Recipient` names an identifier. Undefined for a kind that orders cannot name. */
function recipientName({ kind, value }: Identifier): object | undefined {
  if (kind === 'external_id') return { external_user_id: value }
  if (kind === 'email') return { email: value }
  if (kind !== 'alias') return undefined
  const { alias_label, alias_name } = aliasParts(value)
  return { user_alias: { alias_name, alias_label } }
}
