import type { Db, Tx } from '../../base/db/db.ts'
import { indexScansOnly, shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { retryWhenRemoved } from '../../people/identity/retry-removed.ts'
import { lockEntries } from '../entries/entry-store.ts'
import { hasEntriesToUpdate, listOpenEntries, updateHeld } from '../entries/flow-entries-store.ts'
import type { FlowState } from '../flows/flow.ts'
import { listUnsettledFlows, lockUnsettledFlow, markFlowSettled } from '../flows/unsettled-store.ts'
import { changeMessageStates, listFlowMessages } from '../messages/message-store.ts'
import { moveEntries } from './move-entries.ts'
import type { MoveServices } from './services.ts'

/** Entries and messages that follow their flow in one transaction. */
const pageMax = 1_000
/** Flows looked at in one turn. */
const flowsMax = 100
const settings = [...shortLockTimeout, ...indexScansOnly]

/**
 * Lets entries and messages follow the states of their flows, a page of each. Until all have followed it is the flow's state that counts,
 * which everybody reads who goes on with one of them. Answers whether some did.
 */
export async function followFlowStates(db: Db, parts: MoveServices): Promise<boolean> {
  let moved = false
  for (const flow_id of await listUnsettledFlows(db, flowsMax)) {
    const isMoved = await retryWhenRemoved(() =>
      db.transaction((tx) => followPage(tx, flow_id, parts), { settings, assignTransactionId: true }),
    )
    moved ||= isMoved
  }
  return moved
}

async function followPage(tx: Tx, flow_id: number, parts: MoveServices): Promise<boolean> {
  const state = await lockUnsettledFlow(tx, flow_id)
  if (state === undefined) return false
  const moved = (await moveOpen(tx, flow_id, state, parts)) + (await moveWaiting(tx, flow_id, state, parts.clock.now()))
  // Some may only have been passed over because others are at them: they follow the next time.
  if (moved === 0 && !(await hasLeft(tx, flow_id, state))) await markFlowSettled(tx, flow_id)
  return moved > 0
}

/** The entries of a flow that goes on or is paused; those of one that was stopped end. */
async function moveOpen(tx: Tx, flow_id: number, state: FlowState, parts: MoveServices): Promise<number> {
  if (state === 'active' || state === 'paused') return updateHeld(tx, flow_id, state === 'paused', pageMax)
  const entries = await lockEntries(tx, await listOpenEntries(tx, flow_id, pageMax))
  await moveEntries(
    tx,
    entries.map((entry) => ({ entry, happening: { kind: 'stopped' } })),
    parts,
  )
  return entries.length
}

/** The messages; those of entries that end have ended with them, and one that was held in that moment ends when it is claimed. */
async function moveWaiting(tx: Tx, flow_id: number, state: FlowState, nowMs: number): Promise<number> {
  const [from, to] = leadingTo(state)
  const places = await listFlowMessages(tx, flow_id, from, pageMax)
  if (places.length === 0) return 0
  const moved = await changeMessageStates(tx, places, { from: [from], to, reason: null, nowMs })
  return moved.length
}

/** Whether an entry or a message has yet to follow. */
async function hasLeft(tx: Tx, flow_id: number, state: FlowState): Promise<boolean> {
  const runs = state === 'active' || state === 'paused'
  if (
    runs
      ? await hasEntriesToUpdate(tx, flow_id, state === 'paused')
      : (await listOpenEntries(tx, flow_id, 1)).length > 0
  )
    return true
  return (await listFlowMessages(tx, flow_id, leadingTo(state)[0], 1)).length > 0
}

function leadingTo(state: FlowState): readonly ['held', 'queued'] | readonly ['queued', 'held'] {
  return state === 'paused' ? ['queued', 'held'] : ['held', 'queued']
}
