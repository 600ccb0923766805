import { fits, type Json, storedBytes } from '../values/values.ts'
import type { AttributeChange } from './attributes.ts'
import { type CustomState, foldCustom } from './fold.ts'

/** Bytes of the custom attributes of one profile as JSON of the database. A profile of this size is updated in some 20 ms. */
export const profileBytesMax = 1_048_576

/** Why an object of a track request is refused that would make a profile too large. */
export const profileTooLarge = `The custom attributes of a profile may have at most ${profileBytesMax} bytes`

/** Whether changes make the custom attributes of a profile larger than the limit. Cheap for small profiles. */
export function isTooLarge(after: CustomState, bytesMax = profileBytesMax): boolean {
  return !fits(after.custom, bytesMax)
}

/**
 * Returns the changes, in their order, that must be refused so that the profile does not get too large: each makes it larger than the
 * limit, and larger than it was. A profile that is too large already can still be made smaller. Pure.
 */
export function refusedChanges(
  before: CustomState,
  changes: readonly AttributeChange[],
  bytesMax = profileBytesMax,
): AttributeChange[] {
  let state = before
  let bytes = bytesOf(before.custom)
  return changes.filter((change) => {
    const after = foldCustom(state, change)
    const grown = keysOf(change).reduce((sum, key) => sum + bytesAt(after, key) - bytesAt(state, key), bytes)
    if (grown > bytesMax && grown > bytes) return true
    state = after
    bytes = grown
    return false
  })
}

/** Adds the attributes of another profile that this one does not have, in their order, as long as they fit. Pure. */
export function addWithinLimit(
  custom: Readonly<Record<string, Json>>,
  more: Readonly<Record<string, Json>>,
  bytesMax = profileBytesMax,
): Readonly<Record<string, Json>> {
  const all = { ...more, ...custom }
  if (fits(all, bytesMax)) return all
  let bytes = bytesOf(custom)
  const added = Object.entries(more).filter(([key, value]) => {
    if (Object.hasOwn(custom, key)) return false
    const own = memberBytes(key, value)
    if (bytes + own > bytesMax) return false
    bytes += own
    return true
  })
  return { ...Object.fromEntries(added), ...custom }
}

/** Bytes of an object, as those of all its members and one more. */
function bytesOf(custom: Readonly<Record<string, Json>>): number {
  const json = JSON.stringify(custom)
  return json === '{}' ? 1 : storedBytes(custom, json)
}

function bytesAt({ custom }: CustomState, key: string): number {
  return Object.hasOwn(custom, key) ? memberBytes(key, custom[key]!) : 0
}

/** Bytes of a member with its colon and comma. */
function memberBytes(key: string, value: Json): number {
  return Buffer.byteLength(JSON.stringify(key)) + storedBytes(value) + 2
}

function keysOf({ custom, removed, operations }: AttributeChange): string[] {
  return [...new Set([...Object.keys(custom ?? {}), ...removed, ...operations.map(({ key }) => key)])]
}
