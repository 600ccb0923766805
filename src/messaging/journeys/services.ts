import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import type { Person } from '../../people/identity/person.ts'
import type { Graphs } from '../flows/graphs.ts'

/**
 * What a step writes to the profile of somebody: attributes as `/users/track` takes them, without identifiers and addresses. `stampUs`:
 * epoch microseconds.
 */
export type ChangeAsked = {
  readonly person: Person
  readonly workspace_id: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly stampUs: number
}

/** Writes attributes in a transaction that others have begun. Throws `Departed` when somebody is not there any more. */
export type ApplyChanges = (tx: Tx, changes: readonly ChangeAsked[]) => Promise<void>

/** What entries are moved with. */
export type MoveParts = {
  readonly clock: Clock
  readonly graphs: Graphs
  readonly applyChanges: ApplyChanges
  /** A new id of a message. */
  newId(bucket: number): string
  /** The time zone of a workspace: whoever has none lives there. */
  zoneOf(workspace_id: number): string
}
