import type { Tx } from '../../base/db/db.ts'
import { byBucketAndId, type Person } from '../../people/identity/person.ts'
import { PersonRemoved } from '../../people/identity/retry-removed.ts'
import { addRevenue } from '../../people/profile/column-store.ts'
import { lockUnmerged } from '../../people/profile/kept-people-store.ts'
import { type ReceivedRow, receivedKey } from '../../people/received/received.ts'
import { listReceived, listReceivedSteps, lockReceived, recordConverted } from '../../people/received/received-store.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Conversion, FlowKind, Graph } from '../flows/flow.ts'
import { conversionMeasure, FlowTally } from '../flows/flow-tally.ts'
import { type FlowVersion, graphKey } from '../flows/graphs.ts'
import { matchesTrigger } from '../flows/match-trigger.ts'
import type { Signal } from './happening.ts'
import { listReceivedBefore } from './signal-store.ts'

/**
 * A signal of a person. `amount` is price times quantity of a purchase; `flow_id` is that of the message that was opened or clicked.
 */
export type PersonAct = {
  readonly person: Person
  readonly workspace_id: number
  readonly signal: Signal
  readonly amount: number | null
  readonly flow_id: number | undefined
}

/** The conversions that an act makes in one flow. */
type MadeConversions = {
  readonly person: Person
  readonly workspace_id: number
  readonly flow_id: number
  readonly names: string[]
  /** When the person acted, and had received the message before it, epoch milliseconds. */
  readonly timeMs: number
  readonly receivedMs: number
}

/** An act, and the conversion windows of the person's flows at its time. */
export type ActInWindows = { readonly act: PersonAct; readonly windows: readonly Window[] }

/** Finds the conversion windows in which acts lie. Acts in no window are missing. */
export async function findActWindows(
  tx: Tx,
  allActs: readonly PersonAct[],
): Promise<ReadonlyMap<PersonAct, ActInWindows>> {
  const acts = allActs.filter(({ signal }) => signal.kind !== 'attribute')
  if (acts.length === 0) return new Map()
  const people = new Map(acts.map(({ person }) => [person.profile_id, person]))
  const rows = await listReceived(tx, [...people.values()])
  const windows = Map.groupBy(rows.filter(isWindow), ({ profile_id }) => profile_id)
  if (windows.size === 0) return new Map()
  const withWindows = await windowsAt(tx, acts, windows)
  return new Map(withWindows.filter((each) => each.windows.length > 0).map((each) => [each.act, each]))
}

/** Adds the revenue of purchases, each once to that of its person, and to that of every flow whose window it lies in. */
export async function recordRevenue(tx: Tx, acts: readonly ActInWindows[]): Promise<void> {
  await countRevenue(tx, acts)
  const revenue = revenueOf(acts)
  await lockActors(
    tx,
    revenue.map(({ person }) => person),
  )
  await addRevenue(tx, revenue)
}

/** Records conversions. `graphsOf` returns graphs by `graphKey`, without versions that cannot be read. */
export async function recordConversions(
  tx: Tx,
  acts: readonly ActInWindows[],
  graphsOf: (versions: readonly FlowVersion[]) => Promise<ReadonlyMap<string, Graph>>,
): Promise<void> {
  if (acts.length === 0) return
  const conversions = await conversionsOf(
    tx,
    acts.flatMap(({ windows }) => windows),
    graphsOf,
  )
  const made = acts.flatMap(({ act, windows }) => conversionsBy(act, windows, conversions))
  await lockActors(
    tx,
    made.map(({ person }) => person),
  )
  const rows = await lockReceived(tx, made)
  await countConversions(tx, made, rows, conversions)
  await recordConverted(tx, made)
}

/** Counts each conversion once after an entry, or after a message of a campaign that nobody enters. */
async function countConversions(
  tx: Tx,
  made: readonly MadeConversions[],
  rows: ReadonlyMap<string, ReceivedRow>,
  conversions: ReadonlyMap<number, FlowConversions>,
): Promise<void> {
  const counted = new Map([...rows].map(([key, row]) => [key, new Set(row.counted_conversions)]))
  const stepOf = await lastSteps(
    tx,
    made.map(({ person }) => person),
  )
  const tally = new FlowTally()
  for (const { person, workspace_id, flow_id, names, timeMs, receivedMs } of made) {
    const key = receivedKey(person.profile_id, flow_id)
    const { variant, send_id, last_entered_at } = rows.get(key)!
    const { kind, list } = conversions.get(flow_id)!
    const step = stepOf(person, flow_id, timeMs)
    const flow = { workspace_id, flow_id, variant, step, send_id }
    const startMs = kind === 'canvas' ? (last_entered_at?.getTime() ?? receivedMs) : receivedMs
    for (const name of names) {
      if (counted.get(key)!.has(name)) continue
      counted.get(key)!.add(name)
      const measure = conversionMeasure(list.findIndex((each) => each.name === name))
      tally.count(flow, measure, timeMs * 1000)
      tally.count(flow, `${measure}_by_start`, startMs * 1000)
    }
  }
  await tally.write(tx)
}

async function countRevenue(tx: Tx, acts: readonly ActInWindows[]): Promise<void> {
  const purchases = acts.filter(({ act: { signal, amount } }) => signal.kind === 'purchase' && amount !== null)
  const stepOf = await lastSteps(
    tx,
    purchases.map(({ act }) => act.person),
  )
  const tally = new FlowTally()
  for (const { act, windows } of purchases) {
    const { person, workspace_id, signal, amount } = act
    for (const { flow_id, variant, send_id } of windows.filter((window) => isWithin(signal, window))) {
      const step = stepOf(person, flow_id, signal.timeMs)
      tally.count({ workspace_id, flow_id, variant, step, send_id }, 'revenue', signal.timeMs * 1000, 1, amount!)
    }
  }
  await tally.write(tx)
}

