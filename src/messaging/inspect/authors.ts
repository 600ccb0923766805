import type { VersionHeadRow, WriteRow } from './version-store.ts'

/** Who wrote a version. */
export type Author = { readonly kind: string; readonly id: string; readonly name: string }

/** A version and the row of the audit that tells of it are written in one transaction, which takes less than this. */
export const writingMs = 10_000

/**
 * Returns who wrote which version, as far as the audit knows. Both lists begin with the newest. A write makes a version when it changes one
 * of `definitionMembers`. Pure.
 */
export function authorsOf(
  versions: readonly VersionHeadRow[],
  writes: readonly WriteRow[],
  definitionMembers: readonly string[],
): Map<number, Author> {
  const making = writes.filter(({ members }) => members.some((name) => definitionMembers.includes(name)))
  const authors = new Map<number, Author>()
  let next = 0
  for (const { version, created_at } of versions) {
    const fromMs = created_at.getTime()
    // A clock that does not move gives several versions one time: each takes the newest write that is left.
    while (next < making.length && making[next]!.time.getTime() >= fromMs + writingMs) next++
    const write = making[next]
    if (!write || write.time.getTime() < fromMs) continue
    authors.set(version, { kind: write.actor_kind, id: write.actor_id, name: write.actor_name })
    next++
  }
  return authors
}
