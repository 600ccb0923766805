import type { Tx } from '../../base/db/db.ts'
import { newUuid } from '../../base/ids.ts'
import type { Person } from '../../people/identity/person.ts'
import { PersonRemoved } from '../../people/identity/retry-removed.ts'
import { lockKept } from '../../people/profile/kept-people-store.ts'
import { type EnteredFlow, receivedKey } from '../../people/received/received.ts'
import { lockReceived, recordEntered, recordRefused } from '../../people/received/received-store.ts'
import { type Entry, type EntryEnd, entryPerson } from '../entries/entry.ts'
import { insertEntries, listPeopleWithEntry, type StoredEntry } from '../entries/entry-store.ts'
import { updateLastEntry } from '../flows/activity-store.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow, Graph } from '../flows/flow.ts'
import type { DecisionReason } from '../ledger/reasons.ts'
import { type Decision, recordDecisions } from '../ledger/record-decisions.ts'
import { endedPosition, firstPosition, isPending } from './advance.ts'
import { assignedVariant, isInControlGroup } from './assignment.ts'
import { advanceEntries } from './move-entries.ts'
import { listPendingEntries, type PendingEntries } from './pending-entry-store.ts'
import { type EarlierEntries, earlierEntries, isNewRefusal, judgeReentry, reentryInputs } from './reentry.ts'
import type { MoveServices } from './services.ts'
import { decisionOf, type MovedEntry, storedEntry, writeEffects } from './write-effects.ts'

type Properties = Readonly<Record<string, unknown>>

/** Where people come to, and what brings them: an order, or something that happened to each. */
export type Arrival = {
  readonly flow: Flow
  /** Of the flow's current version. */
  readonly graph: Graph
  readonly dispatch_id: string | null
  readonly nowMs: number
  /** Of everybody. */
  readonly properties?: Properties | undefined
}

/** Somebody who is to enter. */
export type EnteringPerson = {
  readonly person: Person
  /** Those of this person; they go before those of everybody. */
  readonly properties?: Properties | undefined
  /** The person does not enter, and why. */
  readonly refused?: DecisionReason | undefined
  /** When the entry begins where that is later, epoch milliseconds, and how that time was found (`expansion/optimal.ts`). */
  readonly dueMs?: number | undefined
  readonly timing?: object | undefined
  /** The properties of what happened. */
  readonly event?: Properties | undefined
  /** When it happened, epoch milliseconds, where that is earlier: what happened before it takes no path. */
  readonly happenedMs?: number | undefined
}

/** What was judged about somebody: an entry that begins or has ended at once, why it has, and whether that is written down. */
type Judged = {
  readonly arriving: EnteringPerson
  readonly entry: Entry
  /** In the control group too. */
  readonly hasEntered: boolean
  readonly refused?: DecisionReason
  readonly isTold: boolean
}

/**
 * Lets people enter a flow, and takes each as far as it goes at once. Re-entry is judged under the lock of what each has had of the flow;
 * an entry that has yet to begin counts as one, so that no rule is exceeded.
 * An order brings nobody twice, and whoever it does not let in has an entry that has ended; whoever is not let in after something
 * happened has a decision. Answers how many the order brings, or how many entered. Throws `PersonRemoved` when
 * somebody else has brought one of them by the same order in this moment.
 */
export async function enterPeople(
  tx: Tx,
  arrival: Arrival,
  people: readonly EnteringPerson[],
  parts: MoveServices,
): Promise<number> {
  const arrivings = await findPresent(tx, arrival, people)
  if (arrivings.length === 0) return 0
  const judged = await judge(tx, arrival, arrivings)
  await write(tx, arrival, judged, await begin(tx, arrival, judged, parts), parts)
  return arrival.dispatch_id === null ? judged.filter(({ hasEntered }) => hasEntered).length : judged.length
}

/** An order by which people enter a flow; `properties` are those of everybody. */
export type EntryOrder = {
  readonly dispatch_id: string
  readonly flow_id: number
  readonly properties: Properties | undefined
  readonly nowMs: number
}

/**
 * Lets people enter a flow by an order, in the transaction of the page that found them. Returns how many of them the order has not
 * brought before. Throws `PersonRemoved` as `enterPeople` does.
 */
