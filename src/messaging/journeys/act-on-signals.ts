import { evaluate } from '../../audience/conditions/evaluate.ts'
import { explain } from '../../audience/conditions/explain.ts'
import { needsOf } from '../../audience/conditions/facts.ts'
import { loadFacts } from '../../audience/conditions/facts-store.ts'
import { describeTree } from '../../audience/conditions/sentence.ts'
import type { Tx } from '../../base/db/db.ts'
import type { Person } from '../../people/identity/person.ts'
import { deleteSignals, listSignals, lockLane, type WaitingSignal } from '../../people/signals/queue-store.ts'
import type { Entry } from '../entries/entry.ts'
import { lockEntries } from '../entries/entry-store.ts'
import { conditionTrees } from '../flows/conditions.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow, Graph } from '../flows/flow.ts'
import { graphKey } from '../flows/graphs.ts'
import { matchesTrigger } from '../flows/match-trigger.ts'
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
import { findOwners, listOpenEntriesOf, type OpenEntry } from './signal-store.ts'

/** Signals of one person that one transaction acts upon: each may follow from the one before. */
const roundsMax = 20

/** A signal with whose it is now. */
type Act = PersonAct & { readonly row: WaitingSignal }

/** What acting upon a page goes by: whatever was asked once. */
type Page = {
  readonly doors: EntryTriggers
  readonly parts: SignalServices
  /** What happened, in the windows of the flows in which it may be a conversion. */
  readonly placed: ReadonlyMap<PersonAct, ActInWindows>
  /** What the exit conditions of versions read, by `graphKey`. */
  readonly exits: Map<string, ReadonlySet<string>>
}

/** A page of signals of a lane, and how many of them are done with. */
export type SignalPage = { readonly lane: number; readonly signals: readonly WaitingSignal[]; readonly heeded: number }

/**
 * Acts upon the oldest signals of a lane that nobody else is at, up to `limit`, in the order in which they were accepted: entries move,
 * exits happen, people enter, conversions are counted. All of it and the end of the signals is one transaction; `began` is told what was
 * taken. Of several lanes it is the first one from `from` on.
 */
export async function actOnPage(
  tx: Tx,
  order: { readonly from: number; readonly limit: number; began(page: SignalPage): void },
  doors: EntryTriggers,
  parts: SignalServices,
): Promise<SignalPage | undefined> {
  const { from, limit, began } = order
  const lane = await lockLane(tx, from)
  if (lane === undefined) return undefined
  const signals = await listSignals(tx, lane, limit)
  // After them: whatever was listened to when they were written is known. Before they are told: what is wrong with a flow is not
  // their fault.
  await doors.catchUp(tx, parts)
  began({ lane, signals, heeded: 0 })
  const { acts, gone } = await ownersOf(tx, signals, parts.clock.now())
  const page: Page = { doors, parts, placed: await findActWindows(tx, acts), exits: new Map() }
  const { idle, lively } = await splitActs(tx, acts, page)
  await lockActors(
    tx,
    lively.map(({ person }) => person),
  )
  const rounds = roundsOf(lively)
  for (const round of rounds) {
    await moveOpen(tx, round, page)
    await enterAll(tx, round, page)
  }
  const done = [...idle, ...rounds.flat()]
  await recordRevenue(tx, placedOf(idle, page))
  await recordConversions(tx, placedOf(done, page), (versions) => doors.graphsOf(tx, versions, parts))
  await deleteSignals(tx, [...gone, ...done.map(({ row }) => row)])
  return { lane, signals, heeded: gone.length + done.length }
}

function placedOf(acts: readonly Act[], { placed }: Page): ActInWindows[] {
  return acts.flatMap((act) => placed.get(act) ?? [])
}

/** Whose each signal is by now; nobody is left of those that are gone. */
async function ownersOf(
  tx: Tx,
  signals: readonly WaitingSignal[],
  nowMs: number,
): Promise<{ acts: Act[]; gone: WaitingSignal[] }> {
  const owners = await findOwners(tx, signals)
  const gone = signals.filter(({ profile_id }) => !owners.has(profile_id))
  const acts = signals.flatMap((row): Act[] => {
    const person = owners.get(row.profile_id)
    if (!person) return []
    const { workspace_id, kind, name, amount } = row
    const properties = row.properties === null ? {} : (JSON.parse(row.properties) as Signal['properties'])
    // Stamps run ahead of a clock that stands, and of those of other processes.
    const atMs = Math.min(Math.floor(row.at_us / 1000), nowMs)
    const signal = { kind, name, timeMs: Math.floor(row.time_us / 1000), atMs, properties }
    const flow_id = kind === 'engagement' ? Number(properties.flow_id) : undefined
    return [{ row, person, workspace_id, signal, amount, flow_id }]
  })
  return { acts, gone }
}

/**
 * Those that may make somebody enter or move, and the others, which take no round: nothing that could follow from them. What somebody buys
 * keeps its place before what may ask for the revenue.
 */
async function splitActs(tx: Tx, acts: readonly Act[], page: Page): Promise<{ idle: Act[]; lively: Act[] }> {
  const entering = new Set(
    page.doors
      .matching(acts)
      .values()
      .flatMap((some) => some.map(({ person }) => person.profile_id)),
  )
  const others = acts.filter(({ person }) => !entering.has(person.profile_id))
  const moving = await listEntriesToMove(tx, others, page)
  const movers = new Set(moving.keys().map(({ person }) => person.profile_id))
  const isLively = (act: Act) => {
    const { profile_id } = act.person
    return entering.has(profile_id) || moving.has(act) || (act.amount !== null && movers.has(profile_id))
  }
  return { idle: acts.filter((act) => !isLively(act)), lively: acts.filter(isLively) }
}

