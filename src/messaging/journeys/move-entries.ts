import type { Tx } from '../../base/db/db.ts'
import { applyChanges } from '../../people/intake/apply-changes.ts'
import { type Entry, entryPerson } from '../entries/entry.ts'
import { updateEntries } from '../entries/entry-store.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow, FlowState, Graph } from '../flows/flow.ts'
import { lockFlows } from '../flows/flow-store.ts'
import { graphKey } from '../flows/graphs.ts'
import { advance, isPending } from './advance.ts'
import type { Effect, EntryEndReason, EntryMove, Happening } from './happening.ts'
import { type AudienceRefusal, ConditionReader, type PendingMove, timeZonesFor } from './read-conditions.ts'
import type { MoveServices } from './services.ts'
import { type MovedEntry, storedEntry, writeEffects } from './write-effects.ts'

/** Something that has happened to an entry. */
export type EntryHappening = { readonly entry: Entry; readonly happening: Happening }

/** Steps that an entry is taken through in one transaction; then others have their turn. */
export const stepsMax = 20

/** The entry, what is still to happen to it, and what came of it so far. */
type Moving = {
  entry: Entry
  readonly graph: Graph
  readonly state: FlowState
  readonly happenings: Happening[]
  readonly effects: Effect[]
  why: EntryEndReason | undefined
  steps: number
  isMoved: boolean
  isAhead: boolean
  begins: boolean
}

/**
 * Moves entries by what has happened to them, each until it rests, and writes down what comes of it. The entries are locked; one may be
 * there several times, then it is moved in that order.
 */
export async function moveEntries(tx: Tx, items: readonly EntryHappening[], parts: MoveServices): Promise<void> {
  if (items.length === 0) return
  const flows = await flowsById(
    tx,
    items.map(({ entry }) => entry.flow_id),
  )
  const moved = (await advanceEntries(tx, items, flows, parts)).filter(({ isMoved }) => isMoved)
  const nowMs = parts.clock.now()
  await updateEntries(
    tx,
    moved.map(({ entry, graph }) => storedEntry(entry, graph, nowMs)),
  )
  await writeEffects(tx, moved, parts)
}

/**
 * The same without writing where the entries stand and what is to be done for them; what steps write to profiles is written, because later
 * ones may ask for it.
 */
export async function advanceEntries(
  tx: Tx,
  items: readonly EntryHappening[],
  flows: ReadonlyMap<number, Flow>,
  parts: MoveServices,
): Promise<MovedEntry[]> {
  const movings = await gather(tx, items, flows, parts)
  const conditions = new ConditionReader(tx, parts.clock.now())
  for (let going = movings; going.length > 0; ) {
    const asked = going.flatMap((moving): (PendingMove & { moving: Moving })[] => {
      const happening = nextOf(moving, parts.clock.now())
      return happening ? [{ moving, happening, entry: moving.entry, graph: moving.graph }] : []
    })
    if (asked.length === 0) break
    await advanceRound(tx, asked, conditions, parts)
    going = asked.map(({ moving }) => moving)
  }
  return movings
}

async function gather(
  tx: Tx,
  items: readonly EntryHappening[],
  flows: ReadonlyMap<number, Flow>,
  { graphs }: MoveServices,
): Promise<Moving[]> {
  const states = await statesOf(tx, flows)
  const read = await graphs.getAll(
    tx,
    items.map(({ entry }) => entry),
  )
  const movings = new Map<string, Moving>()
  for (const { entry, happening } of items) {
    const before = movings.get(entry.entry_id)
    if (before) {
      before.happenings.push(happening)
      continue
    }
    const graph = read.get(graphKey(entry))!
    const state = states.get(entry.flow_id) ?? 'archived'
    const more = { effects: [], why: undefined, steps: 0, isMoved: false, isAhead: isPending(entry), begins: false }
    movings.set(entry.entry_id, { entry, graph, state, happenings: [happening], ...more })
  }
  return [...movings.values()]
}

