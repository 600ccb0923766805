import type { Tx } from '../../base/db/db.ts'
import { applyChanges } from '../../people/intake/apply-changes.ts'
import { type Entry, entryPerson } from '../entries/entry.ts'
import { updateEntries } from '../entries/entry-store.ts'
import { firstHop, type Hop, hopBetween } from '../entries/trail.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow, FlowState, Graph } from '../flows/flow.ts'
import { lockFlows } from '../flows/flow-store.ts'
import { graphKey } from '../flows/graphs.ts'
import { advance, isPending } from './advance.ts'
import type { Effect, EntryEndReason, EntryMove, Happening } from './happening.ts'
import { type AudienceRefusal, ConditionReader, type PendingMove, timeZonesFor } from './read-conditions.ts'
import type { MoveServices } from './services.ts'
import { type MovedEntry, storedEntry, writeEffects } from './write-effects.ts'

/** A happening and the entry that it moves. */
export type EntryHappening = {
  readonly entry: Entry
  readonly happening: Happening
  /** The entry begins now, and has no row yet. */
  readonly isNew?: boolean
}

/** The most steps by which one transaction moves an entry, so that other entries are not delayed. */
export const stepsMax = 20

/** An entry, the happenings that are left, and the effects so far. */
type Moving = {
  entry: Entry
  readonly graph: Graph
  readonly state: FlowState
  readonly happenings: Happening[]
  readonly effects: Effect[]
  readonly hops: Hop[]
  why: EntryEndReason | undefined
  steps: number
  isMoved: boolean
  hasNotBegun: boolean
  begins: boolean
}

/**
 * Moves locked entries by their happenings, each until it rests, and writes them and their effects. An entry may be in the list several
 * times: its happenings are handled in that order.
 */
export async function moveEntries(tx: Tx, items: readonly EntryHappening[], services: MoveServices): Promise<void> {
  if (items.length === 0) return
  const flows = await flowsById(
    tx,
    items.map(({ entry }) => entry.flow_id),
  )
  const moved = (await advanceEntries(tx, items, flows, services)).filter(({ isMoved }) => isMoved)
  const nowMs = services.clock.now()
  await updateEntries(
    tx,
    moved.map((each) => storedEntry(each, nowMs)),
  )
  await writeEffects(tx, moved, services)
}

/**
 * Moves entries without writing them and their effects. What steps write to profiles is written at once, because later conditions may read
 * it.
 */
export async function advanceEntries(
  tx: Tx,
  items: readonly EntryHappening[],
  flows: ReadonlyMap<number, Flow>,
  services: MoveServices,
): Promise<MovedEntry[]> {
  const all = await prepare(tx, items, flows, services)
  const conditions = new ConditionReader(tx, services.clock.now())
  for (let open = all; open.length > 0; ) {
    const pending = open.flatMap((moving): (PendingMove & { moving: Moving })[] => {
      const happening = nextOf(moving, services.clock.now())
      return happening ? [{ moving, happening, entry: moving.entry, graph: moving.graph }] : []
    })
    if (pending.length === 0) break
    await advanceRound(tx, pending, conditions, services)
    open = pending.map(({ moving }) => moving)
  }
  return all
}

async function prepare(
  tx: Tx,
  items: readonly EntryHappening[],
  flows: ReadonlyMap<number, Flow>,
  { graphs, clock }: MoveServices,
): Promise<Moving[]> {
  const states = await statesOf(tx, flows)
  const read = await graphs.getAll(
    tx,
    items.map(({ entry }) => entry),
  )
  const all = new Map<string, Moving>()
  for (const { entry, happening, isNew } of items) {
    const before = all.get(entry.entry_id)
    if (before) {
      before.happenings.push(happening)
      continue
    }
    const graph = read.get(graphKey(entry))!
    const state = states.get(entry.flow_id) ?? 'archived'
    const hops = isNew ? [firstHop(entry, clock.now())] : []
    const more = { effects: [], why: undefined, steps: 0, isMoved: false, hasNotBegun: isPending(entry), begins: false }
    all.set(entry.entry_id, { entry, graph, state, happenings: [happening], hops, ...more })
  }
  return [...all.values()]
}

