import type { Tx } from '../../base/db/db.ts'
import { findExisting } from './candidate-store.ts'
import { findOwners } from './contact-store.ts'
import { identityKey } from './directory.ts'
import type { Identifier } from './identifier.ts'
import { findIdentifiers } from './identifier-store.ts'
import { bucketOfId, type Located, located, type Person, person } from './person.ts'

/** An identifier with the people that it names. */
export type FoundPeople = { identifier: Identifier; people: Person[] }

type Wanted = Located & { key: string }

/**
 * Looks up people, in the order of the request. Several people may have the same e-mail or phone: returns at most `sharersMax` of them, the
 * most recently updated first.
 */
export async function findPeople(
  tx: Tx,
  workspace_id: number,
  identifiers: readonly Identifier[],
  parseServiceId: (text: string) => string | undefined,
  sharersMax: number,
): Promise<FoundPeople[]> {
  const wanted = identifiers.map(
    (identifier): Wanted => ({ ...located(workspace_id, identifier), key: identityKey(workspace_id, identifier) }),
  )
  const shared = wanted.filter((each) => each.kind === 'email' || each.kind === 'phone')
  const exclusive = wanted.filter(
    (each) => each.kind !== 'email' && each.kind !== 'phone' && each.kind !== 'service_id',
  )
  const found = exclusive.length > 0 ? await findIdentifiers(tx, exclusive) : new Map<string, Person>()
  for (const each of wanted.filter((one) => one.kind === 'service_id')) {
    const profile_id = parseServiceId(each.value)
    if (!profile_id) continue
    const existing = person(bucketOfId(profile_id), profile_id)
    if ((await findExisting(tx, [existing])).get(profile_id) === workspace_id) found.set(each.key, existing)
  }
  const owners = new Map<string, Person[]>()
  for (const each of shared) owners.set(each.key, await findOwners(tx, each, sharersMax))
  return identifiers.map((identifier) => {
    const key = identityKey(workspace_id, identifier)
    const one = found.get(key)
    return { identifier, people: owners.get(key) ?? (one ? [one] : []) }
  })
}
