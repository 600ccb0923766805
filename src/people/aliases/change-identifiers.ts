import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { setShortLockTimeout } from '../../base/db/transaction-settings.ts'
import { deleteFormerIds, insertFormerIds, upsertAliases } from '../identity/alias-store.ts'
import { identityKey } from '../identity/directory.ts'
import { aliasParts, type Identifier } from '../identity/identifier.ts'
import {
  deleteIdentifiers,
  findIdentifiers,
  type IdentifierRow,
  insertIdentifiers,
  listIdentifiers,
  lockIdentifiers,
  updateOwners,
} from '../identity/identifier-store.ts'
import { announceIdentityChanges } from '../identity/identity-change-store.ts'
import { type Located, located, type Person } from '../identity/person.ts'
import { byLockOrder } from '../identity/resolve.ts'
import { PersonRemoved, retryWhenRemoved } from '../identity/retry-removed.ts'
import { type ExternalIdRow, lockExternalIds, updateExternalIds } from '../profile/column-store.ts'
import { IdentifierChanges, type PersonIdentifiers } from './identifier-changes.ts'

/** Aliases and external ids of a request. `known` ones name people. `given` ones may be given to the people that `to` names. */
export type IdentifierRequest = {
  readonly known: readonly Identifier[]
  readonly given: readonly { readonly who: Identifier; readonly to: Identifier }[]
}

type LocatedIdentifier = Located & { readonly who: Identifier; readonly key: string }

/** An identifier that no other transaction can change: this transaction has reserved it, or has locked its owner. */
type HeldIdentifier = LocatedIdentifier & { readonly owner: Person; readonly reserved: boolean }

type HeldIdentifiers = {
  readonly held: readonly HeldIdentifier[]
  readonly people: ReadonlyMap<string, PersonIdentifiers>
}

/**
 * Changes identifiers of people in one transaction: loads the identifiers of the request, calls `decide` to change them, writes the
 * difference, and announces it to the caches.
 */
export function changeIdentifiers<Outcome>(
  call: Call,
  request: IdentifierRequest,
  decide: (changes: IdentifierChanges) => Outcome,
): Promise<Outcome> {
  return retryWhenRemoved(() => call.db.transaction((tx) => changeInTransaction(tx, call, request, decide)))
}

async function changeInTransaction<Outcome>(
  tx: Tx,
  call: Call,
  request: IdentifierRequest,
  decide: (changes: IdentifierChanges) => Outcome,
): Promise<Outcome> {
  const { held, people } = await holdIdentifiers(tx, call.workspace_id, request)
  const [reserved, owned] = [held.filter((each) => each.reserved), held.filter((each) => !each.reserved)]
  const changes = new IdentifierChanges(
    call.workspace_id,
    new Map(owned.map(({ key, owner }) => [key, people.get(owner.profile_id)!])),
    new Set(reserved.map(({ key }) => key)),
  )
  const outcome = decide(changes)
  await writeChanges(tx, call, held, changes)
  return outcome
}

/**
 * Reserves new identifiers, then locks existing ones, then people, each in the common lock order. Requests with the same identifiers wait
 * for each other. While people are locked, the lock timeout is short, because flushes have precedence.
 */
async function holdIdentifiers(tx: Tx, workspace_id: number, request: IdentifierRequest): Promise<HeldIdentifiers> {
  const keyOf = (who: Identifier) => identityKey(workspace_id, who)
  const identifiers = locateIdentifiers(workspace_id, request)
  const found = await findIdentifiers(tx, identifiers)
  if (!request.known.some((who) => found.has(keyOf(who)))) return { held: [], people: new Map() }
  const reserved = await reserveGiven(tx, request, identifiers, found, keyOf)
  const known = new Set(request.known.map(keyOf))
  const owners = await lockIdentifiers(
    tx,
    identifiers.filter(({ key }) => known.has(key) && !reserved.has(key)),
  )
  const people = [...new Map([...owners.values()].map((owner) => [owner.profile_id, owner])).values()]
  const [, rows, identifierRows] = await Promise.all([
    setShortLockTimeout(tx),
    lockExternalIds(tx, people),
    listIdentifiers(tx, people),
  ])
  if (rows.length < people.length) throw new PersonRemoved('a profile was merged away or deleted')
  const held = identifiers.flatMap((identifier): HeldIdentifier[] => {
    const owner = reserved.get(identifier.key) ?? owners.get(identifier.key)
    return owner ? [{ ...identifier, owner, reserved: reserved.has(identifier.key) }] : []
  })
  return {
    held,
    people: new Map(identifiersOf(people, rows, identifierRows).map((each) => [each.person.profile_id, each])),
  }
}

