import type { DueWork } from '../../base/work/due-work.ts'
import { type Loop, openLoop, type Polls } from '../../base/work/loop.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { dueEntryProbe } from '../entries/entry-store.ts'
import { unsettledFlowProbe } from '../flows/unsettled-store.ts'
import { describeDueJourneys } from './describe-due.ts'
import { type DueEntryServices, openDueEntries } from './due-entries.ts'
import { findNextJourneyWork, type JourneyWork, listDueJourneyWork } from './due-store.ts'
import { followFlowStates } from './follow-flow-states.ts'
import { openSignals } from './signal-loop.ts'

export type JourneyServices = Omit<DueEntryServices, 'onMoved'> & {
  /** False when another process moves entries. */
  readonly works: boolean
  readonly wakeups: Wakeups
  readonly poller?: Polls
  /** Called with the number of entries that were moved because they were due. */
  onEntriesMoved?(count: number): void
  /** Called with the number of signals that were handled. */
  onHandled?(count: number): void
  /** Called when a signal was set aside because of a defect. */
  onSetAside?(): void
}

/** The loops that move entries. */
export type Journeys = {
  /** Undefined when another process moves entries. */
  readonly dueWork: DueWork | undefined
  /** Returns the names of loops whose last turn failed, as logs have them. */
  failing(): string[]
  close(): Promise<void>
}

const everyMs = 1_000

/** Starts the loops: signals, due entries, and entries that follow the state of their flow. */
export function openJourneys(services: JourneyServices): Journeys {
  const { wakeups } = services
  if (!services.works) return { dueWork: undefined, failing: () => [], close: async () => {} }
  const loops = openLoops({ ...services, onMoved: () => wakeups.wake('delivery') })
  const all = Object.values(loops)
  wakeups.on('signals', loops.signals.wake)
  for (const loop of [loops.moves, loops.following]) {
    wakeups.on('journeys', loop.wake)
    wakeups.on('flows', loop.wake)
  }
  return {
    dueWork: {
      async nextDueMs(tx) {
        const nextUs = await findNextJourneyWork(tx)
        return nextUs === undefined ? undefined : Math.ceil(nextUs / 1000)
      },
      describeDue: describeDueJourneys,
      listDue: async (tx, nowMs) => (await listDueJourneyWork(tx, nowMs)).map((work) => loops[work]),
    },
    failing: () => all.filter((loop) => loop.failing()).map(({ name }) => name),
    close: async () => void (await Promise.all(all.map((loop) => loop.close()))),
  }
}

function openLoops(services: JourneyServices & DueEntryServices): Record<JourneyWork, Loop> {
  const { db, log, clock, poller, onMoved } = services
  const followFlows = async () => {
    const moved = await followFlowStates(db, services)
    if (moved) onMoved()
    return moved
  }
  return {
    signals: openSignals({ ...services, onActed: onMoved }),
    following: openLoop(
      { name: 'journeys.followFlows', everyMs, poller, probe: unsettledFlowProbe, turn: followFlows },
      log,
    ),
    moves: openLoop(
      {
        name: 'journeys.moveDue',
        everyMs,
        poller,
        probe: (aheadMs) => dueEntryProbe(clock.now() + aheadMs),
        turn: openDueEntries(services),
      },
      log,
    ),
  }
}