/** A flow that is not active is held as it is until the end: what is held up because of it must not miss that it goes on. */
async function statesOf(tx: Tx, flows: ReadonlyMap<number, Flow>): Promise<Map<number, FlowState>> {
  const states = new Map([...flows.values()].map(({ flow_id, state }) => [flow_id, state]))
  const stopped = [...states].filter(([, state]) => state !== 'active').map(([flow_id]) => flow_id)
  if (stopped.length === 0) return states
  for (const [flow_id, state] of await lockFlows(tx, stopped)) states.set(flow_id, state ?? 'archived')
  return states
}

/** What happens to an entry next; undefined when it rests. While its flow is paused nothing is run, and when it was stopped all ends. */
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

/** Whether an entry that has moved goes on by itself, and does so before what happens next. */
function isDue({ entry, happenings, steps, isMoved }: Moving, nowMs: number): boolean {
  const { state, held, dueMs } = entry
  if (!isMoved || held || steps >= stepsMax || dueMs === undefined || dueMs > nowMs) return false
  if (state !== 'arriving' && state !== 'waiting' && state !== 'listening') return false
  const [next] = happenings
  return next?.kind !== 'signal' || next.signal.atMs === undefined || dueMs < next.signal.atMs
}

async function advanceRound(
  tx: Tx,
  asked: readonly (PendingMove & { moving: Moving })[],
  conditions: ConditionReader,
  parts: MoveServices,
): Promise<void> {
  const { clock, workspaces } = parts
  const nowMs = clock.now()
  const facts = await conditions.factsFor(asked)
  const zone = await timeZonesFor(tx, asked, (workspace_id) => workspaces.get(workspace_id).settings.time_zone)
  const played = asked.map(({ happening, entry, graph }, i) => {
    if (conditions.isCancelled({ entry, happening, graph })) return cancelled(entry)
    return advance(graph, entry, happening, facts[i]!, { nowMs, zone: zone(entry) })
  })
  const refused = await conditions.whyNot(asked.flatMap((each, i) => refusedAtStart(each, played[i]!)))
  const changes = asked.flatMap(({ moving, happening, entry, graph }, i) => {
    const moved = played[i]!
    applyMove(moving, happening, { ...moved, why: refused.get(entry.entry_id) ?? moved.why })
    return moved.effects.flatMap((effect) => {
      const step = effect.kind === 'update_user' ? graph.steps.get(effect.step) : undefined
      if (step?.type !== 'update_user') return []
      const { attributes } = step
      return [{ person: entryPerson(entry), workspace_id: entry.workspace_id, attributes, stampUs: clock.stamp() }]
    })
  })
  if (changes.length > 0) await applyChanges(tx, changes, parts)
}

/** Whoever was to begin and is not meant any more. */
function refusedAtStart(asked: PendingMove, { why }: EntryMove): (PendingMove & { reason: AudienceRefusal })[] {
  const reason = why?.reason
  return reason === 'not_in_segment' || reason === 'not_in_audience' ? [{ ...asked, reason }] : []
}

/** Nobody begins by an order that was cancelled. */
function cancelled({ step, visit, visits }: Entry): EntryMove {
  const position = { state: 'ended', ended: 'cancelled', step, visit, visits, dueMs: undefined } as const
  return { position, effects: [], why: { reason: 'cancelled', rule: 'the order was cancelled' } }
}

function applyMove(moving: Moving, happening: Happening, { position, effects, why }: EntryMove): void {
  if (happening.kind === 'due') moving.steps++
  if (position === moving.entry) return
  if (moving.isAhead && happening.kind === 'due' && !why) {
    moving.isAhead = false
    moving.begins = true
  }
  moving.entry = { ...moving.entry, ...position }
  moving.effects.push(...effects.filter(({ kind }) => kind !== 'update_user'))
  if (why) moving.why = why
  moving.isMoved = true
}
