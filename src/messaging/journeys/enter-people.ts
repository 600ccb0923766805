import type { Tx } from '../../base/db/db.ts'
import { newUuid } from '../../base/ids.ts'
import type { Person } from '../../people/identity/person.ts'
import { PersonRemoved } from '../../people/identity/retry-removed.ts'
import { lockKept } from '../../people/profile/kept-people-store.ts'
import { findRandomBuckets } from '../../people/profile/random-bucket-store.ts'
import { type EnteredFlow, receivedKey } from '../../people/received/received.ts'
import { insertEntered, lockKnownReceived, recordEntered, recordRefused } from '../../people/received/received-store.ts'
import { type Entry, type EntryEnd, entryPerson } from '../entries/entry.ts'
import { insertEntries, listPeopleWithEntry, type StoredEntry } from '../entries/entry-store.ts'
import { updateLastEntry } from '../flows/activity-store.ts'
import { percentWords } from '../flows/describe-steps.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow, Graph } from '../flows/flow.ts'
import { globalControlRefusal, hasGlobalControl } from '../ledger/global-control.ts'
import type { DecisionReason } from '../ledger/reasons.ts'
import { type Decision, recordDecisions } from '../ledger/record-decisions.ts'
import { endedPosition, firstPosition, isPending } from './advance.ts'
import { assignedVariant, isInControlGroup } from './assignment.ts'
import { advanceEntries } from './move-entries.ts'
import { listPendingEntries, type PendingEntries } from './pending-entry-store.ts'
import { checkReentry, type EarlierEntries, earlierEntries, isNewRefusal, reentryInputs } from './reentry.ts'
import type { MoveServices } from './services.ts'
import { countEntered, decisionOf, type MovedEntry, storedEntry, writeEffects } from './write-effects.ts'

type Properties = Readonly<Record<string, unknown>>

/** The flow that people enter, and what makes them enter: an order, or without `dispatch_id` a signal of each person. */
export type Arrival = {
  readonly flow: Flow
  /** The graph of the current version of the flow. */
  readonly graph: Graph
  readonly dispatch_id: string | null
  readonly nowMs: number
  /** Entry properties of all people. */
  readonly properties?: Properties | undefined
}

/** A person to enter the flow, or to refuse. */
export type EnteringPerson = {
  readonly person: Person
  /** Entry properties of this person, which replace those of all people. */
  readonly properties?: Properties | undefined
  /** Why the person does not enter. */
  readonly refused?: DecisionReason | undefined
  /** When the entry begins if that is later, epoch milliseconds, and how the time was found (`expansion/optimal-time.ts`). */
  readonly dueMs?: number | undefined
  readonly timing?: object | undefined
  /** The properties of the event. */
  readonly event?: Properties | undefined
  /** When the event happened, epoch milliseconds. Earlier events take no path. */
  readonly happenedMs?: number | undefined
}

/** The result for a person. A refused person has an entry that has ended at once; `isRecorded`: the refusal gets a decision. */
type EntryResult = {
  readonly entering: EnteringPerson
  readonly entry: Entry
  /** True for a person in the control group too. */
  readonly hasEntered: boolean
  /** Whether the person has a row in `received`, which is locked. */
  readonly isKnown: boolean
  readonly refused?: DecisionReason
  readonly isRecorded: boolean
}

/**
 * Makes people enter a flow, and moves each entry as far as possible now. Re-entry is checked under the lock of the received row; a
 * pending entry counts, so that no rule is exceeded. An order lets each person enter once. A person that it refuses has an entry that has
 * ended; a person refused after a signal has only a decision. Returns how many people the order has handled, or how many entered by
 * signals. Throws `PersonRemoved` when another transaction has just inserted an entry of the same order, or the first of a person.
 */
export async function enterPeople(
  tx: Tx,
  arrival: Arrival,
  people: readonly EnteringPerson[],
  services: MoveServices,
): Promise<number> {
  const present = await findPresent(tx, arrival, people)
  if (present.length === 0) return 0
  const results = await decide(tx, arrival, present, services)
  await write(tx, arrival, results, await begin(tx, arrival, results, services), services)
  return arrival.dispatch_id === null ? results.filter(({ hasEntered }) => hasEntered).length : results.length
}

/** An order by which people enter a flow. `properties` are the entry properties of all people. */
export type EntryOrder = {
  readonly dispatch_id: string
  readonly flow_id: number
  readonly properties: Properties | undefined
  readonly nowMs: number
}

/**
 * Makes people enter a flow by an order, in the transaction of the page that found them. Returns how many of them the order has not handled
 * before. Throws `PersonRemoved` as `enterPeople` does.
 */
