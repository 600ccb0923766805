import { explain } from '../audience/explain.ts'
import { needsOf } from '../audience/facts.ts'
import { loadFacts } from '../audience/facts-store.ts'
import { holds } from '../audience/holds.ts'
import { wordsOf } from '../audience/words.ts'
import type { Tx } from '../base/db/db.ts'
import { treesOf } from '../flows/conditions.ts'
import { flowsById } from '../flows/find.ts'
import type { Flow, Graph } from '../flows/flow.ts'
import { graphKey } from '../flows/graphs.ts'
import { happens } from '../flows/trigger.ts'
import type { Person } from '../profiles/ref.ts'
import { findWatchedVersion } from '../profiles/signal-store.ts'
import { concerns, keyOf, readBy } from './concern.ts'
import { type Done, hold, noteConversions } from './conversions.ts'
import { type Arriving, enterPeople } from './enter.ts'
import type { Entry, Signal } from './entry.ts'
import { moveEntries } from './move.ts'
import type { MoveParts } from './parts.ts'
import {
  deleteSignals,
  findOwners,
  type ListeningFlow,
  listListeningFlows,
  listOpenPlaces,
  listSignals,
  lockLane,
  type OpenPlace,
  type WaitingSignal,
} from './signal-store.ts'
import { lockEntries } from './store.ts'

/** Signals of one person that one transaction acts upon: each may follow from the one before. */
const roundsMax = 20

/** A signal with whose it is now. */
type Act = Done & { readonly row: WaitingSignal }

/** Which flows may be entered by what, as of a version of `watched`: kept from one page to the next. */
export class Doors {
  #version: number | undefined
  #flows = new Map<string, ListeningFlow[]>()

