import { evaluate } from '../../audience/conditions/evaluate.ts'
import { explain } from '../../audience/conditions/explain.ts'
import { needsOf } from '../../audience/conditions/facts.ts'
import { eachFacts } from '../../audience/conditions/load-facts-store.ts'
import { describeTree } from '../../audience/conditions/sentence.ts'
import type { Tx } from '../../base/db/db.ts'
import { parseJson } from '../../base/parse-json.ts'
import type { Person } from '../../people/identity/person.ts'
import { deleteSignals, listSignals, lockLane, type WaitingSignal } from '../../people/signals/queue-store.ts'
import type { Entry } from '../entries/entry.ts'
import { lockEntries } from '../entries/entry-store.ts'
import { conditionTrees } from '../flows/conditions.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow, Graph } from '../flows/flow.ts'
import { graphKey } from '../flows/graphs.ts'
import { matchesTrigger } from '../flows/match-trigger.ts'
import { segmentDeleted } from '../orders/explain-exclusion.ts'
import {
  type ActInWindows,
  findActWindows,
  lockActors,
  type PersonAct,
  recordConversions,
  recordRevenue,
} from './conversions.ts'
import { type EnteringPerson, enterPeople } from './enter-people.ts'
import type { EntryTriggers, SignalServices } from './entry-triggers.ts'
import type { Signal } from './happening.ts'
import { moveEntries } from './move-entries.ts'
import { mayMove, signalsReadBy } from './signal-filter.ts'
import { findCurrentPeople, listOpenEntriesOf, type OpenEntry } from './signal-store.ts'

/** Signals of one person that one transaction handles. Each may depend on the one before. */
const roundsMax = 20

/** A signal with the person who has it now. */
type Act = PersonAct & { readonly row: WaitingSignal }

/** What was read once for a page of signals. */
type Page = {
  readonly triggers: EntryTriggers
  readonly services: SignalServices
  /** The conversion windows in which an act lies. Acts in no window are missing. */
  readonly windows: ReadonlyMap<PersonAct, ActInWindows>
  /** Which signals the exit conditions of versions read, by `graphKey`. */
  readonly exits: Map<string, ReadonlySet<string>>
}

/** A page of signals of a lane, and how many of them are handled. */
export type SignalPage = { readonly lane: number; readonly signals: readonly WaitingSignal[]; readonly handled: number }

/**
 * Handles the oldest signals of a lane, up to `limit`, in the order in which they were accepted: entries move or exit, people enter,
 * conversions count. All of this is one transaction, with the deletion of the signals. `onRead` is called with the signals that were read.
 * Takes the first lane from `from` on that has signals and that no other worker has locked.
 */
export async function actOnPage(
  tx: Tx,
  order: { readonly from: number; readonly limit: number; onRead(page: SignalPage): void },
  triggers: EntryTriggers,
  services: SignalServices,
): Promise<SignalPage | undefined> {
  const { from, limit, onRead } = order
  const lane = await lockLane(tx, from)
  if (lane === undefined) return undefined
  const signals = await listSignals(tx, lane, limit)
  // After the signals are read, so that every flow that listened when they were written is known. Before `onRead`, because the signals are
  // not the cause when a flow cannot be read.
  await triggers.catchUp(tx, services)
  onRead({ lane, signals, handled: 0 })
  const { acts, deleted } = await findPeople(tx, signals, services.clock.now())
  const page: Page = { triggers, services, windows: await findActWindows(tx, acts), exits: new Map() }
  const { withoutRound, forRounds } = await splitActs(tx, acts, page)
  await lockActors(
    tx,
    forRounds.map(({ person }) => person),
  )
  const rounds = roundsOf(forRounds)
  for (const round of rounds) {
    await moveOpen(tx, round, page)
    await enterAll(tx, round, page)
  }
  const done = [...withoutRound, ...rounds.flat()]
  await recordRevenue(tx, windowsOf(withoutRound, page))
  await recordConversions(tx, windowsOf(done, page), (versions) => triggers.graphsOf(tx, versions, services))
  await deleteSignals(tx, [...deleted, ...done.map(({ row }) => row)])
  return { lane, signals, handled: deleted.length + done.length }
}

