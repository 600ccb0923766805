import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { recordDecisions } from '../ledger/record-decisions.ts'
import { changeMessageStates, listMessagesInStates, type StateChange } from '../messages/message-store.ts'
import { uncertainBecause } from '../messages/outcome.ts'
import type { MessageState } from '../messages/states.ts'
import { listUnsettledOrders, lockUnsettledOrder, markOrderSettled, type OrderState } from '../orders/order-store.ts'

/** Messages that are moved in one transaction. */
const pageMax = 1_000
/** Orders of one turn. */
const ordersMax = 100

const moves: Readonly<Record<OrderState, Omit<StateChange, 'nowMs'>>> = {
  active: { from: ['held'], to: 'queued', reason: null },
  paused: { from: ['queued'], to: 'held', reason: null },
  cancelled: { from: ['queued', 'held'], to: 'cancelled', reason: 'cancelled' },
}

const cancelled = { reason: 'cancelled' } as const

/** Forces the index of messages by cause. Otherwise every page could read the table from its beginning. */
const settings = ['enable_seqscan = off', 'enable_bitmapscan = off']

/** The states of messages that a worker has. They may be queued again. */
const atWorker: readonly MessageState[] = ['leased', 'handed_over']

/**
 * Changes the states of messages after their order was paused, resumed or cancelled: one page for each order, because an order may have a
 * million messages. Returns whether any were changed. Until all are changed, workers read the state of the order itself.
 */
export async function followOrderStates(db: Db, clock: Clock): Promise<boolean> {
  let moved = false
  for (const dispatch_id of await listUnsettledOrders(db, ordersMax)) {
    if (await moveNextPage(db, clock, dispatch_id)) moved = true
  }
  return moved
}

function moveNextPage(db: Db, clock: Clock, dispatch_id: string): Promise<boolean> {
  return db.transaction(
    async (tx) => {
      const order = await lockUnsettledOrder(tx, dispatch_id)
      if (!order) return false
      const { state, workspace_id } = order
      const move = { ...moves[state], nowMs: clock.now() }
      const messages = await listMessagesInStates(tx, dispatch_id, move.from, pageMax)
      if (messages.length === 0) {
        const mayReturn = state !== 'active' && (await listMessagesInStates(tx, dispatch_id, atWorker, 1)).length > 0
        if (!mayReturn) await markOrderSettled(tx, dispatch_id)
        return false
      }
      // Skips messages that a worker has locked: the worker waits for the lock of the order.
      const moved = await changeMessageStates(tx, messages, move)
      if (state === 'cancelled') {
        const common = { workspace_id, cause: dispatch_id, stampUs: clock.stamp() }
        await recordDecisions(
          tx,
          moved.map(({ maybe_sent, ...message }) => ({
            ...message,
            ...common,
            ...(maybe_sent ? uncertainBecause(cancelled) : cancelled),
          })),
        )
      }
      return moved.length > 0
    },
    { settings },
  )
}
