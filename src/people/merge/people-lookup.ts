import type { Tx } from '../../base/db/db.ts'
import { findLabels, type LabelOf } from '../identity/alias-store.ts'
import { identityKey } from '../identity/directory.ts'
import { aliasParts } from '../identity/identifier.ts'
import { findIdentifiers } from '../identity/identifier-store.ts'
import { bucketOfId, type Located, located, type Person, person } from '../identity/person.ts'
import { chooseCandidate, searchFor } from './choose-candidate.ts'
import type { PeopleView } from './decide-item.ts'
import { findCandidates, type IdentityRow, listIdentityRows } from './people-store.ts'
import type { Selector, WorkItem, WorkOutcome } from './work-schema.ts'

type Owner = Person | WorkOutcome

/** The person that each selector selects, by `selectorKey`, or the outcome when it does not select one. */
type Owners = Map<string, Owner>

type LocatedSelector = Located & { key: string; who: Selector }

/** The stored data of the people that items name. */
export class PeopleLookup implements PeopleView {
  readonly #owners: Owners
  readonly #rows: ReadonlyMap<string, IdentityRow>
  readonly #labels: ReadonlySet<string>

  constructor(owners: Owners, rows: ReadonlyMap<string, IdentityRow>, labels: ReadonlySet<string>) {
    this.#owners = owners
    this.#rows = rows
    this.#labels = labels
  }

  find(workspace_id: number, who: Selector): Owner {
    const owner = this.#owners.get(selectorKey(workspace_id, who)) ?? 'nobody_matched'
    return typeof owner === 'string' || this.#rows.get(owner.profile_id)?.workspace_id === workspace_id
      ? owner
      : 'nobody_matched'
  }

  identityOf({ profile_id }: Person): IdentityRow | undefined {
    return this.#rows.get(profile_id)
  }

  hasLabel({ profile_id }: Person, alias_label: string): boolean {
    return this.#labels.has(labelKey(profile_id, alias_label))
  }
}

export type LookupServices = { parseServiceId(text: string): string | undefined }

/** Looks up the people that the items name, without locks. */
export async function lookUpPeople(
  tx: Tx,
  items: readonly WorkItem[],
  services: LookupServices,
): Promise<PeopleLookup> {
  const selectors = selectorsIn(items)
  const addresses = selectors.filter(isAddress)
  const [owners, candidates] = await Promise.all([
    findExclusive(tx, selectors, services),
    findCandidates(
      tx,
      addresses.map((each) => ({ ...each, ...searchFor(each.who.prioritization ?? []) })),
    ),
  ])
  for (const [i, { key, who }] of addresses.entries())
    owners.set(key, chooseCandidate(candidates[i]!, who.prioritization ?? []))
  const rows = await listIdentityRows(tx, ownersIn(owners))
  return lookupOf(tx, items, owners, byProfileId(rows))
}

/**
 * Looks the people up again after `locking`. For an address, it keeps the person who was chosen before: the caller drops plans whose people
 * now have another address. The identifiers in `reserved` belong to no person yet.
 */
export async function lookUpLockedPeople(
  tx: Tx,
  items: readonly WorkItem[],
  before: PeopleLookup,
  locking: Promise<IdentityRow[]>,
  reserved: ReadonlySet<string>,
  services: LookupServices,
): Promise<PeopleLookup> {
  const selectors = selectorsIn(items)
  // Both use the same connection, so the second one runs when the locks are held.
  const [locked, owners] = await Promise.all([locking, findExclusive(tx, selectors, services)])
  for (const key of reserved) owners.delete(key)
  for (const { key, workspace_id, who } of selectors.filter(isAddress)) owners.set(key, before.find(workspace_id, who))
  return lookupOf(tx, items, owners, byProfileId(locked))
}

async function lookupOf(
  tx: Tx,
  items: readonly WorkItem[],
  owners: Owners,
  rows: ReadonlyMap<string, IdentityRow>,
): Promise<PeopleLookup> {
  const labelled = items.flatMap(({ workspace_id, kind, asked }): LabelOf[] => {
    const into = asked.into && owners.get(selectorKey(workspace_id, asked.into))
    if (kind !== 'identify' || asked.who.kind !== 'alias' || typeof into !== 'object') return []
    return [{ person: into, alias_label: aliasParts(asked.who.value).alias_label }]
  })
  const taken = await findLabels(tx, labelled)
  const labels = labelled.filter((_, i) => taken[i]).map((each) => labelKey(each.person.profile_id, each.alias_label))
  return new PeopleLookup(owners, rows, new Set(labels))
}

async function findExclusive(tx: Tx, selectors: readonly LocatedSelector[], services: LookupServices): Promise<Owners> {
  const owners: Owners = new Map()
  for (const { key, who } of selectors) {
    const profile_id = who.kind === 'service_id' ? services.parseServiceId(who.value) : undefined
    if (profile_id) owners.set(key, person(bucketOfId(profile_id), profile_id))
  }
  const named = selectors.filter((each) => !isAddress(each) && each.kind !== 'service_id')
  if (named.length > 0) for (const [key, owner] of await findIdentifiers(tx, named)) owners.set(key, owner)
  return owners
}

/** Returns every selector of the items once. */
function selectorsIn(items: readonly WorkItem[]): LocatedSelector[] {
  const selectors = items.flatMap(({ workspace_id, asked }) =>
    selectorsOf(asked).map((who): LocatedSelector => {
      return { ...located(workspace_id, who), key: selectorKey(workspace_id, who), who }
    }),
  )
  return [...new Map(selectors.map((each) => [each.key, each])).values()]
}

export function selectorsOf({ who, into }: WorkItem['asked']): Selector[] {
  return into ? [who, into] : [who]
}

function isAddress({ kind }: { kind: string }): boolean {
  return kind === 'email' || kind === 'phone'
}

/** Selectors of the same address may choose different people by their prioritization. */
function selectorKey(workspace_id: number, who: Selector): string {
  const key = identityKey(workspace_id, who)
  return isAddress(who) ? `${key}\u001f${who.prioritization?.join() ?? ''}` : key
}

function labelKey(profile_id: string, alias_label: string): string {
  return `${profile_id}\u001f${alias_label}`
}

function ownersIn(owners: Owners): Person[] {
  const people = [...owners.values()].filter((owner) => typeof owner === 'object')
  return [...new Map(people.map((one) => [one.profile_id, one])).values()]
}

function byProfileId(rows: readonly IdentityRow[]): ReadonlyMap<string, IdentityRow> {
  return new Map(rows.map((row) => [row.profile_id, row]))
}
