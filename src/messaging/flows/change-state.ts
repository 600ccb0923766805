import type { Call } from '../../base/call.ts'
import { waitBrieflyForOlderTransactions } from '../../base/db/wait-for-older-transactions.ts'
import { conflict } from '../../base/errors.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { hasSchedule } from './config-section.ts'
import { unknownFlow } from './find-flows.ts'
import type { FlowKind, FlowState } from './flow.ts'
import { lockFlow, type StoredFlow, updateFlowState } from './flow-store.ts'
import { updateWatched } from './watched-names.ts'

export type FlowAction = 'pause' | 'resume' | 'stop'

type Rule = { readonly to: FlowState; readonly from: readonly FlowState[]; readonly refusal: string }

const changes: Readonly<Record<FlowAction, Rule>> = {
  pause: { to: 'paused', from: ['active'], refusal: 'it cannot be paused' },
  resume: { to: 'active', from: ['paused'], refusal: "it cannot be resumed; set its 'state' to active instead" },
  stop: { to: 'archived', from: ['draft', 'active', 'paused'], refusal: 'it cannot be stopped' },
}

/**
 * Pauses, resumes or stops a canvas or a campaign. Once this returns, no further message of a paused or stopped flow is handed over. Its
 * entries follow page by page. Does nothing when the flow has the state already. Throws 404 for an unknown flow, 409 when its state does
 * not allow the change.
 */
export async function changeFlowState(
  call: Call,
  workspace_id: number,
  kind: FlowKind,
  id: string,
  change: FlowAction,
): Promise<StoredFlow> {
  const { db, clock } = call
  const { to, from, refusal } = changes[change]
  const changed = await db.transaction(async (tx) => {
    await lockConfig(tx)
    const flow = await lockFlow(tx, workspace_id, kind, id)
    if (!flow) throw unknownFlow(kind, id)
    if (flow.state === to) return flow
    if (!from.includes(flow.state)) throw conflict(`The ${kind} is ${flow.state}: ${refusal}`)
    const nowMs = clock.now()
    await updateFlowState(tx, flow.flow_id, to, to === 'active' && hasSchedule(flow.definition), nowMs)
    await updateWatched(tx, workspace_id, nowMs)
    const target = { kind, id, name: flow.name }
    const states = { before: { state: flow.state }, after: { state: to } }
    await recordAudit(tx, call, { action: `${kind}.${change}`, target, ...states, workspace_id })
    return { ...flow, state: to }
  })
  // A hand-over that has not seen the new state has registered before.
  if (to !== 'active') await waitBrieflyForOlderTransactions(db, ['hand_over'])
  return changed
}