function windowsOf(acts: readonly Act[], { windows }: Page): ActInWindows[] {
  return acts.flatMap((act) => windows.get(act) ?? [])
}

/** Finds the person of each signal. Signals of deleted people are `deleted`. */
async function findPeople(
  tx: Tx,
  signals: readonly WaitingSignal[],
  nowMs: number,
): Promise<{ acts: Act[]; deleted: WaitingSignal[] }> {
  const people = await findCurrentPeople(tx, signals)
  const deleted = signals.filter(({ profile_id }) => !people.has(profile_id))
  const acts = signals.flatMap((row): Act[] => {
    const person = people.get(row.profile_id)
    if (!person) return []
    const { workspace_id, kind, name, amount } = row
    const properties = row.properties === null ? {} : (parseJson(row.properties) as Signal['properties'])
    // Stamps may be later than a virtual clock that does not move, and than the clocks of other processes.
    const atMs = Math.min(Math.floor(row.at_us / 1000), nowMs)
    const signal = { kind, name, timeMs: Math.floor(row.time_us / 1000), atMs, properties }
    const flow_id = kind === 'engagement' ? Number(properties.flow_id) : undefined
    return [{ row, person, workspace_id, signal, amount, flow_id }]
  })
  return { acts, deleted }
}

/**
 * Separates acts that may make people enter or move from the others, which need no round. A purchase of a person who may move needs one
 * too, because conditions may read the revenue.
 */
async function splitActs(tx: Tx, acts: readonly Act[], page: Page): Promise<{ withoutRound: Act[]; forRounds: Act[] }> {
  const entering = new Set(
    page.triggers
      .matching(acts)
      .values()
      .flatMap((some) => some.map(({ person }) => person.profile_id)),
  )
  const others = acts.filter(({ person }) => !entering.has(person.profile_id))
  const moving = await listEntriesToMove(tx, others, page)
  const movers = new Set(moving.keys().map(({ person }) => person.profile_id))
  const needsRound = (act: Act) => {
    const { profile_id } = act.person
    return entering.has(profile_id) || moving.has(act) || (act.amount !== null && movers.has(profile_id))
  }
  return { withoutRound: acts.filter((act) => !needsRound(act)), forRounds: acts.filter(needsRound) }
}

/** Returns the first act of each person, then the second of those who have one, and so on. */
function roundsOf(acts: readonly Act[]): Act[][] {
  const rounds: Act[][] = []
  for (const own of Map.groupBy(acts, ({ person }) => person.profile_id).values()) {
    for (const [i, act] of own.slice(0, roundsMax).entries()) {
      rounds[i] ??= []
      rounds[i].push(act)
    }
  }
  return rounds
}

/** Returns the open entries that each act may move. */
async function listEntriesToMove(tx: Tx, acts: readonly Act[], page: Page): Promise<Map<Act, OpenEntry[]>> {
  const people = new Map(acts.map(({ person }) => [person.profile_id, person]))
  const open = people.size > 0 ? await listOpenEntriesOf(tx, [...people.values()]) : []
  const graphs = await page.triggers.graphsOf(tx, open, page.services)
  await readExits(tx, open, graphs, page)
  const openByPerson = Map.groupBy(open, ({ profile_id }) => profile_id)
  const found = new Map<Act, OpenEntry[]>()
  for (const act of acts) {
    const toMove = (openByPerson.get(act.person.profile_id) ?? []).filter((entry) => {
      const key = graphKey(entry)
      const graph = graphs.get(key)
      return graph && mayMove(graph, page.exits.get(key), act.signal)
    })
    if (toMove.length > 0) found.set(act, toMove)
  }
  return found
}

/** Reads which signals the exit conditions of these versions read. */
async function readExits(
  tx: Tx,
  open: readonly OpenEntry[],
  graphs: ReadonlyMap<string, Graph>,
  { exits }: Page,
): Promise<void> {
  for (const entry of open) {
    const key = graphKey(entry)
    const condition = graphs.get(key)?.exit.condition
    if (!condition || exits.has(key)) continue
    const [tree] = await conditionTrees(tx, entry.workspace_id, [condition])
    exits.set(key, tree ? signalsReadBy(tree) : new Set())
  }
}

/**
 * Moves entries that people already have. Moves that were due before the signal come first. Conditions see the revenue of a purchase.
 */