function identifiersOf(
  people: readonly Person[],
  rows: readonly ExternalIdRow[],
  identifierRows: readonly IdentifierRow[],
): PersonIdentifiers[] {
  const externalIds = new Map(rows.map(({ profile_id, external_id }) => [profile_id, external_id]))
  const rowsByPerson = Map.groupBy(identifierRows, ({ profile_id }) => profile_id)
  return people.map((person) => {
    const own = rowsByPerson.get(person.profile_id) ?? []
    const aliases = own.filter(({ kind }) => kind === 'alias').map(({ value }) => aliasParts(value))
    return {
      person,
      external_id: externalIds.get(person.profile_id)!,
      former: new Set(own.filter(({ kind }) => kind === 'external_id').map(({ value }) => value)),
      aliases: new Map(aliases.map(({ alias_label, alias_name }) => [alias_label, alias_name])),
    }
  })
}

/** Returns all identifiers of a request once, in lock order. */
function locateIdentifiers(workspace_id: number, { known, given }: IdentifierRequest): LocatedIdentifier[] {
  const identifiers = [...known, ...given.map(({ who }) => who)].map((who): LocatedIdentifier => {
    return { ...located(workspace_id, who), who, key: identityKey(workspace_id, who) }
  })
  return [...new Map(identifiers.map((identifier) => [identifier.key, identifier])).values()].sort(byLockOrder)
}

/** Reserves the identifiers that may be given. Until `decide` has run, their owner is the person that the request names. */
async function reserveGiven(
  tx: Tx,
  { given }: IdentifierRequest,
  identifiers: readonly LocatedIdentifier[],
  found: ReadonlyMap<string, Person>,
  keyOf: (who: Identifier) => string,
): Promise<ReadonlyMap<string, Person>> {
  const [anyOwner] = found.values()
  const givenKeys = new Set(given.map(({ who }) => keyOf(who)))
  const receivers = new Map<string, Person>()
  for (const { who, to } of given) {
    // An earlier item of the same request may give `to` to a person. Any owner is sufficient for the reservation.
    const receiver = found.get(keyOf(to)) ?? (givenKeys.has(keyOf(to)) ? anyOwner : undefined)
    if (receiver && !found.has(keyOf(who)) && !receivers.has(keyOf(who))) receivers.set(keyOf(who), receiver)
  }
  const wanted = identifiers.filter(({ key }) => receivers.has(key))
  const inserted = await insertIdentifiers(
    tx,
    wanted.map((identifier) => ({ ...identifier, owner: receivers.get(identifier.key)! })),
  )
  return new Map([...receivers].filter(([key]) => inserted.has(key)))
}

/** Writes the difference between the loaded and the changed identifiers. */
async function writeChanges(
  tx: Tx,
  { clock }: Call,
  held: readonly HeldIdentifier[],
  changes: IdentifierChanges,
): Promise<void> {
  const changed = changes.changed()
  const next = held.map((each) => ({ ...each, newOwner: changes.ownerOf(each.who)?.person }))
  const dropped = next.filter(({ newOwner }) => !newOwner)
  const lost = next.filter(({ owner, newOwner, reserved }) => !reserved && newOwner?.profile_id !== owner.profile_id)
  const given = next.flatMap(({ newOwner, ...each }) =>
    newOwner && (each.reserved || newOwner.profile_id !== each.owner.profile_id)
      ? [{ ...each, before: each.owner, owner: newOwner }]
      : [],
  )
  const renamed = changed.map(({ person, external_id }) => ({ person, external_id, stampUs: clock.stamp() }))
  const aliases = given.filter(({ kind }) => kind === 'alias')
  const removed = lost.filter(({ kind }) => kind === 'external_id')
  await Promise.all([
    deleteIdentifiers(tx, dropped),
    updateOwners(
      tx,
      given.filter(({ before, owner }) => before.profile_id !== owner.profile_id),
    ),
    updateExternalIds(tx, renamed),
    upsertAliases(
      tx,
      aliases.map(({ owner, value }) => ({ person: owner, ...aliasParts(value) })),
    ),
    insertFormerIds(
      tx,
      changed.flatMap(({ person, former }) => [...former].map((external_id) => ({ person, external_id }))),
      clock.stamp(),
    ),
    deleteFormerIds(
      tx,
      removed.map(({ owner, value }) => ({ person: owner, external_id: value })),
    ),
  ])
  await announceIdentityChanges(
    tx,
    lost.map(({ owner }) => owner),
    clock.elapsed(),
  )
}