export async function enterByOrder(
  tx: Tx,
  { flow_id, dispatch_id, properties, nowMs }: EntryOrder,
  people: readonly EnteringPerson[],
  parts: MoveServices,
): Promise<number> {
  const flow = (await flowsById(tx, [flow_id])).get(flow_id)
  if (!flow || people.length === 0) return 0
  const graph = await parts.graphs.get(tx, flow_id, flow.version)
  return enterPeople(tx, { flow, graph, dispatch_id, nowMs, properties }, people, parts)
}

/** Who of them is there, as whom they are by now; of an order each once. */
async function findPresent(
  tx: Tx,
  { flow, dispatch_id }: Arrival,
  people: readonly EnteringPerson[],
): Promise<readonly EnteringPerson[]> {
  const asked = people.map((each) => each.person)
  const kept = await lockKept(tx, flow.workspace_id, asked)
  const here = people.flatMap((each) => {
    const person = kept.get(each.person.profile_id)
    return person ? [{ ...each, person }] : []
  })
  return dispatch_id === null ? here : [...new Map(here.map((each) => [each.person.profile_id, each])).values()]
}

const nobody: ReadonlySet<string> = new Set()
const noneAhead: ReadonlyMap<string, PendingEntries> = new Map()

/** Judges those whom the same order has not brought before. */
async function judge(tx: Tx, arrival: Arrival, arrivings: readonly EnteringPerson[]): Promise<Judged[]> {
  const { flow, graph, nowMs, dispatch_id } = arrival
  const { flow_id, workspace_id } = flow
  const isOrder = dispatch_id !== null
  const stopped = refusalBy(flow)
  // Of an order that lets nobody in nothing is to be known.
  const judging = isOrder ? arrivings.filter(({ refused }) => !refused && !stopped) : arrivings
  const rows = await lockReceived(
    tx,
    judging.map(({ person }) => ({ person, flow_id, workspace_id })),
  )
  const brought = isOrder
    ? await listPeopleWithEntry(
        tx,
        { dispatch_id, flow_id },
        arrivings.map(({ person }) => person),
      )
    : nobody
  const persons = judging.map(({ person }) => person)
  const ahead = graph.entry.again === 'always' ? noneAhead : await listPendingEntries(tx, persons, flow_id)
  // Somebody may be there several times, for each thing that happened.
  const befores = new Map([...rows].map(([key, row]) => [key, earlierEntries(row, ahead.get(row.profile_id))]))
  return arrivings.flatMap((arriving): Judged[] => {
    if (brought.has(arriving.person.profile_id)) return []
    const key = receivedKey(arriving.person.profile_id, flow_id)
    const refused = arriving.refused ?? stopped ?? refusalOf(graph, befores.get(key)!, nowMs)
    if (refused) {
      const isTold = isOrder || isNewRefusal(rows.get(key)!, refused.reason, nowMs)
      return [{ arriving, entry: entryFor(arrival, arriving, refused), hasEntered: false, refused, isTold }]
    }
    const before = befores.get(key)!
    befores.set(key, { ...before, entries: before.entries + 1, lastMs: nowMs })
    const control = controlOf(arrival, arriving)
    const entry = entryFor(arrival, arriving, control)
    return [{ arriving, entry, hasEntered: true, ...(control && { refused: control }), isTold: control !== undefined }]
  })
}

/** Nobody enters what does not run. */
function refusalBy({ state }: Flow): DecisionReason | undefined {
  if (state === 'active') return undefined
  return state === 'paused' ? { reason: 'canvas_paused' } : { reason: 'cancelled', rule: `the canvas is ${state}` }
}

function refusalOf(graph: Graph, before: EarlierEntries, nowMs: number): DecisionReason | undefined {
  const rule = judgeReentry(graph.entry.again, before, nowMs)
  return rule === undefined ? undefined : { reason: 'already_entered', rule, inputs: reentryInputs(before, nowMs) }
}

