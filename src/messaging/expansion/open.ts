import type { DueWork } from '../../base/work/due-work.ts'
import { openLoop } from '../../base/work/loop.ts'
import { flowToPlanProbe } from '../flows/plan-store.ts'
import { expansionWork } from './due-work.ts'
import { type ExpandServices, openExpander } from './expand.ts'
import { openPlanning, type PlanServices } from './plan-recurring.ts'
import { SkippedFlows } from './skipped-flows.ts'

export type ExpansionServices = ExpandServices & PlanServices

/** The loops that make orders from recurring schedules, and messages or entries from slots that are due. */
export type Expansion = {
  readonly dueWork: DueWork
  /** Returns the names of the loops whose last turn failed. */
  failing(): string[]
  /** Stops the work in progress. The next start continues it. */
  close(): Promise<void>
}

const everyMs = 1_000

export function openExpansion(services: ExpansionServices): Expansion {
  const { clock, log, wakeups, poller } = services
  const skipped = new SkippedFlows(clock)
  const probe = (aheadMs: number) => flowToPlanProbe(clock.now() + aheadMs, skipped.list(aheadMs))
  const planner = openLoop({ name: 'orders.plan', everyMs, poller, probe, turn: openPlanning(services, skipped) }, log)
  const expander = openExpander(services)
  const listeners = [wakeups.on('flows', planner.wake), wakeups.on('expansion', expander.wake)]
  const loops = [planner, expander]
  return {
    dueWork: expansionWork(planner, expander, skipped),
    failing: () => loops.filter((loop) => loop.failing()).map(({ name }) => name),
    async close() {
      for (const removeListener of listeners) removeListener()
      for (const loop of loops) await loop.close()
    },
  }
}