/** Returns a function for the step whose message a person received last before a moment; empty for campaigns, which have no steps. */
async function lastSteps(
  tx: Tx,
  people: readonly Person[],
): Promise<(person: Person, flow_id: number, timeMs: number) => string> {
  const each = new Map(people.map((person) => [person.profile_id, person]))
  const steps = await listReceivedSteps(tx, [...each.values()])
  const byFlow = Map.groupBy(steps, ({ profile_id, flow_id }) => receivedKey(profile_id, flow_id))
  return ({ profile_id }, flow_id, timeMs) => {
    const received = byFlow.get(receivedKey(profile_id, flow_id)) ?? []
    const before = received.findLast(({ last_received_at }) => last_received_at.getTime() <= timeMs)
    return (before ?? received[0])?.step ?? ''
  }
}

/** Locks people against merges and deletions until the transaction ends. Throws `PersonRemoved` when one of them was removed before. */
export async function lockActors(tx: Tx, people: readonly Person[]): Promise<void> {
  const each = new Map(people.map((person) => [person.profile_id, person]))
  if (each.size === 0) return
  const locked = await lockUnmerged(tx, [...each.values()])
  if (locked < each.size) throw new PersonRemoved('a person with a signal was merged or deleted')
}

type Window = ReceivedRow & { last_received_at: Date; converting_until: Date }

function isWindow(row: ReceivedRow): row is Window {
  return row.last_received_at !== null && row.converting_until !== null
}

/** A window begins with the last message of a flow before the act, which may be an earlier one by the time the act is handled. */
async function windowsAt(
  tx: Tx,
  acts: readonly PersonAct[],
  windows: ReadonlyMap<string, readonly Window[]>,
): Promise<ActInWindows[]> {
  const windowsOf = ({ person }: PersonAct) => windows.get(person.profile_id) ?? []
  const pairs = acts.flatMap((act, n) =>
    windowsOf(act).map((window) => ({ act, window, key: `${n}/${window.flow_id}` })),
  )
  const late = pairs.filter(({ act, window }) => act.signal.timeMs < window.last_received_at.getTime())
  const receivedAt = await listReceivedBefore(
    tx,
    late.map(({ act, window }) => ({ person: act.person, flow_id: window.flow_id, timeMs: act.signal.timeMs })),
  )
  const earlierByKey = new Map(late.map(({ key }, i) => [key, receivedAt.get(i)]))
  return acts.map((act, n) => ({
    act,
    windows: windowsOf(act).flatMap((window) => {
      const key = `${n}/${window.flow_id}`
      return earlierByKey.has(key) ? windowFrom(window, earlierByKey.get(key)) : [window]
    }),
  }))
}

/** Returns the same window after an earlier message, or none if there was none. */
function windowFrom(window: Window, last_received_at: Date | undefined): Window[] {
  if (!last_received_at) return []
  const lastsMs = window.converting_until.getTime() - window.last_received_at.getTime()
  return [{ ...window, last_received_at, converting_until: new Date(last_received_at.getTime() + lastsMs) }]
}

type FlowConversions = { readonly kind: FlowKind; readonly list: readonly Conversion[] }

/** Reads the conversions of each flow from its current version. */
async function conversionsOf(
  tx: Tx,
  windows: readonly Window[],
  graphsOf: Parameters<typeof recordConversions>[2],
): Promise<ReadonlyMap<number, FlowConversions>> {
  const flows = await flowsById(
    tx,
    windows.map(({ flow_id }) => flow_id),
  )
  const graphs = await graphsOf([...flows.values()])
  return new Map(
    [...flows.values()].map((flow) => {
      return [flow.flow_id, { kind: flow.kind, list: graphs.get(graphKey(flow))?.conversions ?? [] }] as const
    }),
  )
}

/** Returns the conversions that an act makes in the flows whose windows it lies in. Pure. */
export function conversionsBy(
  { person, workspace_id, signal, flow_id }: PersonAct,
  windows: readonly Window[],
  conversions: ReadonlyMap<number, Pick<FlowConversions, 'list'>>,
): MadeConversions[] {
  return windows.flatMap((window) => {
    if (!isWithin(signal, window) || (signal.kind === 'engagement' && flow_id !== window.flow_id)) return []
    const passedMs = signal.timeMs - window.last_received_at.getTime()
    const names = (conversions.get(window.flow_id)?.list ?? [])
      .filter(({ on, withinMs }) => passedMs <= withinMs && matchesTrigger(on, signal, null))
      .map(({ name }) => name)
    if (names.length === 0) return []
    const receivedMs = window.last_received_at.getTime()
    return [{ person, workspace_id, flow_id: window.flow_id, names, timeMs: signal.timeMs, receivedMs }]
  })
}

/** Sums revenue by person, in the order of locks. A purchase counts once, however many windows it lies in. */
function revenueOf(acts: readonly ActInWindows[]) {
  const sums = new Map<string, { person: Person; amount: number }>()
  for (const { act, windows } of acts) {
    const { person, signal, amount } = act
    if (signal.kind !== 'purchase' || amount === null) continue
    if (!windows.some((window) => isWithin(signal, window))) continue
    const sum = sums.get(person.profile_id)?.amount ?? 0
    sums.set(person.profile_id, { person, amount: sum + amount })
  }
  return [...sums.values()].sort(byBucketAndId)
}

/** The time of the act counts, not the time when it was accepted. */
function isWithin({ timeMs }: Signal, { last_received_at, converting_until }: Window): boolean {
  return timeMs >= last_received_at.getTime() && timeMs <= converting_until.getTime()
}