/** The first signal of everybody, then the second of those who have one, and so on. */
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

/** The open entries that each of these may move. */
async function listEntriesToMove(tx: Tx, acts: readonly Act[], page: Page): Promise<Map<Act, OpenEntry[]>> {
  const people = new Map(acts.map(({ person }) => [person.profile_id, person]))
  const open = people.size > 0 ? await listOpenEntriesOf(tx, [...people.values()]) : []
  const known = await page.doors.graphsOf(tx, open, page.parts)
  await learnExits(tx, open, known, page)
  const places = Map.groupBy(open, ({ profile_id }) => profile_id)
  const found = new Map<Act, OpenEntry[]>()
  for (const act of acts) {
    const concerned = (places.get(act.person.profile_id) ?? []).filter((place) => {
      const key = graphKey(place)
      const graph = known.get(key)
      return graph && mayMove(graph, page.exits.get(key), act.signal)
    })
    if (concerned.length > 0) found.set(act, concerned)
  }
  return found
}

/** What the exit conditions of these versions read; each is asked once. */
async function learnExits(
  tx: Tx,
  open: readonly OpenEntry[],
  graphs: ReadonlyMap<string, Graph>,
  { exits }: Page,
): Promise<void> {
  for (const place of open) {
    const key = graphKey(place)
    const condition = graphs.get(key)?.exit.condition
    if (!condition || exits.has(key)) continue
    const [tree] = await conditionTrees(tx, place.workspace_id, [condition])
    exits.set(key, tree ? signalsReadBy(tree) : new Set())
  }
}

/**
 * Moves the entries that people have already. What was due before something happened is done before it, and conditions know the revenue
 * that it brought.
 */
async function moveOpen(tx: Tx, round: readonly Act[], page: Page): Promise<void> {
  const { parts } = page
  const byPerson = new Map(round.map((act) => [act.person.profile_id, act]))
  const concerned = [...(await listEntriesToMove(tx, round, page)).values()].flat()
  const signalOf = ({ profile_id }: { profile_id: string }) => byPerson.get(profile_id)!.signal
  const locked = await lockEntries(tx, concerned)
  const behind = locked.filter((entry) => isBehind(entry, signalOf(entry)))
  await moveUntil(tx, behind, signalOf, parts)
  await recordRevenue(tx, placedOf(round, page))
  const entries = behind.length > 0 ? await lockEntries(tx, concerned) : locked
  await moveEntries(
    tx,
    entries.map((entry) => ({ entry, happening: { kind: 'signal', signal: signalOf(entry) } })),
    parts,
  )
}

/** Whether something of an entry was due before a signal was accepted. */
function isBehind({ dueMs, held }: Entry, { atMs }: Signal): boolean {
  return dueMs !== undefined && !held && dueMs < atMs!
}

/** Does what was due before something happened, as of the moment at which it did, so that it comes where it belongs. */
async function moveUntil(
  tx: Tx,
  behind: readonly Entry[],
  signalOf: (entry: Entry) => Signal,
  parts: SignalServices,
): Promise<void> {
  for (const [atMs, entries] of Map.groupBy(behind, (entry) => signalOf(entry).atMs!)) {
    const clock = { ...parts.clock, now: () => atMs }
    await moveEntries(
      tx,
      entries.map((entry) => ({ entry, happening: { kind: 'due' } })),
      { ...parts, clock },
    )
  }
}

/** Lets people enter the flows that begin with what happened. */
async function enterAll(tx: Tx, round: readonly Act[], { doors, parts }: Page): Promise<void> {
  const opened = doors.matching(round)
  const flows = await flowsById(tx, opened.keys())
  const known = await doors.graphsOf(tx, [...flows.values()], parts)
  for (const [flow_id, acts] of opened) {
    const flow = flows.get(flow_id)
    if (!flow || (flow.state !== 'active' && flow.state !== 'paused')) continue
    const graph = known.get(graphKey(flow))
    if (!graph) continue
    const { by, on } = graph.entry
    const coming = acts.filter(({ signal }) => by.has('event') && on && matchesTrigger(on, signal, null))
    if (coming.length === 0) continue
    const nowMs = parts.clock.now()
    const arrivings = await judgeSegment(tx, flow, graph, coming, nowMs)
    await enterPeople(tx, { flow, graph, dispatch_id: null, nowMs }, arrivings, parts)
  }
}

/** Those who come, as the segment of the flow is now: who is not in it does not enter, and why. */
async function judgeSegment(
  tx: Tx,
  { workspace_id }: Flow,
  { segment }: Graph,
  coming: readonly Act[],
  nowMs: number,
): Promise<EnteringPerson[]> {
  const arriving = ({ person, signal }: Act): EnteringPerson => {
    return { person, event: signal.properties, happenedMs: signal.timeMs }
  }
  if (!segment) return coming.map(arriving)
  const [tree] = await conditionTrees(tx, workspace_id, [segment])
  if (!tree) {
    const refused = { reason: 'not_in_segment', rule: 'The segment was deleted' } as const
    return coming.map((act) => ({ ...arriving(act), refused }))
  }
  const people: Person[] = coming.map(({ person }) => person)
  const facts = await loadFacts(tx, workspace_id, people, needsOf(tree), nowMs)
  const byId = new Map(facts.map((one) => [one.person.profile_id, one]))
  const rule = describeTree(tree)
  const as_of = new Date(nowMs).toISOString()
  return coming.flatMap((act) => {
    const one = byId.get(act.person.profile_id)
    if (!one) return []
    if (evaluate(tree, one, nowMs)) return [arriving(act)]
    const inputs = { as_of, because: explain(tree, one, nowMs) }
    return [{ ...arriving(act), refused: { reason: 'not_in_segment', rule, inputs } as const }]
  })
}