export async function enterByOrder(
  tx: Tx,
  { flow_id, dispatch_id, properties, nowMs }: EntryOrder,
  people: readonly EnteringPerson[],
  services: MoveServices,
): Promise<number> {
  const flow = (await flowsById(tx, [flow_id])).get(flow_id)
  if (!flow || people.length === 0) return 0
  const graph = await services.graphs.get(tx, flow_id, flow.version)
  return enterPeople(tx, { flow, graph, dispatch_id, nowMs, properties }, people, services)
}

/** Returns the people who exist, under their kept profiles; for an order each once. */
async function findPresent(
  tx: Tx,
  { flow, dispatch_id }: Arrival,
  people: readonly EnteringPerson[],
): Promise<readonly EnteringPerson[]> {
  const wanted = people.map((each) => each.person)
  const kept = await lockKept(tx, flow.workspace_id, wanted)
  const existing = people.flatMap((each) => {
    const person = kept.get(each.person.profile_id)
    return person ? [{ ...each, person }] : []
  })
  return dispatch_id === null ? existing : [...new Map(existing.map((each) => [each.person.profile_id, each])).values()]
}

const noPeople: ReadonlySet<string> = new Set()
const noRefusals: ReadonlyMap<string, DecisionReason> = new Map()
const noPending: ReadonlyMap<string, PendingEntries> = new Map()

/** Decides which people enter. Leaves out people that the same order has handled before. */
async function decide(
  tx: Tx,
  arrival: Arrival,
  present: readonly EnteringPerson[],
  services: MoveServices,
): Promise<EntryResult[]> {
  const { flow, graph, nowMs, dispatch_id } = arrival
  const { flow_id, workspace_id } = flow
  const isOrder = dispatch_id !== null
  const flowRefusal = refusalByFlow(flow)
  // A refusal by the order needs no re-entry check.
  const checked = isOrder ? present.filter(({ refused }) => !refused && !flowRefusal) : present
  const rows = await lockKnownReceived(
    tx,
    checked.map(({ person }) => ({ person, flow_id, workspace_id })),
  )
  const known = isOrder
    ? await listPeopleWithEntry(
        tx,
        { dispatch_id, flow_id },
        present.map(({ person }) => person),
      )
    : noPeople
  const persons = checked.map(({ person }) => person)
  const pending = graph.entry.again === 'always' ? noPending : await listPendingEntries(tx, persons, flow_id)
  const globalControl = await findGlobalControl(tx, flow, persons, services)
  // A person may be in the list several times, once for each signal.
  const earlierByKey = new Map(
    persons.map(({ profile_id }) => {
      const key = receivedKey(profile_id, flow_id)
      return [key, earlierEntries(rows.get(key), pending.get(profile_id))]
    }),
  )
  return present.flatMap((entering): EntryResult[] => {
    if (known.has(entering.person.profile_id)) return []
    const key = receivedKey(entering.person.profile_id, flow_id)
    const refused =
      entering.refused ??
      flowRefusal ??
      refusalByReentry(graph, earlierByKey.get(key)!, nowMs) ??
      globalControl.get(entering.person.profile_id)
    if (refused) {
      const isRecorded = isOrder || isNewRefusal(rows.get(key), refused.reason, nowMs)
      const entry = entryFor(arrival, entering, refused)
      return [{ entering, entry, hasEntered: false, isKnown: rows.has(key), refused, isRecorded }]
    }
    const earlier = earlierByKey.get(key)!
    earlierByKey.set(key, { ...earlier, entries: earlier.entries + 1, lastMs: nowMs })
    const control = controlGroupRefusal(arrival, entering)
    const entry = entryFor(arrival, entering, control)
    const isRecorded = control !== undefined
    return [
      { entering, entry, hasEntered: true, isKnown: rows.has(key), ...(control && { refused: control }), isRecorded },
    ]
  })
}

/** Returns why a flow that is not active refuses people. */
function refusalByFlow({ state }: Flow): DecisionReason | undefined {
  if (state === 'active') return undefined
  return state === 'paused' ? { reason: 'canvas_paused' } : { reason: 'cancelled', rule: `the canvas is ${state}` }
}

function refusalByReentry(graph: Graph, earlier: EarlierEntries, nowMs: number): DecisionReason | undefined {
  const rule = checkReentry(graph.entry.again, earlier, nowMs)
  return rule === undefined ? undefined : { reason: 'already_entered', rule, inputs: reentryInputs(earlier, nowMs) }
}

/** Returns why people in the global control group of the workspace do not enter, by `profile_id`. */
async function findGlobalControl(
  tx: Tx,
  { workspace_id, class: kind }: Flow,
  people: readonly Person[],
  { workspaces }: MoveServices,
): Promise<ReadonlyMap<string, DecisionReason>> {
  const { settings } = workspaces.get(workspace_id)
  if (!hasGlobalControl(kind, settings)) return noRefusals
  const buckets = await findRandomBuckets(tx, people)
  return new Map(
    [...buckets].flatMap(([profile_id, random_bucket]) => {
      const refused = globalControlRefusal(kind, random_bucket, settings)
      return refused ? [[profile_id, refused] as const] : []
    }),
  )
}

