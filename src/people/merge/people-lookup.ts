import type { Tx } from '../../base/db/db.ts'
import { findLabels, type LabelOf } from '../identity/alias-store.ts'
import { identityKey } from '../identity/directory.ts'
import { aliasParts } from '../identity/identifier.ts'
import { findIdentifiers } from '../identity/identifier-store.ts'
import { bucketOfId, type Located, located, type Person, person } from '../identity/person.ts'
import { choose, searchFor } from './choose-candidate.ts'
import type { View } from './decide-item.ts'
import { findCandidates, findStandings, type Standing } from './people-store.ts'
import type { Item, Outcome, Selector } from './work-schema.ts'

type Owner = Person | Outcome

/** Whom selectors mean, by `selectorKey`. */
type Owners = Map<string, Owner>

type Wanted = Located & { key: string; who: Selector }

/** What was found out about those whom items name. */
export class Findings implements View {
  readonly #owners: Owners
  readonly #standings: ReadonlyMap<string, Standing>
  readonly #labels: ReadonlySet<string>

  constructor(owners: Owners, standings: ReadonlyMap<string, Standing>, labels: ReadonlySet<string>) {
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

  standingOf({ profile_id }: Person): Standing | undefined {
    return this.#standings.get(profile_id)
  }

  hasLabel({ profile_id }: Person, alias_label: string): boolean {
    return this.#labels.has(labelKey(profile_id, alias_label))
  }
}

export type ViewParts = { parseServiceId(text: string): string | undefined }

/** Asks storage about everybody whom the items name. */
export async function look(tx: Tx, items: readonly Item[], parts: ViewParts): Promise<Findings> {
  const wanted = wantedOf(items)
  const addresses = wanted.filter(isAddress)
  const [owners, candidates] = await Promise.all([
    findExclusive(tx, wanted, parts),
    findCandidates(
      tx,
      addresses.map((each) => ({ ...each, ...searchFor(each.who.prioritization ?? []) })),
    ),
  ])
  for (const [i, { key, who }] of addresses.entries()) owners.set(key, choose(candidates[i]!, who.prioritization ?? []))
  const standings = await findStandings(tx, peopleIn(owners))
  return findingsOf(tx, items, owners, byId(standings))
}

/**
 * Asks again once everybody is locked. Whoever was chosen for an address stays chosen: they had it when it was asked, and a
 * standing that is still the same says that they have it. Identifiers that were `reserved` meanwhile are still nobody's.
 */
export async function lookAgain(
  tx: Tx,
  items: readonly Item[],
  before: Findings,
  locking: Promise<Standing[]>,
  reserved: ReadonlySet<string>,
  parts: ViewParts,
): Promise<Findings> {
  const wanted = wantedOf(items)
  // Sent after the locks, and so answered once they are held.
  const [locked, owners] = await Promise.all([locking, findExclusive(tx, wanted, parts)])
  for (const key of reserved) owners.delete(key)
  for (const { key, workspace_id, who } of wanted.filter(isAddress)) owners.set(key, before.find(workspace_id, who))
  return findingsOf(tx, items, owners, byId(locked))
}

async function findingsOf(
  tx: Tx,
  items: readonly Item[],
  owners: Owners,
  standings: ReadonlyMap<string, Standing>,
): Promise<Findings> {
  const asked = items.flatMap(({ workspace_id, kind, asked }): LabelOf[] => {
    const into = asked.into && owners.get(selectorKey(workspace_id, asked.into))
    if (kind !== 'identify' || asked.who.kind !== 'alias' || typeof into !== 'object') return []
    return [{ person: into, alias_label: aliasParts(asked.who.value).alias_label }]
  })
  const taken = await findLabels(tx, asked)
  const labels = asked.filter((_, i) => taken[i]).map((each) => labelKey(each.person.profile_id, each.alias_label))
  return new Findings(owners, standings, new Set(labels))
}

async function findExclusive(tx: Tx, wanted: readonly Wanted[], parts: ViewParts): Promise<Owners> {
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
function wantedOf(items: readonly Item[]): Wanted[] {
  const wanted = items.flatMap(({ workspace_id, asked }) =>
    selectorsOf(asked).map((who): Wanted => {
      return { ...located(workspace_id, who), key: selectorKey(workspace_id, who), who }
    }),
  )
  return [...new Map(wanted.map((each) => [each.key, each])).values()]
}

export function selectorsOf({ who, into }: Item['asked']): Selector[] {
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

function peopleIn(owners: Owners): Person[] {
  const people = [...owners.values()].filter((owner) => typeof owner === 'object')
  return [...new Map(people.map((one) => [one.profile_id, one])).values()]
}

function byId(standings: readonly Standing[]): ReadonlyMap<string, Standing> {
  return new Map(standings.map((standing) => [standing.profile_id, standing]))
}
