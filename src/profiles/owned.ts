/**
 * Every table that holds something of a person, and what a merge and a deletion do with it. Merge and delete walk this list;
 * the structure test fails when a table with `bucket, profile_id` is missing from it.
 */
export type Owned = {
  table: string
  /** What happens to the rows of the profile that is merged away. */
  merge: 'folded' | 'moved' | 'moved unless the kept profile has that key' | 'later stamp wins'
  /** What happens to the rows of a deleted person. */
  delete: 'removed'
}

export const owned: readonly Owned[] = [
  { table: 'profile', merge: 'folded', delete: 'removed' },
  { table: 'profile_alias', merge: 'moved unless the kept profile has that key', delete: 'removed' },
  { table: 'push_token', merge: 'moved', delete: 'removed' },
  { table: 'membership', merge: 'later stamp wins', delete: 'removed' },
  { table: 'event', merge: 'moved', delete: 'removed' },
  { table: 'purchase', merge: 'moved', delete: 'removed' },
]
