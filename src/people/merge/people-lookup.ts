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

/** Whom selectors mean, by `selectorKey`. */
type Owners = Map<string, Owner>

type LocatedSelector = Located & { key: string; who: Selector }

/** What was found out about those whom items name. */
export class PeopleLookup implements PeopleView {
  readonly #owners: Owners
  readonly #standings: ReadonlyMap<string, IdentityRow>
  readonly #labels: ReadonlySet<string>

  constructor(owners: Owners, standings: ReadonlyMap<string, IdentityRow>, labels: ReadonlySet<string>) {
    this.#owners = owners
    this.#standings = standings
    this.#labels = labels
  }

  find(workspace_id: number, who: Selector): Owner {
    const owner = this.#owners.get(selectorKey(workspace_id, who)) ?? 'nobody_matched'
    return typeof owner === 'string' || this.#standings.get(owner.profile_id)?.workspace_id === workspace_id
      ? owner
      : 'nobody_matched'
  }

  identityOf({ profile_id }: Person): IdentityRow | undefined {
    return this.#standings.get(profile_id)
  }

  hasLabel({ profile_id }: Person, alias_label: string): boolean {
    return this.#labels.has(labelKey(profile_id, alias_label))
  }
}

export type LookupServices = { parseServiceId(text: string): string | undefined }

/** Asks storage about everybody whom the items name. */
export async function lookUpPeople(tx: Tx, items: readonly WorkItem[], parts: LookupServices): Promise<PeopleLookup> {
  const wanted = selectorsIn(items)
  const addresses = wanted.filter(isAddress)
  const [owners, candidates] = await Promise.all([
    findExclusive(tx, wanted, parts),
    findCandidates(
      tx,
      addresses.map((each) => ({ ...each, ...searchFor(each.who.prioritization ?? []) })),
    ),
  ])
  for (const [i, { key, who }] of addresses.entries())
    owners.set(key, chooseCandidate(candidates[i]!, who.prioritization ?? []))
  const standings = await listIdentityRows(tx, ownersIn(owners))
  return lookupOf(tx, items, owners, byProfileId(standings))
}

/**
 * Asks again once everybody is locked. Whoever was chosen for an address stays chosen: they had it when it was asked, and a
 * standing that is still the same says that they have it. Identifiers that were `reserved` meanwhile are still nobody's.
 */
export async function lookUpLockedPeople(
  tx: Tx,
  items: readonly WorkItem[],
  before: PeopleLookup,
  locking: Promise<IdentityRow[]>,
  reserved: ReadonlySet<string>,
  parts: LookupServices,
): Promise<PeopleLookup> {
  const wanted = selectorsIn(items)
  // Sent after the locks, and so answered once they are held.
  const [locked, owners] = await Promise.all([locking, findExclusive(tx, wanted, parts)])
  for (const key of reserved) owners.delete(key)
  for (const { key, workspace_id, who } of wanted.filter(isAddress)) owners.set(key, before.find(workspace_id, who))
  return lookupOf(tx, items, owners, byProfileId(locked))
}

async function lookupOf(
  tx: Tx,
  items: readonly WorkItem[],
  owners: Owners,
  standings: ReadonlyMap<string, IdentityRow>,
): Promise<PeopleLookup> {
  const asked = items.flatMap(({ workspace_id, kind, asked }): LabelOf[] => {
    const into = asked.into && owners.get(selectorKey(workspace_id, asked.into))
    if (kind !== 'identify' || asked.who.kind !== 'alias' || typeof into !== 'object') return []
    return [{ person: into, alias_label: aliasParts(asked.who.value).alias_label }]
  })
  const taken = await findLabels(tx, asked)
  const labels = asked.filter((_, i) => taken[i]).map((each) => labelKey(each.person.profile_id, each.alias_label))
  return new PeopleLookup(owners, standings, new Set(labels))
}

async function findExclusive(tx: Tx, wanted: readonly LocatedSelector[], parts: LookupServices): Promise<Owners> {
  const owners: Owners = new Map()
  for (const { key, who } of wanted) {
    const profile_id = who.kind === 'service_id' ? parts.parseServiceId(who.value) : undefined
    if (profile_id) owners.set(key, person(bucketOfId(profile_id), profile_id))
  }
  const named = wanted.filter((each) => !isAddress(each) && each.kind !== 'service_id')
  if (named.length > 0) for (const [key, owner] of await findIdentifiers(tx, named)) owners.set(key, owner)
  return owners
}

/** Every selector of the items once. */
function selectorsIn(items: readonly WorkItem[]): LocatedSelector[] {
  const wanted = items.flatMap(({ workspace_id, asked }) =>
    selectorsOf(asked).map((who): LocatedSelector => {
      return { ...located(workspace_id, who), key: selectorKey(workspace_id, who), who }
    }),
  )
  return [...new Map(wanted.map((each) => [each.key, each])).values()]
}

export function selectorsOf({ who, into }: WorkItem['asked']): Selector[] {
  return into ? [who, into] : [who]
}

function isAddress({ kind }: { kind: string }): boolean {
  return kind === 'email' || kind === 'phone'
}

/** Two selectors of one address may choose differently. */
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

function byProfileId(standings: readonly IdentityRow[]): ReadonlyMap<string, IdentityRow> {
  return new Map(standings.map((standing) => [standing.profile_id, standing]))
}