function controlGroupRefusal({ flow, graph }: Arrival, { person }: EnteringPerson): DecisionReason | undefined {
  const { controlPercent } = graph
  if (!isInControlGroup(flow.flow_id, person.profile_id, controlPercent)) return undefined
  return { reason: 'control_group', rule: `${percentWords(controlPercent)} of people are in the control group` }
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

/** Moves the entries that begin at once as far as possible. */
async function begin(
  tx: Tx,
  { flow, nowMs }: Arrival,
  results: readonly EntryResult[],
  services: MoveServices,
): Promise<Map<string, MovedEntry>> {
  const happenings = results.flatMap(({ entry }) => {
    const begins = entry.state === 'arriving' && entry.dueMs! <= nowMs
    return begins ? [{ entry, happening: { kind: 'due' } as const, isNew: true }] : []
  })
  if (happenings.length === 0) return new Map()
  const moved = await advanceEntries(tx, happenings, new Map([[flow.flow_id, flow]]), services)
  return new Map(moved.map((each) => [each.entry.entry_id, each]))
}

async function write(
  tx: Tx,
  arrival: Arrival,
  results: readonly EntryResult[],
  moved: ReadonlyMap<string, MovedEntry>,
  services: MoveServices,
): Promise<void> {
  const { flow, graph, dispatch_id, nowMs } = arrival
  const { flow_id } = flow
  const written = results.flatMap(({ entering, entry, refused, hasEntered }): StoredEntry[] => {
    if (dispatch_id === null && !hasEntered) return []
    const stored = storedEntry(moved.get(entry.entry_id) ?? { entry, graph, hops: [] }, nowMs)
    return [{ ...stored, inControl: refused?.reason === 'control_group', timing: entering.timing ?? null }]
  })
  const inserted = await insertEntries(tx, written)
  // Another transaction has just inserted an entry of the same order without waiting for this one: the transaction is retried.
  if (inserted.size < written.length)
    throw new PersonRemoved('another transaction has just inserted an entry of the same order')
  const entered = await recordEntries(tx, flow, results, nowMs)
  await countEntered(tx, entered)
  await recordRefusals(tx, arrival, results, services.clock.stamp())
  await writeEffects(tx, [...moved.values()], services)
  if (entered.length > 0) await updateLastEntry(tx, [flow_id], nowMs)
}

/**
 * Records in `received` who has entered, and returns it. Throws when another transaction has just let a person enter for the first time,
 * which the rules may then forbid.
 */
async function recordEntries(
  tx: Tx,
  { flow_id, workspace_id }: Flow,
  results: readonly EntryResult[],
  nowMs: number,
): Promise<EnteredFlow[]> {
  const keyOf = ({ entry }: EntryResult) => ({ person: entryPerson(entry), flow_id, workspace_id })
  const all = results.filter(({ hasEntered }) => hasEntered)
  // A pending entry counts as entered when it begins.
  const waiting = all.filter(({ entry, isKnown }) => isPending(entry) && !isKnown)
  const begun = all.filter(({ entry }) => !isPending(entry))
  const enteredOf = (each: EntryResult): EnteredFlow => {
    return { ...keyOf(each), variant: each.entry.variant, inControl: each.refused !== undefined, atUs: nowMs * 1000 }
  }
  const first = begun.filter(({ isKnown }) => !isKnown).map(enteredOf)
  const known = begun.filter(({ isKnown }) => isKnown).map(enteredOf)
  if (!(await insertEntered(tx, first, waiting.map(keyOf))))
    throw new PersonRemoved('another transaction has just inserted the state of a person in the same flow')
  await recordEntered(tx, known)
  return [...first, ...known]
}

/** Records why people did not enter. */
async function recordRefusals(
  tx: Tx,
  { flow, dispatch_id, nowMs }: Arrival,
  results: readonly EntryResult[],
  stampUs: number,
) {
  const { flow_id, workspace_id } = flow
  const recorded = results.filter(({ isRecorded }) => isRecorded)
  await recordDecisions(
    tx,
    recorded.map(({ entry, refused }): Decision => decisionOf(entry, refused!, stampUs)),
  )
  if (dispatch_id !== null) return
  await recordRefused(
    tx,
    recorded.flatMap(({ entry, refused, hasEntered }) => {
      if (hasEntered) return []
      return [{ person: entryPerson(entry), flow_id, workspace_id, reason: refused!.reason, atUs: nowMs * 1000 }]
    }),
  )
}
