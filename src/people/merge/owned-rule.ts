import type { Tx } from '../../base/db/db.ts'
import type { Identifier } from '../identity/identifier.ts'
import type { Move, Person } from '../identity/person.ts'

/** A deleted person with all identifiers and the profiles that were merged into this person earlier. */
export type DeletedPerson = {
  readonly workspace_id: number
  readonly person: Person
  readonly mergedProfiles: readonly Person[]
  readonly identifiers: readonly Identifier[]
}

/**
 * How a higher wing merges and deletes rows of tables for which `owned-tables.ts` has no plain rule. `services.ts` lists the rules. They
 * run in that order, before any other data of the people changes.
 */
export type OwnedRule = {
  readonly tables: readonly string[]
  /**
   * Moves the rows of merged profiles to the kept ones. Runs again for rows that were written late. Then several moves may have the same
   * `into`.
   */
  merge?(tx: Tx, moves: readonly Move[], stampUs: number): Promise<void>
  /** Replaces identifiers that become invalid with the merge. Runs once, while both profiles still have their identifiers. */
  replaceIdentifiers?(tx: Tx, moves: readonly Move[]): Promise<void>
  /** Deletes the rows of these people. Runs again for rows that were written late. */
  delete?(tx: Tx, people: readonly Person[]): Promise<void>
  /** Removes the identifiers of deleted people from rows without an owner. Runs once, after the deletion. */
  removeIdentifiers?(tx: Tx, deleted: readonly DeletedPerson[]): Promise<void>
}