function controlOf({ flow, graph }: Arrival, { person }: EnteringPerson): DecisionReason | undefined {
  const { controlPercent } = graph
  if (!isInControlGroup(flow.flow_id, person.profile_id, controlPercent)) return undefined
  return { reason: 'control_group', rule: `${controlPercent} % of people are in the control group` }
}

function entryFor(
  { flow, graph, dispatch_id, nowMs, properties }: Arrival,
  { person, properties: own, event, happenedMs = nowMs, dueMs = nowMs }: EnteringPerson,
  refused: DecisionReason | undefined,
): Entry {
  const { bucket, profile_id } = person
  const { flow_id, workspace_id, version } = flow
  const variant = refused ? undefined : assignedVariant(flow_id, profile_id, graph.variants)
  return {
    ...{ bucket, profile_id, workspace_id, flow_id, version, dispatch_id, event: event ?? null },
    ...(variant ? firstPosition(variant.first, dueMs) : endedPosition(refused!.reason as EntryEnd)),
    entry_id: newUuid(),
    class: flow.class,
    held: false,
    variant: variant?.id ?? null,
    properties: properties || own ? { ...properties, ...own } : null,
    enteredMs: Math.min(happenedMs, nowMs),
  }
}

/** Takes those who begin at once as far as they go. */
async function begin(
  tx: Tx,
  { flow, nowMs }: Arrival,
  judged: readonly Judged[],
  parts: MoveServices,
): Promise<Map<string, MovedEntry>> {
  const items = judged.flatMap(({ entry }) => {
    const begins = entry.state === 'arriving' && entry.dueMs! <= nowMs
    return begins ? [{ entry, happening: { kind: 'due' } as const }] : []
  })
  if (items.length === 0) return new Map()
  const played = await advanceEntries(tx, items, new Map([[flow.flow_id, flow]]), parts)
  return new Map(played.map((moved) => [moved.entry.entry_id, moved]))
}

async function write(
  tx: Tx,
  arrival: Arrival,
  judged: readonly Judged[],
  played: ReadonlyMap<string, MovedEntry>,
  parts: MoveServices,
): Promise<void> {
  const { flow, graph, dispatch_id, nowMs } = arrival
  const { flow_id, workspace_id } = flow
  const written = judged.flatMap(({ arriving, entry, refused, hasEntered }): StoredEntry[] => {
    if (dispatch_id === null && !hasEntered) return []
    const whole = storedEntry(played.get(entry.entry_id)?.entry ?? entry, graph, nowMs)
    return [{ ...whole, inControl: refused?.reason === 'control_group', timing: arriving.timing ?? null }]
  })
  const made = await insertEntries(tx, written)
  // Somebody else has brought one of them by the same order in this moment, which holds nobody back: it is all done again.
  if (made.size < written.length) throw new PersonRemoved('somebody was brought by the same order')
  const atUs = nowMs * 1000
  // Whoever begins later has entered when they do.
  const entered = judged.flatMap(({ hasEntered, entry, refused }): EnteredFlow[] => {
    if (!hasEntered || isPending(entry)) return []
    const inGroup = refused !== undefined
    return [{ person: entryPerson(entry), flow_id, workspace_id, variant: entry.variant, inControl: inGroup, atUs }]
  })
  await recordEntered(tx, entered)
  await recordRefusals(tx, arrival, judged, parts.clock.stamp())
  await writeEffects(tx, [...played.values()], parts)
  if (entered.length > 0) await updateLastEntry(tx, [flow_id], nowMs)
}

/** Why people did not enter. */
async function recordRefusals(
  tx: Tx,
  { flow, dispatch_id, nowMs }: Arrival,
  judged: readonly Judged[],
  stampUs: number,
) {
  const { flow_id, workspace_id } = flow
  const told = judged.filter(({ isTold }) => isTold)
  await recordDecisions(
    tx,
    told.map(({ entry, refused }): Decision => decisionOf(entry, refused!, stampUs)),
  )
  if (dispatch_id !== null) return
  await recordRefused(
    tx,
    told.flatMap(({ entry, refused, hasEntered }) => {
      if (hasEntered) return []
      return [{ person: entryPerson(entry), flow_id, workspace_id, reason: refused!.reason, atUs: nowMs * 1000 }]
    }),
  )
}
