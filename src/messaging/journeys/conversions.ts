import type { Tx } from '../../base/db/db.ts'
import { byBucketAndId, type Person } from '../../people/identity/person.ts'
import { PersonRemoved } from '../../people/identity/retry-removed.ts'
import { addRevenue } from '../../people/profile/column-store.ts'
import { lockUnmerged } from '../../people/profile/kept-people-store.ts'
import type { ReceivedRow } from '../../people/received/received.ts'
import { listReceived, lockReceived, recordConverted } from '../../people/received/received-store.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Conversion, Graph } from '../flows/flow.ts'
import { type FlowVersion, graphKey } from '../flows/graphs.ts'
import { matchesTrigger } from '../flows/match-trigger.ts'
import type { Signal } from './happening.ts'
import { listReceivedBefore } from './signal-store.ts'

/** Something that somebody did; `amount`: price times quantity of a purchase; `flow_id`: that of the message they engaged with. */
export type PersonAct = {
  readonly person: Person
  readonly workspace_id: number
  readonly signal: Signal
  readonly amount: number | null
  readonly flow_id: number | undefined
}

/** A conversion that was made. */
type Converted = {
  readonly person: Person
  readonly workspace_id: number
  readonly flow_id: number
  readonly names: string[]
}

/** Something that somebody did, and the windows of their flows as they were when it happened. */
export type ActInWindows = { readonly act: PersonAct; readonly windows: readonly Window[] }

/** Places what happened in the windows in which it may be a conversion; what lies in none is left out. */
export async function findActWindows(
  tx: Tx,
  done: readonly PersonAct[],
): Promise<ReadonlyMap<PersonAct, ActInWindows>> {
  const acts = done.filter(({ signal }) => signal.kind !== 'attribute')
  if (acts.length === 0) return new Map()
  const people = new Map(acts.map(({ person }) => [person.profile_id, person]))
  const rows = await listReceived(tx, [...people.values()])
  const windows = Map.groupBy(rows.filter(isOpen), ({ profile_id }) => profile_id)
  if (windows.size === 0) return new Map()
  const placed = await windowsAt(tx, acts, windows)
  return new Map(placed.filter((each) => each.windows.length > 0).map((each) => [each.act, each]))
}

/** Writes down the revenue that came of something, each purchase once. */
export async function recordRevenue(tx: Tx, placed: readonly ActInWindows[]): Promise<void> {
  const revenue = revenueOf(placed)
  await lockActors(
    tx,
    revenue.map(({ person }) => person),
  )
  await addRevenue(tx, revenue)
}

/** Writes down the conversions that were made; `graphsOf`: by `graphKey`, without what cannot be read. */
export async function recordConversions(
  tx: Tx,
  placed: readonly ActInWindows[],
  graphsOf: (versions: readonly FlowVersion[]) => Promise<ReadonlyMap<string, Graph>>,
): Promise<void> {
  if (placed.length === 0) return
  const conversions = await conversionsOf(
    tx,
    placed.flatMap(({ windows }) => windows),
    graphsOf,
  )
  const converted = placed.flatMap(({ act, windows }) => conversionsBy(act, windows, conversions))
  await lockActors(
    tx,
    converted.map(({ person }) => person),
  )
  await lockReceived(tx, converted)
  await recordConverted(tx, converted)
}

/** Keeps people from being merged or deleted until the transaction ends. Throws `PersonRemoved` when one of them was by now. */
export async function lockActors(tx: Tx, people: readonly Person[]): Promise<void> {
  const each = new Map(people.map((person) => [person.profile_id, person]))
  if (each.size === 0) return
  const held = await lockUnmerged(tx, [...each.values()])
  if (held < each.size) throw new PersonRemoved('somebody to whom something happened is somebody else by now')
}

type Window = ReceivedRow & { last_received_at: Date; converting_until: Date }

function isOpen(row: ReceivedRow): row is Window {
  return row.last_received_at !== null && row.converting_until !== null
}

/** Of a flow the last message counts that had come by then; it may be told when there was another one. */
async function windowsAt(
  tx: Tx,
  acts: readonly PersonAct[],
  windows: ReadonlyMap<string, readonly Window[]>,
): Promise<ActInWindows[]> {
  const windowsOf = ({ person }: PersonAct) => windows.get(person.profile_id) ?? []
  const asked = acts.flatMap((act, n) =>
    windowsOf(act).map((window) => ({ act, window, key: `${n}/${window.flow_id}` })),
  )
  const late = asked.filter(({ act, window }) => act.signal.timeMs < window.last_received_at.getTime())
  const before = await listReceivedBefore(
    tx,
    late.map(({ act, window }) => ({ person: act.person, flow_id: window.flow_id, timeMs: act.signal.timeMs })),
  )
  const earlier = new Map(late.map(({ key }, i) => [key, before.get(i)]))
  return acts.map((act, n) => ({
    act,
    windows: windowsOf(act).flatMap((window) => {
      const key = `${n}/${window.flow_id}`
      return earlier.has(key) ? beganAt(window, earlier.get(key)) : [window]
    }),
  }))
}

/** The same window after an earlier message; none where there was none. */
function beganAt(window: Window, last_received_at: Date | undefined): Window[] {
  if (!last_received_at) return []
  const lastsMs = window.converting_until.getTime() - window.last_received_at.getTime()
  return [{ ...window, last_received_at, converting_until: new Date(last_received_at.getTime() + lastsMs) }]
}

/** What counts as a conversion of each flow: what its current version says. */
async function conversionsOf(
  tx: Tx,
  windows: readonly Window[],
  graphsOf: Parameters<typeof recordConversions>[2],
): Promise<ReadonlyMap<number, readonly Conversion[]>> {
  const flows = await flowsById(
    tx,
    windows.map(({ flow_id }) => flow_id),
  )
  const known = await graphsOf([...flows.values()])
  return new Map(
    [...flows.values()].map((flow) => [flow.flow_id, known.get(graphKey(flow))?.conversions ?? []] as const),
  )
}

/** The conversions that something is, of the flows in whose windows it happened. Pure. */
export function conversionsBy(
  { person, workspace_id, signal, flow_id }: PersonAct,
  windows: readonly Window[],
  conversions: ReadonlyMap<number, readonly Conversion[]>,
): Converted[] {
  return windows.flatMap((window) => {
    if (!isWithin(signal, window) || (signal.kind === 'engagement' && flow_id !== window.flow_id)) return []
    const passedMs = signal.timeMs - window.last_received_at.getTime()
    const names = (conversions.get(window.flow_id) ?? [])
      .filter(({ on, withinMs }) => passedMs <= withinMs && matchesTrigger(on, signal, null))
      .map(({ name }) => name)
    return names.length > 0 ? [{ person, workspace_id, flow_id: window.flow_id, names }] : []
  })
}

/** A purchase brings revenue once, however many flows it lies in the windows of. Each person once, in lock order. */
function revenueOf(placed: readonly ActInWindows[]) {
  const sums = new Map<string, { person: Person; amount: number }>()
  for (const { act, windows } of placed) {
    const { person, signal, amount } = act
    if (signal.kind !== 'purchase' || amount === null) continue
    if (!windows.some((window) => isWithin(signal, window))) continue
    const before = sums.get(person.profile_id)?.amount ?? 0
    sums.set(person.profile_id, { person, amount: before + amount })
  }
  return [...sums.values()].sort(byBucketAndId)
}

/** When it happened counts, not when it was told. */
function isWithin({ timeMs }: Signal, { last_received_at, converting_until }: Window): boolean {
  return timeMs >= last_received_at.getTime() && timeMs <= converting_until.getTime()
}
