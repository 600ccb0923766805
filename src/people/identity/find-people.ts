import type { Tx } from '../../base/db/db.ts'
import { findLiving } from './candidate-store.ts'
import { findOwners } from './contact-store.ts'
import { identityKey } from './directory.ts'
import type { Identifier } from './identifier.ts'
import { findIdentifiers } from './identifier-store.ts'
import { bucketOfId, type Located, located, type Person, person } from './person.ts'

/** People per identifier, in the order asked; an empty list where nobody has it. */
export type FoundPeople = { identifier: Identifier; people: Person[] }

type Wanted = Located & { key: string }

/**
 * Looks people up without changing anything. An e-mail or phone may belong to several; of those at most `sharersMax` come back,
 * the most recently updated first.
 */
export async function findPeople(
  tx: Tx,
  workspace_id: number,
  asked: readonly Identifier[],
  parseServiceId: (text: string) => string | undefined,
  sharersMax: number,
): Promise<FoundPeople[]> {
  const wanted = asked.map(
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
    const named = person(bucketOfId(profile_id), profile_id)
    if ((await findLiving(tx, [named])).get(profile_id) === workspace_id) found.set(each.key, named)
  }
  const owners = new Map<string, Person[]>()
  for (const each of shared) owners.set(each.key, await findOwners(tx, each, sharersMax))
  return asked.map((identifier) => {
    const key = identityKey(workspace_id, identifier)
    const one = found.get(key)
    return { identifier, people: owners.get(key) ?? (one ? [one] : []) }
  })
}
