import type { DueWork } from '../../base/work/due-work.ts'
import { type Loop, openLoop } from '../../base/work/loop.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { openDueEntries } from './due-entries.ts'
import { findNextJourneyWork, type JourneyWork, listDueJourneyWork } from './due-store.ts'
import { followFlowStates } from './follow-flow-states.ts'
import type { CallServices } from './make-calls.ts'
import { openSignals } from './signal-loop.ts'
import { WebhookCaller } from './webhook-caller.ts'

export type JourneyServices = Omit<CallServices, 'onMoved'> & {
  /** False where another process does it. */
  readonly works: boolean
  readonly wakeups: Wakeups
  /** So many signals are done with. */
  onHeeded?(count: number): void
  /** A signal was set aside: our mistake. */
  onSetAside?(): void
}

/** Everything that moves those who have entered a canvas or a campaign. */
export type Journeys = {
  /** Undefined where another process does it. */
  readonly dueWork: DueWork | undefined
  /** What failed last time, as it is called in the log. */
  failing(): string[]
  /** Lets what is under way end, then stops. */
  close(): Promise<void>
}

const everyMs = 1_000

/** Starts the loops: what happens, entries that are due, webhooks, and flows whose state has changed. */
export function openJourneys(parts: JourneyServices): Journeys {
  const { wakeups } = parts
  if (!parts.works) return { dueWork: undefined, failing: () => [], close: async () => {} }
  const onMoved = () => {
    wakeups.wake('delivery')
    loops.calls.wake()
  }
  const caller = new WebhookCaller({ ...parts, onMoved })
  const loops = openLoops({ ...parts, onMoved }, caller)
  const all = Object.values(loops)
  wakeups.on('signals', loops.signals.wake)
  for (const loop of [loops.moves, loops.settling]) {
    wakeups.on('journeys', loop.wake)
    wakeups.on('flows', loop.wake)
  }
  return {
    dueWork: {
      async nextDueMs() {
        const nextUs = await findNextJourneyWork(parts.db)
        return nextUs === undefined ? undefined : Math.ceil(nextUs / 1000)
      },
      listDue: async (nowMs) => (await listDueJourneyWork(parts.db, nowMs)).map((work) => loops[work]),
    },
    failing: () => all.filter((loop) => loop.failing()).map(({ name }) => name),
    close: async () => {
      await Promise.all(all.map((loop) => loop.close()))
      await caller.close()
    },
  }
}

function openLoops(parts: JourneyServices & CallServices, caller: WebhookCaller): Record<JourneyWork, Loop> {
  const { db, log, onMoved } = parts
  const turnOfSettling = async () => {
    const moved = await followFlowStates(db, parts)
    if (moved) onMoved()
    return moved
  }
  return {
    signals: openSignals({ ...parts, onActed: onMoved }),
    settling: openLoop({ name: 'entries.settle', everyMs, turn: turnOfSettling }, log),
    moves: openLoop({ name: 'entries.move', everyMs, turn: openDueEntries(parts) }, log),
    calls: openLoop({ name: 'entries.call', everyMs, turn: () => caller.turn() }, log),
  }
}
