import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import type { AttributesWrite } from '../../people/intake/apply-changes.ts'
import type { Graphs } from '../flows/graphs.ts'

/** Writes attributes in a transaction that others have begun. Throws `PersonRemoved` when somebody is not there any more. */
export type ApplyChanges = (tx: Tx, changes: readonly AttributesWrite[]) => Promise<void>

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
