import type { Clock } from '../../base/clock.ts'
import type { ApplyServices } from '../../people/intake/apply-changes.ts'
import type { Graphs } from '../flows/graphs.ts'

/** What entries are moved with. */
export type MoveServices = ApplyServices & {
  readonly clock: Clock
  readonly graphs: Graphs
}
