import type { Tx } from '../../base/db/db.ts'
import { notFound } from '../../base/errors.ts'
import { bucketOfId, type Person, person } from '../identity/person.ts'
import { findKept } from '../profile/kept-people-store.ts'

export type PathPersonServices = { parseServiceId(text: string): string | undefined }

/** A person that a path names: the current one, and the id in the path, which differs after a merge. */
export type PathPerson = { readonly found: Person; readonly askedId: string }

/** Finds the person that a path names by id. A merged person leads to the person who was kept. Throws 404. */
export async function findPathPerson(
  tx: Tx,
  workspace_id: number,
  id: string,
  { parseServiceId }: PathPersonServices,
): Promise<PathPerson> {
  const profile_id = parseServiceId(id.toLowerCase())
  if (profile_id === undefined) throw unknownPerson()
  const asked = person(bucketOfId(profile_id), profile_id)
  const found = (await findKept(tx, workspace_id, [asked])).get(profile_id)
  if (!found) throw unknownPerson()
  return { found, askedId: profile_id }
}

export function unknownPerson() {
  return notFound('There is no person with this id. Deleted people have none')
}
