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
import { type Named, Naming } from './naming.ts'

/** What a request needs to know: whom it names, and which names it may give to them. Aliases and external ids only. */
export type AskedNames = {
  readonly known: readonly Identifier[]
  readonly given: readonly { readonly who: Identifier; readonly to: Identifier }[]
}

type Place = Located & { readonly who: Identifier; readonly key: string }

/** An identifier that nobody else changes meanwhile: the request has reserved it, or has locked the person it names. */
type Held = Place & { readonly owner: Person; readonly reserved: boolean }

type Holding = { readonly held: readonly Held[]; readonly people: ReadonlyMap<string, Named> }

/**
 * Changes what people are called, in one transaction: loads what is asked, lets `decide` change it, writes the difference, and
 * tells the caches whom a name does not name any more.
 */
export function changeNames<Outcome>(
  call: Call,
  asked: AskedNames,
  decide: (naming: Naming) => Outcome,
): Promise<Outcome> {
  return retryWhenRemoved(() => call.db.transaction((tx) => changeIn(tx, call, asked, decide)))
}

async function changeIn<Outcome>(
  tx: Tx,
  call: Call,
  asked: AskedNames,
  decide: (naming: Naming) => Outcome,
): Promise<Outcome> {
  const { held, people } = await hold(tx, call.workspace_id, asked)
  const [reserved, owned] = [held.filter((each) => each.reserved), held.filter((each) => !each.reserved)]
  const naming = new Naming(
    call.workspace_id,
    new Map(owned.map(({ key, owner }) => [key, people.get(owner.profile_id)!])),
    new Set(reserved.map(({ key }) => key)),
  )
  const outcome = decide(naming)
  await write(tx, call, held, naming)
  return outcome
}

/**
 * Names are reserved, then those that are there locked, then people: each in the order everybody locks them in. Requests for one
 * name wait for each other up to there; a flush that has a person goes first.
 */
async function hold(tx: Tx, workspace_id: number, asked: AskedNames): Promise<Holding> {
  const keyOf = (who: Identifier) => identityKey(workspace_id, who)
  const places = placesOf(workspace_id, asked)
  const found = await findIdentifiers(tx, places)
  if (!asked.known.some((who) => found.has(keyOf(who)))) return { held: [], people: new Map() }
  const reserved = await reserve(tx, asked, places, found, keyOf)
  const known = new Set(asked.known.map(keyOf))
  const owners = await lockIdentifiers(
    tx,
    places.filter(({ key }) => known.has(key) && !reserved.has(key)),
  )
  const people = [...new Map([...owners.values()].map((owner) => [owner.profile_id, owner])).values()]
  const [, rows, names] = await Promise.all([
    setShortLockTimeout(tx),
    lockExternalIds(tx, people),
    listIdentifiers(tx, people),
  ])
  if (rows.length < people.length) throw new PersonRemoved('a profile was merged away or deleted')
  const held = places.flatMap((place): Held[] => {
    const owner = reserved.get(place.key) ?? owners.get(place.key)
    return owner ? [{ ...place, owner, reserved: reserved.has(place.key) }] : []
  })
  return { held, people: new Map(describe(people, rows, names).map((each) => [each.person.profile_id, each])) }
}

function describe(people: readonly Person[], rows: readonly ExternalIdRow[], names: readonly IdentifierRow[]): Named[] {
  const externalIds = new Map(rows.map(({ profile_id, external_id }) => [profile_id, external_id]))
  const namesOf = Map.groupBy(names, ({ profile_id }) => profile_id)
  return people.map((person) => {
    const own = namesOf.get(person.profile_id) ?? []
    const aliases = own.filter(({ kind }) => kind === 'alias').map(({ value }) => aliasParts(value))
    return {
      person,
      external_id: externalIds.get(person.profile_id)!,
      former: new Set(own.filter(({ kind }) => kind === 'external_id').map(({ value }) => value)),
      aliases: new Map(aliases.map(({ alias_label, alias_name }) => [alias_label, alias_name])),
    }
  })
}

/** Everything that a request names, once, in the order in which identifiers are locked. */
function placesOf(workspace_id: number, { known, given }: AskedNames): Place[] {
  const places = [...known, ...given.map(({ who }) => who)].map((who): Place => {
    return { ...located(workspace_id, who), who, key: identityKey(workspace_id, who) }
  })
  return [...new Map(places.map((place) => [place.key, place])).values()].sort(byLockOrder)
}

/** Reserves the names that may be given: to whom they are asked for, until it is decided who gets them. */
async function reserve(
  tx: Tx,
  { given }: AskedNames,
  places: readonly Place[],
  found: ReadonlyMap<string, Person>,
  keyOf: (who: Identifier) => string,
): Promise<ReadonlyMap<string, Person>> {
  const [somebody] = found.values()
  const givenKeys = new Set(given.map(({ who }) => keyOf(who)))
  const receivers = new Map<string, Person>()
  for (const { who, to } of given) {
    // Who is asked for may be given the name that says so by an earlier item of the same request.
    const receiver = found.get(keyOf(to)) ?? (givenKeys.has(keyOf(to)) ? somebody : undefined)
    if (receiver && !found.has(keyOf(who)) && !receivers.has(keyOf(who))) receivers.set(keyOf(who), receiver)
  }
  const wanted = places.filter(({ key }) => receivers.has(key))
  const inserted = await insertIdentifiers(
    tx,
    wanted.map((place) => ({ ...place, owner: receivers.get(place.key)! })),
  )
  return new Map([...receivers].filter(([key]) => inserted.has(key)))
}

/** Writes what the request has made of the names it holds. */
async function write(tx: Tx, { clock }: Call, held: readonly Held[], naming: Naming): Promise<void> {
  const changed = naming.changed()
  const next = held.map((each) => ({ ...each, later: naming.ownerOf(each.who)?.person }))
  const dropped = next.filter(({ later }) => !later)
  const left = next.filter(({ owner, later, reserved }) => !reserved && later?.profile_id !== owner.profile_id)
  const given = next.flatMap(({ later, ...each }) =>
    later && (each.reserved || later.profile_id !== each.owner.profile_id)
      ? [{ ...each, before: each.owner, owner: later }]
      : [],
  )
  const renamed = changed.map(({ person, external_id }) => ({ person, external_id, stampUs: clock.stamp() }))
  const aliases = given.filter(({ kind }) => kind === 'alias')
  const removed = left.filter(({ kind }) => kind === 'external_id')
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
    left.map(({ owner }) => owner),
    clock.elapsed(),
  )
}
