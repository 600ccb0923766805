import type { Tx } from '../../base/db/db.ts'
import type { Identifier } from '../identity/identifier.ts'
import type { Move, Person } from '../identity/person.ts'

/** A deleted person of a workspace, with the profiles that were merged into it before and every identifier of it. */
export type DeletedPerson = {
  readonly workspace_id: number
  readonly person: Person
  readonly mergedProfiles: readonly Person[]
  readonly identifiers: readonly Identifier[]
}

/**
 * How a higher wing merges and deletes rows of tables for which `owned.ts` has no plain rule. The process hands its list of rules to
 * whatever merges and deletes people. They run in the order of the list, before anything else of the people changes.
 */
export type OwnedRule = {
  readonly tables: readonly string[]
  /** Gives the rows of merged profiles to the kept ones. Runs again for rows that were written late; then several may have one `into`. */
  merge?(tx: Tx, moves: readonly Move[], stampUs: number): Promise<void>
  /** Replaces identifiers that will name nobody after the merge. Runs once, while both profiles still have theirs. */
  replaceIdentifiers?(tx: Tx, moves: readonly Move[]): Promise<void>
  /** Deletes the rows of these people. Runs again for rows that were written late. */
  delete?(tx: Tx, people: readonly Person[]): Promise<void>
  /** Removes the identifiers of deleted people from rows that belong to nobody. Runs once, after the deletion. */
  removeIdentifiers?(tx: Tx, deleted: readonly DeletedPerson[]): Promise<void>
}
