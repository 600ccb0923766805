import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { recordDecisions } from '../ledger/record-decisions.ts'
import { changeMessageStates, listMessagesInStates, type StateChange } from '../messages/message-store.ts'
import { uncertainBecause } from '../messages/outcome.ts'
import type { MessageState } from '../messages/states.ts'
import type { OrderState } from '../orders/order-store.ts'
import { listUnsettledOrders, lockUnsettledOrder, markOrderSettled } from '../orders/order-store.ts'

/** Messages that follow their dispatch in one transaction. */
const pageMax = 1_000
/** Dispatches looked at in one turn. */
const lookedMax = 100

const moves: Readonly<Record<OrderState, Omit<StateChange, 'nowMs'>>> = {
  active: { from: ['held'], to: 'queued', reason: null },
  paused: { from: ['queued'], to: 'held', reason: null },
  cancelled: { from: ['queued', 'held'], to: 'cancelled', reason: 'cancelled' },
}

const cancelled = { reason: 'cancelled' } as const

/** The index of messages by cause: the table would be read from its beginning for every page. */
const settings = ['enable_seqscan = off', 'enable_bitmapscan = off']

/** Somebody works on these; they may come back to the queue. */
const busy: readonly MessageState[] = ['leased', 'handed_over']

/**
 * Lets messages follow the states of their dispatches, a page of each; a million of them must not be one statement. Answers whether
 * some did. Until all have followed it is the dispatch's state that counts.
 */
export async function followOrderStates(db: Db, clock: Clock): Promise<boolean> {
  let moved = false
  for (const dispatch_id of await listUnsettledOrders(db, lookedMax)) {
    if (await settlePage(db, clock, dispatch_id)) moved = true
  }
  return moved
}

function settlePage(db: Db, clock: Clock, dispatch_id: string): Promise<boolean> {
  return db.transaction(
    async (tx) => {
      const dispatch = await lockUnsettledOrder(tx, dispatch_id)
      if (!dispatch) return false
      const { state, workspace_id } = dispatch
      const move = { ...moves[state], nowMs: clock.now() }
      const places = await listMessagesInStates(tx, dispatch_id, move.from, pageMax)
      if (places.length === 0) {
        const waits = state !== 'active' && (await listMessagesInStates(tx, dispatch_id, busy, 1)).length > 0
        if (!waits) await markOrderSettled(tx, dispatch_id)
        return false
      }
      // Whoever claims some holds these and then waits for the dispatch: they are left until the next time.
      const moved = await changeMessageStates(tx, places, move)
      if (state === 'cancelled') {
        const decided = { workspace_id, cause: dispatch_id, stampUs: clock.stamp() }
        await recordDecisions(
          tx,
          moved.map(({ doubted, ...message }) => ({
            ...message,
            ...decided,
            ...(doubted ? uncertainBecause(cancelled) : cancelled),
          })),
        )
      }
      return moved.length > 0
    },
    { settings },
  )
}
