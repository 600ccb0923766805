import { createHmac } from 'node:crypto'
import type { IdentifierKind } from '../identity/identifier.ts'
import type { WorkRequest } from './work-schema.ts'

/** 128 bits, in hexadecimal digits. */
const digits = 32

/**
 * How an item remembers that it is about somebody: a hash of an identifier, or of the id of a profile, keyed by the installation's
 * secret. It finds the item when the person is deleted, and tells nobody who that was.
 */
export type HashPerson = (workspace_id: number, kind: IdentifierKind | 'profile', value: string) => string

export function personHasher(secret: Buffer): HashPerson {
  return (workspace_id, kind, value) =>
    createHmac('sha256', secret)
      .update(`work\u001f${workspace_id}\u001f${kind}\u001f${value}`)
      .digest('hex')
      .slice(0, digits)
}

/** Everybody whom an item names. A service id is remembered as the profile that it stands for. */
export function hashesOf(
  workspace_id: number,
  { who, into }: WorkRequest,
  mention: HashPerson,
  parseServiceId: (text: string) => string | undefined,
): string[] {
  return [who, ...(into ? [into] : [])].flatMap(({ kind, value }) => {
    if (kind !== 'service_id') return [mention(workspace_id, kind, value)]
    const profile_id = parseServiceId(value)
    return profile_id ? [mention(workspace_id, 'profile', profile_id)] : []
  })
}