/** Returns the states of flows. Locks those that are not active, so that a flow is not resumed while its entries are held back here. */
async function statesOf(tx: Tx, flows: ReadonlyMap<number, Flow>): Promise<Map<number, FlowState>> {
  const states = new Map([...flows.values()].map(({ flow_id, state }) => [flow_id, state]))
  const inactive = [...states].filter(([, state]) => state !== 'active').map(([flow_id]) => flow_id)
  if (inactive.length === 0) return states
  for (const [flow_id, state] of await lockFlows(tx, inactive)) states.set(flow_id, state ?? 'archived')
  return states
}

/** Returns what happens to an entry next, or undefined when it rests. A paused flow runs no step; a stopped flow ends every entry. */
function nextOf(moving: Moving, nowMs: number): Happening | undefined {
  for (;;) {
    const happening = isDue(moving, nowMs) ? ({ kind: 'due' } as const) : moving.happenings.shift()
    if (happening?.kind !== 'due' || moving.state === 'active') return happening
    if (moving.state !== 'paused') return { kind: 'stopped' }
    if (!moving.entry.held) {
      moving.entry = { ...moving.entry, held: true }
      moving.isMoved = true
    }
  }
}

/** Whether a moved entry is due again before its next happening. */
function isDue({ entry, happenings, steps, isMoved }: Moving, nowMs: number): boolean {
  const { state, held, dueMs } = entry
  if (!isMoved || held || steps >= stepsMax || dueMs === undefined || dueMs > nowMs) return false
  if (state !== 'arriving' && state !== 'waiting' && state !== 'listening') return false
  const [next] = happenings
  return next?.kind !== 'signal' || next.signal.atMs === undefined || dueMs < next.signal.atMs
}

async function advanceRound(
  tx: Tx,
  pending: readonly (PendingMove & { moving: Moving })[],
  conditions: ConditionReader,
  services: MoveServices,
): Promise<void> {
  const { clock, workspaces } = services
  const nowMs = clock.now()
  const answers = await conditions.answersFor(pending)
  const zone = await timeZonesFor(tx, pending, (workspace_id) => workspaces.get(workspace_id).settings.time_zone)
  const moves = pending.map(({ happening, entry, graph }, i) => {
    if (conditions.isCancelled({ entry, happening, graph })) return cancelled(entry)
    return advance(graph, entry, happening, answers[i]!, { nowMs, zone: zone(entry) })
  })
  const refused = await conditions.explainRefusals(pending.flatMap((each, i) => refusedAtStart(each, moves[i]!)))
  const changes = pending.flatMap(({ moving, happening, entry, graph }, i) => {
    const moved = moves[i]!
    applyMove(moving, happening, { ...moved, why: refused.get(entry.entry_id) ?? moved.why }, nowMs)
    return moved.effects.flatMap((effect) => {
      const step = effect.kind === 'update_user' ? graph.steps.get(effect.step) : undefined
      if (step?.type !== 'update_user') return []
      const { attributes } = step
      return [{ person: entryPerson(entry), workspace_id: entry.workspace_id, attributes, stampUs: clock.stamp() }]
    })
  })
  if (changes.length > 0) await applyChanges(tx, changes, services)
}

/** Returns the pending move if it ended the entry because the person is no longer in the segment or the audience. */
function refusedAtStart(pending: PendingMove, { why }: EntryMove): (PendingMove & { reason: AudienceRefusal })[] {
  const reason = why?.reason
  return reason === 'not_in_segment' || reason === 'not_in_audience' ? [{ ...pending, reason }] : []
}

/** Ends a pending entry of an order that was cancelled. */
function cancelled({ step, visit, visits }: Entry): EntryMove {
  const position = { state: 'ended', ended: 'cancelled', step, visit, visits, dueMs: undefined } as const
  return { position, effects: [], why: { reason: 'cancelled', rule: 'the order was cancelled' } }
}

function applyMove(
  moving: Moving,
  happening: Happening,
  { position, path, effects, why }: EntryMove,
  nowMs: number,
): void {
  if (happening.kind === 'due') moving.steps++
  if (position === moving.entry) return
  if (moving.hasNotBegun && happening.kind === 'due' && !why) {
    moving.hasNotBegun = false
    moving.begins = true
    moving.hops.push(firstHop(moving.entry, nowMs))
  }
  const hop = moving.hasNotBegun ? undefined : hopBetween(moving.entry, position, path, nowMs)
  if (hop) moving.hops.push(hop)
  moving.entry = { ...moving.entry, ...position }
  moving.effects.push(...effects.filter(({ kind }) => kind !== 'update_user'))
  if (why) moving.why = why
  moving.isMoved = true
}