  /** Reads them again when `watched` has moved. */
  async catchUp(tx: Tx, { graphs }: MoveParts): Promise<void> {
    const version = await findWatchedVersion(tx)
    if (version === this.#version) return
    const flows = await listListeningFlows(tx)
    const known = await graphs.many(tx, flows)
    const doors = new Map<string, ListeningFlow[]>()
    for (const flow of flows) {
      const { on, by } = known.get(graphKey(flow))!.entry
      if (!on || !by.has('event')) continue
      doors.getOrInsertComputed(doorOf(flow.workspace_id, on.kind, on.name ?? ''), () => []).push(flow)
    }
    this.#flows = doors
    this.#version = version
  }

  /** The flows that may be entered when these happen; whether they are is asked of each as it is now. */
  openedBy(acts: readonly Act[]): Map<number, Act[]> {
    const opened = new Map<number, Act[]>()
    for (const act of acts) {
      const { kind, name } = act.signal
      for (const key of [doorOf(act.workspace_id, kind, name), doorOf(act.workspace_id, kind, '')]) {
        for (const { flow_id } of this.#flows.get(key) ?? []) opened.getOrInsertComputed(flow_id, () => []).push(act)
      }
    }
    return opened
  }
}

function doorOf(workspace_id: number, kind: Signal['kind'], name: string): string {
  return `${workspace_id} ${keyOf(kind, name)}`
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
  doors: Doors,
  parts: MoveParts,
): Promise<SignalPage | undefined> {
  const { from, limit, began } = order
  // First: what is wrong with a flow is no signal's fault.
  await doors.catchUp(tx, parts)
  const lane = await lockLane(tx, from)
  if (lane === undefined) return undefined
  const signals = await listSignals(tx, lane, limit)
  began({ lane, signals, heeded: 0 })
  const { acts, gone } = await ownersOf(tx, signals, parts.clock.now())
  const { idle, lively } = await partActs(tx, acts, doors, parts)
  await hold(
    tx,
    lively.map(({ person }) => person),
  )
  const rounds = roundsOf(lively)
  for (const round of rounds) {
    await moveOpen(tx, round, parts)
    await enterAll(tx, round, doors, parts)
  }
  const done = [...idle, ...rounds.flat()]
  await noteConversions(tx, done, parts.graphs)
  await deleteSignals(tx, [...gone, ...done.map(({ row }) => row)])
  return { lane, signals, heeded: gone.length + done.length }
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

/** Those that may make somebody enter or move, and the others, which take no round: nothing that could follow from them. */
async function partActs(
  tx: Tx,
  acts: readonly Act[],
  doors: Doors,
  parts: MoveParts,
): Promise<{ idle: Act[]; lively: Act[] }> {
  const entering = new Set(
    doors
      .openedBy(acts)
      .values()
      .flatMap((some) => some.map(({ person }) => person.profile_id)),
  )
  const others = acts.filter(({ person }) => !entering.has(person.profile_id))
  const moving = new Set((await listConcerned(tx, others, parts)).keys())
  const isLively = (act: Act) => entering.has(act.person.profile_id) || moving.has(act)
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
async function listConcerned(tx: Tx, acts: readonly Act[], { graphs }: MoveParts): Promise<Map<Act, OpenPlace[]>> {
  const people = new Map(acts.map(({ person }) => [person.profile_id, person]))
  const open = people.size > 0 ? await listOpenPlaces(tx, [...people.values()]) : []
  const known = await graphs.many(tx, open)
  const reads = await exitsOf(tx, open, known)
  const places = Map.groupBy(open, ({ profile_id }) => profile_id)
  const found = new Map<Act, OpenPlace[]>()
  for (const act of acts) {
    const concerned = (places.get(act.person.profile_id) ?? []).filter((place) => {
      const key = graphKey(place)
      return concerns(known.get(key)!, reads.get(key), act.signal)
    })
    if (concerned.length > 0) found.set(act, concerned)
  }
  return found
}

/** Moves the entries that people have already. What was due before something happened is done before it. */
async function moveOpen(tx: Tx, round: readonly Act[], parts: MoveParts): Promise<void> {
  const byPerson = new Map(round.map((act) => [act.person.profile_id, act]))
  const concerned = [...(await listConcerned(tx, round, parts)).values()].flat()
  const signalOf = ({ profile_id }: { profile_id: string }) => byPerson.get(profile_id)!.signal
  const locked = await lockEntries(tx, concerned)
  const behind = locked.filter((entry) => isBehind(entry, signalOf(entry)))
  await moveUntil(tx, behind, signalOf, parts)
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
  parts: MoveParts,
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

/** What the exit conditions of these versions read, by `graphKey`. */
async function exitsOf(
  tx: Tx,
  open: readonly OpenPlace[],
  graphs: ReadonlyMap<string, Graph>,
): Promise<Map<string, ReadonlySet<string>>> {
  const reads = new Map<string, ReadonlySet<string>>()
  for (const place of open) {
    const key = graphKey(place)
    const { condition } = graphs.get(key)!.exit
    if (!condition || reads.has(key)) continue
    const [tree] = await treesOf(tx, place.workspace_id, [condition])
    reads.set(key, tree ? readBy(tree) : new Set())
  }
  return reads
}

/** Lets people enter the flows that begin with what happened. */
async function enterAll(tx: Tx, round: readonly Act[], doors: Doors, parts: MoveParts): Promise<void> {
  const opened = doors.openedBy(round)
  const flows = await flowsById(tx, opened.keys())
  for (const [flow_id, acts] of opened) {
    const flow = flows.get(flow_id)
    if (!flow || (flow.state !== 'active' && flow.state !== 'paused')) continue
    const graph = await parts.graphs.graphOf(tx, flow_id, flow.version)
    const { by, on } = graph.entry
    const coming = acts.filter(({ signal }) => by.has('event') && on && happens(on, signal, null))
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
): Promise<Arriving[]> {
  const arriving = ({ person, signal }: Act): Arriving => {
    return { person, event: signal.properties, happenedMs: signal.timeMs }
  }
  if (!segment) return coming.map(arriving)
  const [tree] = await treesOf(tx, workspace_id, [segment])
  if (!tree) {
    const refused = { reason: 'not_in_segment', rule: 'The segment was deleted' } as const
    return coming.map((act) => ({ ...arriving(act), refused }))
  }
  const people: Person[] = coming.map(({ person }) => person)
  const facts = await loadFacts(tx, workspace_id, people, needsOf(tree), nowMs)
  const byId = new Map(facts.map((one) => [one.person.profile_id, one]))
  const rule = wordsOf(tree)
  const as_of = new Date(nowMs).toISOString()
  return coming.flatMap((act) => {
    const one = byId.get(act.person.profile_id)
    if (!one) return []
    if (holds(tree, one, nowMs)) return [arriving(act)]
    const inputs = { as_of, because: explain(tree, one, nowMs) }
    return [{ ...arriving(act), refused: { reason: 'not_in_segment', rule, inputs } as const }]
  })
}
