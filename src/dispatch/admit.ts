import type { Tx } from '../base/db/db.ts'
import { judgeConsent } from '../email/consent.ts'
import { factsOf } from '../email/consent-store.ts'
import { lockDispatches, lockStandings, type Standing } from './claim-store.ts'
import type { DispatchState } from './dispatch-store.ts'
import type { Leased } from './leased.ts'
import type { WantedState } from './sending.ts'
import { ended, heldBack, placed, type Verdict } from './verdict.ts'

/** Leased messages with how they stand; those that are not ours any more are missing. */
export type Standings = {
  readonly standings: ReadonlyMap<string, Standing>
  /** The states of the dispatches that are not active, which stay so while the transaction lasts. */
  readonly stopped: ReadonlyMap<string, DispatchState>
}

/** Locks messages and reads, as of now, what decides about them; again in every transaction that goes on with them. */
export async function readStandings(tx: Tx, messages: readonly Leased[]): Promise<Standings> {
  const rows = await lockStandings(tx, messages)
  const standings = new Map(rows.map((row) => [messages[row.n - 1]!.message_id, row]))
  const doubtful = rows.filter(({ dispatch_state }) => dispatch_state !== 'active')
  const causes = [...new Set(doubtful.map(({ n }) => messages[n - 1]!.cause))]
  return { standings, stopped: causes.length === 0 ? new Map() : await lockDispatches(tx, causes) }
}

/** A message that was written while its person was merged away follows within a moment (`departed.ts`). */
const followedMs = 1_000

/** Why a message does not go out as things stand; undefined when nothing is against it. */
export function judgeStanding(
  message: Leased,
  standing: Standing,
  stopped: ReadonlyMap<string, DispatchState>,
  wanted: WantedState,
  nowMs: number,
): Verdict | undefined {
  if (standing.has_gone) return placed(message, nowMs + followedMs, message.room)
  const state = standing.dispatch_state === 'active' ? 'active' : stopped.get(message.cause)
  if (state === 'paused') return heldBack(message)
  if (state !== 'active') return ended({ reason: 'cancelled', rule: 'the dispatch was cancelled' })
  const why = judgeConsent(factsOf(standing), wanted)
  return why && ended(why)
}
