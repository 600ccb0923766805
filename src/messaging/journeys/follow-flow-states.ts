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
/** Flows that one turn handles. */
const flowsMax = 100
const settings = [...shortLockTimeout, ...indexScansOnly]

/**
 * Changes entries and messages after a change of the state of their flow, one page for each flow. Until all are changed, every worker reads
 * the state of the flow itself. Returns whether some were changed.
 */
export async function followFlowStates(db: Db, services: MoveServices): Promise<boolean> {
  let moved = false
  for (const flow_id of await listUnsettledFlows(db, flowsMax)) {
    const isMoved = await retryWhenRemoved(() =>
      db.transaction((tx) => followPage(tx, flow_id, services), { settings }),
    )
    moved ||= isMoved
  }
  return moved
}

async function followPage(tx: Tx, flow_id: number, services: MoveServices): Promise<boolean> {
  const state = await lockUnsettledFlow(tx, flow_id)
  if (state === undefined) return false
  const moved =
    (await followEntries(tx, flow_id, state, services)) +
    (await followMessages(tx, flow_id, state, services.clock.now()))
  // Others may have been skipped because they were locked: the next turn changes them.
  if (moved === 0 && !(await hasMoreToFollow(tx, flow_id, state))) await markFlowSettled(tx, flow_id)
  return moved > 0
}

/** Holds back or releases the entries of a paused or active flow. Ends those of a stopped one. */
async function followEntries(tx: Tx, flow_id: number, state: FlowState, services: MoveServices): Promise<number> {
  if (state === 'active' || state === 'paused') return updateHeld(tx, flow_id, state === 'paused', pageMax)
  const entries = await lockEntries(tx, await listOpenEntries(tx, flow_id, pageMax))
  await moveEntries(
    tx,
    entries.map((entry) => ({ entry, happening: { kind: 'stopped' } })),
    services,
  )
  return entries.length
}

/**
 * Holds back or releases messages. The messages of a stopped flow have ended with their entries. One that was being held back at the same
 * time is queued again, and ends when it is claimed.
 */
async function followMessages(tx: Tx, flow_id: number, state: FlowState, nowMs: number): Promise<number> {
  const [from, to] = messageStatesFor(state)
  const messages = await listFlowMessages(tx, flow_id, from, pageMax)
  if (messages.length === 0) return 0
  const moved = await changeMessageStates(tx, messages, { from: [from], to, reason: null, nowMs })
  return moved.length
}

/** Returns whether an entry or a message must still be changed. */
async function hasMoreToFollow(tx: Tx, flow_id: number, state: FlowState): Promise<boolean> {
  const runs = state === 'active' || state === 'paused'
  if (
    runs
      ? await hasEntriesToUpdate(tx, flow_id, state === 'paused')
      : (await listOpenEntries(tx, flow_id, 1)).length > 0
  )
    return true
  return (await listFlowMessages(tx, flow_id, messageStatesFor(state)[0], 1)).length > 0
}

function messageStatesFor(state: FlowState): readonly ['held', 'queued'] | readonly ['queued', 'held'] {
  return state === 'paused' ? ['queued', 'held'] : ['held', 'queued']
}