async function moveOpen(tx: Tx, round: readonly Act[], page: Page): Promise<void> {
  const { services } = page
  const byPerson = new Map(round.map((act) => [act.person.profile_id, act]))
  const toMove = [...(await listEntriesToMove(tx, round, page)).values()].flat()
  const signalOf = ({ profile_id }: { profile_id: string }) => byPerson.get(profile_id)!.signal
  const locked = await lockEntries(tx, toMove)
  const overdue = locked.filter((entry) => isOverdue(entry, signalOf(entry)))
  await moveUntil(tx, overdue, signalOf, services)
  await recordRevenue(tx, windowsOf(round, page))
  const entries = overdue.length > 0 ? await lockEntries(tx, toMove) : locked
  await moveEntries(
    tx,
    entries.map((entry) => ({ entry, happening: { kind: 'signal', signal: signalOf(entry) } })),
    services,
  )
}

/** Whether an entry was due before the signal was accepted. */
function isOverdue({ dueMs, held }: Entry, { atMs }: Signal): boolean {
  return dueMs !== undefined && !held && dueMs < atMs!
}

/** Makes the moves that were due before a signal, with the clock at the time of the signal. */
async function moveUntil(
  tx: Tx,
  overdue: readonly Entry[],
  signalOf: (entry: Entry) => Signal,
  services: SignalServices,
): Promise<void> {
  for (const [atMs, entries] of Map.groupBy(overdue, (entry) => signalOf(entry).atMs!)) {
    const clock = { ...services.clock, now: () => atMs }
    await moveEntries(
      tx,
      entries.map((entry) => ({ entry, happening: { kind: 'due' } })),
      { ...services, clock },
    )
  }
}

/** Makes people enter the flows whose entry triggers match these signals. */
async function enterAll(tx: Tx, round: readonly Act[], { triggers, services }: Page): Promise<void> {
  const byFlow = triggers.matching(round)
  const flows = await flowsById(tx, byFlow.keys())
  const graphs = await triggers.graphsOf(tx, [...flows.values()], services)
  for (const [flow_id, acts] of byFlow) {
    const flow = flows.get(flow_id)
    if (!flow || (flow.state !== 'active' && flow.state !== 'paused')) continue
    const graph = graphs.get(graphKey(flow))
    if (!graph) continue
    const { by, on } = graph.entry
    const entering = acts.filter(({ signal }) => by.has('event') && on && matchesTrigger(on, signal, null))
    if (entering.length === 0) continue
    const nowMs = services.clock.now()
    const people = await checkSegment(tx, flow, graph, entering, nowMs)
    await enterPeople(tx, { flow, graph, dispatch_id: null, nowMs }, people, services)
  }
}

/** Checks which people are in the segment of the flow now. Others are refused. */
async function checkSegment(
  tx: Tx,
  { workspace_id }: Flow,
  { segment }: Graph,
  entering: readonly Act[],
  nowMs: number,
): Promise<EnteringPerson[]> {
  const enteringPerson = ({ person, signal }: Act): EnteringPerson => {
    return { person, event: signal.properties, happenedMs: signal.timeMs }
  }
  if (!segment) return entering.map(enteringPerson)
  const [tree] = await conditionTrees(tx, workspace_id, [segment])
  if (!tree) {
    const refused = { reason: 'not_in_segment', rule: segmentDeleted } as const
    return entering.map((act) => ({ ...enteringPerson(act), refused }))
  }
  const people: Person[] = entering.map(({ person }) => person)
  const rule = describeTree(tree)
  const as_of = new Date(nowMs).toISOString()
  const refusals = new Map<string, EnteringPerson['refused']>()
  for await (const facts of eachFacts(tx, workspace_id, people, needsOf(tree), nowMs)) {
    for (const one of facts) {
      const because = evaluate(tree, one, nowMs) ? undefined : explain(tree, one, nowMs)
      const refused = because && ({ reason: 'not_in_segment', rule, inputs: { as_of, because } } as const)
      refusals.set(one.person.profile_id, refused)
    }
  }
  return entering.flatMap((act) => {
    const { profile_id } = act.person
    return refusals.has(profile_id) ? [{ ...enteringPerson(act), refused: refusals.get(profile_id) }] : []
  })
}
