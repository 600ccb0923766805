import { isVirtual } from '../../base/clock.ts'
import type { Loop } from '../../base/work/loop.ts'
import { type Falling, type HowFar, runDueUntil } from './due.ts'
import { type ExpandParts, openExpander } from './expand.ts'

export type DispatchingParts = Omit<ExpandParts, 'onExpanded'> & {
  /** False where another process expands and delivers. */
  works: boolean
  /** What brings messages out of the house, once there is something to do it with. */
  openDeliverer?(): Loop
  /** What else falls due on the way of a virtual clock. */
  falling?: Falling | undefined
  /** A virtual clock is about to be moved to an instant. */
  onLeave(untilMs: number): Promise<void>
}

/** Everything that happens to an order to send after it was accepted. */
export type Dispatching = {
  /** An order was accepted or changed. */
  pokeExpander(): void
  /** Messages were queued. */
  pokeDeliverer(): void
  /** Does what falls due on the way of a virtual clock, in order, and answers how far it came. */
  runDue(untilMs: number): Promise<HowFar>
  /** What failed last time, as it is called in the log. */
  failing(): string[]
  /** Gives up what is under way; the next start goes on with it. */
  close(): Promise<void>
}

/** Starts the loops that expand orders into messages and deliver these. */
export function openDispatching(parts: DispatchingParts): Dispatching {
  const { db, clock, works, openDeliverer, falling, onLeave } = parts
  const deliverer = works ? openDeliverer?.() : undefined
  const expander = works ? openExpander({ ...parts, onExpanded: () => deliverer?.wake() }) : undefined
  const loops = [expander, deliverer].filter((loop) => loop !== undefined)
  return {
    pokeExpander: () => expander?.wake(),
    pokeDeliverer: () => deliverer?.wake(),
    async runDue(untilMs) {
      if (expander && isVirtual(clock))
        return runDueUntil({ db, expander, deliverer, falling, onLeave }, clock, untilMs)
      await onLeave(untilMs)
      return { reachedMs: untilMs, isDone: true }
    },
    failing: () => loops.filter((loop) => loop.failing()).map(({ name }) => name),
    async close() {
      for (const loop of loops) await loop.close()
    },
  }
}
