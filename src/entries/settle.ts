import type { Db, Tx } from '../base/db/db.ts'
import { givingWay } from '../base/db/give-way.ts'
import { moveMessages } from '../dispatch/message-store.ts'
import type { FlowState } from '../flows/flow.ts'
import { untilNobodyDeparts } from '../profiles/departed.ts'
import { moveEntries } from './move.ts'
import type { MoveParts } from './parts.ts'
import {
  listFlowMessages,
  listOpenOf,
  listUnsettledFlows,
  lockUnsettledFlow,
  moveHeld,
  updateFlowSettled,
} from './settle-store.ts'
import { lockEntries } from './store.ts'

/** Entries and messages that follow their flow in one transaction. */
const pageMax = 1_000
/** Flows looked at in one turn. */
const flowsMax = 100

/**
 * Lets entries and messages follow the states of their flows, a page of each. Until all have followed it is the flow's state that counts,
 * which everybody reads who goes on with one of them. Answers whether some did.
 */
export async function settleFlows(db: Db, parts: MoveParts): Promise<boolean> {
  let moved = false
  for (const flow_id of await listUnsettledFlows(db, flowsMax)) {
    const isMoved = await untilNobodyDeparts(() =>
      db.transaction((tx) => settlePage(tx, flow_id, parts), { settings: givingWay, numbered: true }),
    )
    moved ||= isMoved
  }
  return moved
}

async function settlePage(tx: Tx, flow_id: number, parts: MoveParts): Promise<boolean> {
  const state = await lockUnsettledFlow(tx, flow_id)
  if (state === undefined) return false
  const moved = (await moveOpen(tx, flow_id, state, parts)) + (await moveWaiting(tx, flow_id, state, parts.clock.now()))
  if (moved === 0) await updateFlowSettled(tx, flow_id)
  return moved > 0
}

/** The entries of a flow that goes on or is paused; those of one that was stopped end. */
async function moveOpen(tx: Tx, flow_id: number, state: FlowState, parts: MoveParts): Promise<number> {
  if (state === 'active' || state === 'paused') return moveHeld(tx, flow_id, state === 'paused', pageMax)
  const entries = await lockEntries(tx, await listOpenOf(tx, flow_id, pageMax))
  await moveEntries(
    tx,
    entries.map((entry) => ({ entry, happening: { kind: 'stopped' } })),
    parts,
  )
  return entries.length
}

/** The messages; those of entries that end have ended with them. */
async function moveWaiting(tx: Tx, flow_id: number, state: FlowState, nowMs: number): Promise<number> {
  if (state !== 'active' && state !== 'paused') return 0
  const [from, to] = state === 'active' ? (['held', 'queued'] as const) : (['queued', 'held'] as const)
  const places = await listFlowMessages(tx, flow_id, from, pageMax)
  if (places.length === 0) return 0
  const moved = await moveMessages(tx, places, { from: [from], to, reason: null, nowMs })
  return moved.length
}
