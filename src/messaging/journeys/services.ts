import type { Clock } from '../../base/clock.ts'
import type { ApplyParts } from '../../people/intake/apply-changes.ts'
import type { Graphs } from '../flows/graphs.ts'

/** What entries are moved with. */
export type MoveParts = ApplyParts & {
  readonly clock: Clock
  readonly graphs: Graphs
}
