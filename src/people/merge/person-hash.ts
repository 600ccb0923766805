import { createHmac } from 'node:crypto'
import type { IdentifierKind } from '../identity/identifier.ts'
import type { WorkRequest } from './work-schema.ts'

/** 128 bits, in hexadecimal digits. */
const digits = 32

/**
 * Hashes an identifier, or the id of a profile, with the secret of the installation. A work item keeps these hashes instead of the
 * identifiers: they find the item when the person is deleted.
 */
export type HashPerson = (workspace_id: number, kind: IdentifierKind | 'profile', value: string) => string

export function personHasher(secret: Buffer): HashPerson {
  return (workspace_id, kind, value) =>
    createHmac('sha256', secret)
      .update(`work\u001f${workspace_id}\u001f${kind}\u001f${value}`)
      .digest('hex')
      .slice(0, digits)
}

/** Returns hashes of the people that an item names. A service id is hashed as the id of its profile. */
export function hashesOf(
  workspace_id: number,
  { who, into }: WorkRequest,
  hashPerson: HashPerson,
  parseServiceId: (text: string) => string | undefined,
): string[] {
  return [who, ...(into ? [into] : [])].flatMap(({ kind, value }) => {
    if (kind !== 'service_id') return [hashPerson(workspace_id, kind, value)]
    const profile_id = parseServiceId(value)
    return profile_id ? [hashPerson(workspace_id, 'profile', profile_id)] : []
  })
}
